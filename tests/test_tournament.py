"""Tournaments: pairings, consistent tables, and stronger agents in the first places."""

from collections import Counter
from hashlib import blake2b
from itertools import combinations
from math import sqrt
from random import Random

import pytest

from plyground import PlygroundError, Tournament, load_agent, play_match
from plyground.arena.pairing import BalancedTables, Groups, Result, swiss_round
from plyground.arena.plan import load_tournament
from plyground.arena.tournament import Standing, play_tournament, standings


def agents(*specs):
    return [load_agent(spec) for spec in specs]


def plan(*agents, game="connect_n", **options):
    return Tournament(game=game, agents=agents, **options)


def tables(tournament):
    return Counter(tuple(sorted(each.entrants)) for each in tournament.pairings(0, []))


def pairs(drawn):
    return Counter(pair for table in drawn for pair in combinations(sorted(table), 2))


# Plans ------------------------------------------------------------------------------------------


def test_a_round_robin_seats_every_group():
    assert tables(plan(*["random"] * 4, games=2)) == dict.fromkeys(combinations(range(4), 2), 2)
    three = plan(*["random"] * 4, game="sheep(players=3)", games=3)
    assert tables(three) == dict.fromkeys(combinations(range(4), 3), 3)


def test_a_gauntlet_seats_the_first_with_all_others():
    assert tables(plan(*["random"] * 4, games=2, format="gauntlet")) == {
        (0, 1): 2, (0, 2): 2, (0, 3): 2,
    }  # fmt: skip


@pytest.mark.parametrize("style", ["round_robin", "gauntlet", "swiss", "tables"])
def test_numbers_run_on_and_every_start_sees_every_rotation(style):
    tournament = plan(*["random"] * 7, game="sheep(players=3)", games=6, format=style)
    listed = []
    for stage in range(tournament.stages):
        listed += tournament.pairings(stage, [])
    assert sorted(each.number for each in listed) == list(range(tournament.total))
    for first in range(0, len(listed), 3):
        one, two, three = listed[first : first + 3]
        assert one.seed == two.seed == three.seed
        assert two.entrants == (*one.entrants[1:], one.entrants[0])
        assert three.entrants == (*one.entrants[2:], *one.entrants[:2])
    seats = Counter((who, seat) for each in listed for seat, who in enumerate(each.entrants))
    for agent in range(7):
        assert len({seats[agent, seat] for seat in range(3)}) == 1


@pytest.mark.parametrize("style", ["round_robin", "gauntlet"])
@pytest.mark.parametrize(("game", "games"), [("connect_n", 4), ("sheep(players=3)", 6)])
def test_further_agents_leave_the_games_of_the_others_as_they_are(style, game, games):
    small, large = (
        plan(*["random"] * count, game=game, games=games, format=style).pairings(0, [])
        for count in (5, 7)
    )
    assert len({(each.entrants, each.seed) for each in large}) == len(large)
    assert [large[number] for number in small.numbers] == [small[each] for each in small.numbers]
    assert {each.number for each in large if max(each.entrants) < 5} == set(small.numbers)
    starts = [each.seed for each in large]
    assert starts == sorted(starts, key=starts.index)  # every table plays a start before the next


def test_puzzles_are_the_same_for_everyone():
    listed = list(plan("random", "greedy", game="robots", games=3).pairings(0, []))
    seeds = [[each.seed for each in listed if each.entrants == (agent,)] for agent in (0, 1)]
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 3


@pytest.mark.parametrize(("count", "rounds"), [(8, 7), (9, 8), (13, 9), (30, 10)])
def test_balanced_tables_mix_everyone(count, rounds):
    drawn = list(BalancedTables(count, 4, rounds, seed=1))
    games = Counter(agent for table in drawn for agent in table)
    assert max(games.values()) - min(games.values()) <= 1
    met = pairs(drawn)
    counts = [met[pair] for pair in combinations(range(count), 2)]
    assert max(counts) - min(counts) <= 2
    assert drawn == list(BalancedTables(count, 4, rounds, seed=1))
    assert drawn != list(BalancedTables(count, 4, rounds, seed=2))


def test_balanced_tables_of_a_few_agents_are_those_of_a_full_search():
    """The expected digest is that of a search that tries all swaps of all ten draws."""
    sizes = (5, 4, 2), (9, 4, 8), (13, 4, 9), (17, 3, 11), (8, 2, 7)
    drawn = "".join(repr(list(BalancedTables(*size, 1))) for size in sizes)
    assert blake2b(drawn.encode(), digest_size=8).hexdigest() == "b282014f541fd4d9"


def test_thousands_of_agents_are_paired_as_soon_as_a_round_begins():
    drawn = BalancedTables(2200, 4, 700, seed=1)
    assert len(drawn) == 700 * 550
    rounds = [drawn[number] for number in range(20 * 550)]
    assert max(pairs(rounds).values()) == 1
    assert set(Counter(agent for table in rounds for agent in table).values()) == {20}
    everyone = Groups(10_000, 4)
    assert everyone[0] == (0, 1, 2, 3)
    assert everyone[len(everyone) - 1] == (9996, 9997, 9998, 9999)
    for stage, met in enumerate(swiss(2200, 3), start=1):
        assert len({agent for table in met for agent in table}) == 2200, stage


def test_rounds_of_a_few_agents_are_those_of_a_recursive_search():
    """The expected digest is that of a search in which every pair is a call."""
    listed = ""
    for agents, players in ((4, 2), (7, 2), (16, 2), (33, 2), (9, 3), (16, 3)):
        outcomes = [(1.0, 0.0, -1.0)] if players == 3 else [(1.0, -1.0), (0.0, 0.0)]
        for seed in range(3):
            random, results = Random(seed), []
            for stage in range(5):
                drawn = swiss_round(agents, players, 1, seed, stage, results)
                listed += repr(drawn)
                for table in drawn:
                    gains = random.choice(outcomes)
                    gains = tuple(random.sample(gains, players))
                    results.append(Result(len(results), table, gains))
    assert blake2b(listed.encode(), digest_size=8).hexdigest() == "99c93bf6806676bd"


def swiss(agents, rounds, better=min):
    """Play a Swiss tournament in which the lower number wins; return the pairings of each round."""
    drawn, results = [], []
    for stage in range(rounds):
        drawn.append(swiss_round(agents, 2, 1, 0, stage, results))
        for number, table in enumerate(drawn[-1], start=stage * len(drawn[-1])):
            gains = [1.0 if each == better(table) else -1.0 for each in table]
            results.append(Result(number, table, tuple(gains)))
    return drawn


def test_swiss_pairs_those_who_did_as_well():
    drawn = swiss(8, 3)
    assert (0, 1) in [tuple(sorted(table)) for table in drawn[2]] or pairs(
        table for tables in drawn[:2] for table in tables
    )[0, 1]
    winners = {min(table) for table in drawn[0]}
    for table in drawn[1]:
        assert len(winners & set(table)) in (0, 2)


@pytest.mark.parametrize("count", [4, 5, 6, 7, 8, 9, 16, 33])
def test_swiss_avoids_rematches_and_byes_go_round(count):
    rounds = min(5, (count - 1) // 2 + 1)
    drawn = swiss(count, rounds)
    met = pairs(table for tables in drawn for table in tables)
    assert max(met.values()) == 1
    rests = Counter(
        agent
        for tables in drawn
        for agent in set(range(count)) - {each for table in tables for each in table}
    )
    assert sum(rests.values()) == rounds * (count % 2)
    assert max(rests.values(), default=0) <= 1


def test_swiss_allows_a_rematch_where_nothing_else_is_left():
    met = pairs(table for tables in swiss(4, 5) for table in tables)
    assert sorted(met.values()) == [1, 1, 2, 2, 2, 2]


def test_one_spec_is_one_identity():
    one = plan("mcts( simulations = 50 )", "random")
    assert one == plan("mcts(simulations=50)", "random")
    assert one.digest == plan("mcts(simulations=50)", "random").digest
    assert one.digest != plan("mcts(simulations=50)", "random", seed=1).digest


WRONG = {
    "too few agents": ({"agents": ("random",)}, "give at least as many agents"),
    "an unknown format": ({"format": "swis"}, "did you mean 'swiss'"),
    "no games": ({"games": 0}, "at least 1"),
    "rounds of a round robin": ({"rounds": 3}, "only the formats swiss and tables"),
    "uneven tables": ({"format": "tables", "games": 3}, "a multiple of 2"),
    "no time": ({"seconds": -1.0}, "seconds"),
    "an unknown agent": ({"agents": ("randm", "random")}, "did you mean 'random'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_plan_is_refused(case):
    options, output = WRONG[case]
    with pytest.raises(PlygroundError, match=output):
        Tournament(**{"game": "connect_n", "agents": ("random", "greedy")} | options)


def test_a_plan_is_read_from_a_file(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text('game = "tron"\nagents = ["random", "greedy"]\nbank = 60\nincrement = 0.5\n')
    read = load_tournament(path)
    wanted = plan("random", "greedy", game="tron", bank=60.0, increment=0.5)
    assert read == wanted.ruled("even")  # a new plan
    assert load_tournament(path, {"seed": 4}).seed == 4
    for text, output in (
        ('game = "tron"', "'agents' is missing"),
        ('game = "tron"\nagents = ["random", "random"]\nseeds = 1', "did you mean 'seed'"),
        ('game = "tron"\nagents = "random"', "agents must be a list"),
        ("game = tron", "is not a TOML file: Invalid value [(]at line 1"),
    ):
        path.write_text(text)
        with pytest.raises(PlygroundError, match=output):
            load_tournament(path)
    with pytest.raises(PlygroundError, match="No such file"):
        load_tournament(tmp_path / "nowhere.toml")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(PlygroundError, match="is not a TOML file"):
        load_tournament(path)


# Results ----------------------------------------------------------------------------------------


def test_standings_add_up():
    tournament = plan("random", "greedy", "alphabeta(depth=2)", games=4, seed=3)
    records = list(play_tournament(tournament))
    table = standings(tournament.agents, records)
    assert [row.score for row in table] == sorted((row.score for row in table), reverse=True)
    assert sum(row.total for row in table) == 0
    assert sum(row.points for row in table) == len(records)
    assert sum(row.wins for row in table) == sum(row.losses for row in table)
    assert all(row.games == 8 for row in table)
    assert sum(row.moves for row in table) == sum(
        len(record.actions) - record.opening for record in records
    )
    by_hand = [
        record.returns[record.entrants.index(0)] for record in records if 0 in record.entrants
    ]
    (row,) = (row for row in table if row.agent == "random")
    assert row.total == sum(by_hand)
    assert (row.wins, row.draws, row.losses) == tuple(map(by_hand.count, (1, 0, -1)))


def test_a_swiss_tournament_is_played_and_played_again():
    tournament = plan("random", "greedy", "alphabeta(depth=2)", "random", "greedy",
                      format="swiss", games=2)  # fmt: skip
    records = list(play_tournament(tournament))
    assert [record.number for record in records] == list(range(12))
    again = play_tournament(tournament)
    assert [each.actions for each in again] == [each.actions for each in records]


def test_tables_of_four_give_points():
    tournament = plan("random", "greedy", "random", "random", game="sheep(players=4)", games=4)
    records = list(play_tournament(tournament))
    table = standings(tournament.agents, records)
    assert table[0].agent == "greedy"
    assert sum(row.points for row in table) == pytest.approx(4 * 11)


def test_standings_and_swiss_rounds_give_the_games_own_points():
    agents = "random", "random", "greedy", "greedy", "mcts(simulations=5)"
    tournament = plan(*agents, game="sheep", format="swiss", rounds=2, games=4)
    records = list(play_tournament(tournament))
    table = standings(tournament.agents, records)
    assert sum(row.points for row in table) == pytest.approx(11 * len(records))
    assert {row.games for row in table} <= {4, 8}  # one sat out in each round


def test_the_score_and_its_interval():
    row = Standing("x", wins=6, draws=2, losses=2, total=4.0)
    assert row.score == 0.7
    low, high = row.interval
    for bound in (low, high):  # Wilson: the score lies just 1.96 deviations from either bound
        assert abs(0.7 - bound) == pytest.approx(1.96 * sqrt(bound * (1 - bound) / 10))
    assert Standing("x").interval == (0.0, 1.0)
    assert Standing("x", wins=10, total=10.0).interval[1] == 1.0


def test_searching_beats_not_searching(connect_four):
    strong = agents("mcts(simulations=300)", "random")
    table = standings(strong, play_match(connect_four, strong, 20, seed=1))
    assert table[0].agent == "mcts(simulations=300)"
    assert table[0].score > 0.8
    deep = agents("alphabeta(depth=4)", "greedy")
    table = standings(deep, play_match(connect_four, deep, 20, seed=1, opening=4))
    assert table[0].agent == "alphabeta(depth=4)"
    assert table[0].score > 0.6
