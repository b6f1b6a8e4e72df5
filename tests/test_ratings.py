"""Ratings recover simulated strengths, with intervals of the right coverage."""

import json
from math import log10
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks.ratings import dense_fit
from hypothesis import given
from hypothesis import strategies as some

from plyground import PlygroundError, load_agent, play_match
from plyground.arena.elo import ELO, Pairs, fit, superiority
from plyground.arena.ratings import rate


class Played(NamedTuple):
    agents: tuple[str, ...]
    returns: tuple[float, ...]


def games(first, second, won=0, drawn=0, lost=0):
    return (
        [Played((first, second), (1, -1))] * won
        + [Played((first, second), (0, 0))] * drawn
        + [Played((first, second), (-1, 1))] * lost
    )


def simulated(elos, count, random, *, draws=0.0, first_seat=0.0):
    """Simulate games of two whose mean score is Elo's; draws replace wins and losses equally."""
    results = []
    for _ in range(count):
        one, two = random.choice(len(elos), 2, replace=False)
        expected = 1 / (1 + 10 ** ((elos[two] - elos[one] - first_seat) / 400))
        drawn = draws * 2 * expected * (1 - expected)
        chance = random.random() - drawn
        result = 0.0 if chance < 0 else 1.0 if chance < expected - drawn / 2 else -1.0
        results.append(Played((f"p{one}", f"p{two}"), (result, -result)))
    return results


def ranked(elos, count, seats, random):
    """Simulate tables of several by the Plackett-Luce model: one place after the other."""
    results = []
    for _ in range(count):
        table = random.permutation(len(elos))[:seats]
        drawn = np.asarray(elos)[table] / ELO + random.gumbel(size=seats)
        returns = 2 * np.argsort(np.argsort(drawn)) / (seats - 1) - 1
        results.append(Played(tuple(f"p{each}" for each in table), tuple(returns)))
    return results


def by_name(ratings):
    return {row.agent: row for row in ratings.rows}


def covered(elos, ratings, confidence):
    """Count the agents whose true rating, from the mean, is inside the interval."""
    rows = by_name(ratings)
    truth = np.asarray(elos) - np.mean(elos)
    bounds = [rows[f"p{each}"].interval(confidence) for each in range(len(elos))]
    return sum(low <= true <= high for true, (low, high) in zip(truth, bounds, strict=True))


def test_twelve_known_strengths_come_out_of_ten_thousand_games():
    elos = [60.0 * each for each in range(12)]
    ratings = rate(simulated(elos, 10_000, np.random.default_rng(5), draws=0.6))
    assert [row.agent for row in ratings.rows] == [f"p{each}" for each in range(11, -1, -1)]
    assert covered(elos, ratings, 0.99) == 12
    assert ratings.draws == pytest.approx(0.3, abs=0.03)
    assert sum(row.games for row in ratings.rows) == 20_000


@pytest.mark.parametrize(("draws", "count"), [(0.0, 40), (0.9, 100)])
def test_intervals_of_two_player_games_cover_what_they_promise(draws, count):
    elos, runs = [0.0, 50.0, 100.0, 200.0], 300
    random = np.random.default_rng(11)
    hits = sum(
        covered(elos, rate(simulated(elos, count, random, draws=draws)), 0.95) for _ in range(runs)
    )
    assert 0.93 < hits / (4 * runs) < 0.985


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_intervals_of_tables_cover_what_they_promise(seats):
    elos, runs = [0.0, 50.0, 100.0, 200.0, 300.0, 400.0], 60
    random = np.random.default_rng(seats)
    hits = sum(covered(elos, rate(ranked(elos, 60, seats, random)), 0.95) for _ in range(runs))
    assert 0.93 < hits / (6 * runs) <= 1


def test_tables_of_four_are_ranked():
    elos = [100.0 * each for each in range(5)]
    ratings = rate(ranked(elos, 1500, 4, np.random.default_rng(2)))
    assert covered(elos, ratings, 0.99) == 5
    assert [row.agent for row in ratings.rows] == ["p4", "p3", "p2", "p1", "p0"]


def teamed(elos, count, random):
    """Simulate games of two against two; the sums of the strengths set the probabilities."""
    results = []
    for _ in range(count):
        seats = random.permutation(len(elos))[:4]
        strengths = np.asarray(elos)[seats] / ELO
        lead = strengths[0] + strengths[2] - strengths[1] - strengths[3]
        won = 1.0 if random.logistic() < lead else -1.0
        results.append(Played(tuple(f"p{each}" for each in seats), (won, -won) * 2))
    return results


def test_partners_are_no_opponents():
    ratings = rate([Played(("a", "b", "c", "d"), (1, -1, 1, -1))] * 30, teams=(0, 1, 0, 1))
    rows = by_name(ratings)
    assert [rows[name].score for name in "abcd"] == [1, 0, 1, 0]
    assert rows["a"].elo == pytest.approx(rows["c"].elo)
    order = [row.agent for row in ratings.rows]
    assert ratings.games[order.index("a"), order.index("c")] == 0


def test_intervals_of_teams_cover_what_they_promise_and_the_stronger_are_found():
    random = np.random.default_rng(3)
    equals, runs = [0.0] * 6, 60
    hits = sum(
        covered(equals, rate(teamed(equals, 60, random), teams=(0, 1, 0, 1)), 0.95)
        for _ in range(runs)
    )
    assert 0.93 < hits / (6 * runs) <= 1
    elos = [80.0 * each for each in range(6)]
    found = rate(teamed(elos, 3000, random), teams=(0, 1, 0, 1))
    assert [row.agent for row in found.rows] == ["p5", "p4", "p3", "p2", "p1", "p0"]


def test_equal_returns_share_a_place():
    ratings = rate([Played(("a", "b", "c"), (0.5, 0.5, -1.0))] * 30)
    rows = by_name(ratings)
    assert rows["a"].elo == pytest.approx(rows["b"].elo)
    assert rows["a"].score == 0.75
    assert rows["a"].elo > rows["c"].elo


@pytest.mark.parametrize(("won", "drawn", "lost"), [(750, 0, 250), (500, 500, 0), (600, 300, 100)])
def test_three_quarters_are_191_elo_with_draws_or_without(won, drawn, lost):
    ratings = rate(games("a", "b", won, drawn, lost))
    assert [row.agent for row in ratings.rows] == ["a", "b"]
    assert 2 * ratings.rows[0].elo == pytest.approx(400 * log10(3), abs=0.1)


def test_the_interval_is_the_textbooks():
    """750 of 1000: give or take 1.96 * 400 / ln 10 / sqrt(1000 * 3 / 16)."""
    ratings = rate(games("a", "b", won=750, lost=250), anchor="b")
    low, high = ratings.rows[0].interval()
    assert (high - low) / 2 == pytest.approx(1.96 * ELO / np.sqrt(1000 * 3 / 16), rel=0.002)
    assert ratings.rows[1].interval() == (0.0, 0.0)
    # Half of them drawn: the standard deviation is sqrt(3 / 16 - 1 / 8), not sqrt(3 / 16).
    drawn = rate(games("a", "b", won=500, drawn=500), anchor="b").rows[0]
    assert drawn.deviation / ratings.rows[0].deviation == pytest.approx(np.sqrt(1 / 3), rel=0.01)


def test_perfect_scores_stay_finite_and_more_of_them_count_for_more():
    short, long = (rate(games("a", "b", won=count)).rows[0] for count in (5, 500))
    assert 100 < short.elo < long.elo < 1000
    assert short.interval()[0] < 0 < long.interval()[0]


def test_the_cross_table_adds_up_by_hand():
    results = games("a", "b", 3, 2, 1) + games("b", "a", 1, 0, 2) + games("c", "a", 0, 0, 4)
    ratings = rate(results)
    order = [row.agent for row in ratings.rows]
    assert order == ["a", "b", "c"]
    assert ratings.games.tolist() == [[0, 9, 4], [9, 0, 0], [4, 0, 0]]
    assert ratings.scores.tolist() == [[0, 6, 4], [3, 0, 0], [0, 0, 0]]
    assert [row.games for row in ratings.rows] == [13, 9, 4]
    assert ratings.rows[0].score == pytest.approx(10 / 13)


def test_superiority_is_likely_where_the_difference_is_sure():
    ratings = rate(games("a", "b", won=60, lost=40))
    assert ratings.superiority[0, 1] == pytest.approx(0.977, abs=0.003)  # 2 deviations
    assert ratings.superiority + ratings.superiority.T == pytest.approx(np.ones((2, 2)))
    assert rate(games("a", "b", won=50, lost=50)).superiority[0, 1] == 0.5


def test_an_anchor_moves_the_scale_and_no_difference():
    results = games("a", "b", 30, 0, 10) + games("b", "c", 30, 5, 10) + games("c", "a", 4, 1, 20)
    free, tied = by_name(rate(results)), by_name(rate(results, anchor="c"))
    assert tied["c"].elo == 0
    assert tied["a"].elo - tied["b"].elo == pytest.approx(free["a"].elo - free["b"].elo)
    assert sum(row.elo for row in free.values()) == pytest.approx(0)
    with pytest.raises(PlygroundError, match="did you mean 'mcts'"):
        rate(games("mcts", "greedy", 1), anchor="mtcs")


def test_the_first_seats_worth_is_found():
    elos = [0.0, 100.0, 200.0]
    results = simulated(elos, 4000, np.random.default_rng(1), draws=0.5, first_seat=80.0)
    ratings = rate(results, first_seat=True)
    assert ratings.first_seat == pytest.approx(80, abs=15)
    assert covered(elos, ratings, 0.99) == 3
    assert rate(results).first_seat == 0
    with pytest.raises(PlygroundError, match="first_seat: needs games of two players, not 3"):
        rate(ranked(elos, 5, 3, np.random.default_rng(1)), first_seat=True)


@pytest.mark.parametrize(
    "results",
    [
        [],
        [Played(("a",), (1.0,)), Played(("b",), (0.5,))],
        games("a", "a", 3),
        [*games("a", "b", 3), Played(("a", "b", "c"), (1, 0, -1))],
    ],
)
def test_games_that_cannot_be_rated_are_refused(results):
    with pytest.raises(PlygroundError, match="ratings need"):
        rate(results)


RESULT = some.tuples(
    some.sampled_from("abcd"), some.sampled_from("abcd"), some.sampled_from([-1.0, 0.0, 1.0])
)


@given(some.lists(some.tuples(RESULT, some.integers(1, 300)), min_size=1, max_size=8))
def test_any_games_give_finite_ratings_that_do_not_depend_on_their_order(drawn):
    results = [
        Played((one, two), (gained, -gained))
        for (one, two, gained), count in drawn
        for _ in range(count)
    ] + games("a", "b", 1)
    ratings, turned = rate(results), rate(results[::-1])
    assert all(np.isfinite([row.elo, row.deviation]).all() for row in ratings.rows)
    assert all(row.deviation > 0 for row in ratings.rows)
    other = by_name(turned)
    for row in ratings.rows:
        assert row.elo == pytest.approx(other[row.agent].elo, abs=1e-3)
    mirrored = by_name(rate([Played(each.agents[::-1], each.returns[::-1]) for each in results]))
    for row in ratings.rows:
        assert row.elo == pytest.approx(mirrored[row.agent].elo, abs=1e-3)


@pytest.mark.parametrize("first_seat", [False, True])
def test_equations_by_pairs_are_those_of_the_dense_matrix(first_seat):
    random = np.random.default_rng(6)
    agents = 12
    codes = np.unique(random.integers(0, agents**2, 60))  # some play against themselves
    games = random.integers(1, 30, len(codes)).astype(float)
    draws = np.floor(games * random.random(len(codes)) / 2)
    points = np.floor((games - draws) * random.random(len(codes))) + draws / 2
    pairs = Pairs(*np.divmod(codes, agents), games, points, draws)
    for weight in (1.0, 0.6):
        estimate, covariance, equals = fit(pairs, agents, weight, first_seat)
        wanted = dense_fit(pairs, agents, weight, first_seat)
        np.testing.assert_allclose(estimate, wanted[0], atol=1e-6)
        np.testing.assert_allclose(covariance, wanted[1], rtol=1e-8, atol=1e-6)
        assert equals == wanted[2]
    stronger = superiority(estimate[:agents], covariance[:agents, :agents])
    assert stronger + stronger.T == pytest.approx(np.ones((agents, agents)))


def test_graded_results_count_by_their_size():
    """A wins 6 of 10 by a little, B 4 by much; equal sums of scores are equal ratings."""
    behind = [Played(("a", "b"), (0.1, -0.1))] * 6 + [Played(("a", "b"), (-0.6, 0.6))] * 4
    ratings = rate(behind)
    assert [row.agent for row in ratings.rows] == ["b", "a"]
    assert [row.score for row in ratings.rows] == pytest.approx([0.59, 0.41])
    assert ratings.graded
    level = rate([Played(("a", "b"), (0.1, -0.1))] * 6 + [Played(("b", "a"), (0.3, -0.3))] * 2)
    assert level.rows[0].elo == pytest.approx(level.rows[1].elo, abs=1e-6)
    drawn, decided = rate(games("a", "b", 5, 10, 5)), rate(games("a", "b", 10, 0, 10))
    halves = rate([Played(("a", "b"), (0.5, -0.5)), Played(("a", "b"), (-0.5, 0.5))] * 10)
    # The score of halves varies as that of games of which three quarters are drawn.
    assert halves.draws == pytest.approx(0.75, abs=0.02)
    assert halves.rows[0].deviation < drawn.rows[0].deviation < decided.rows[0].deviation
    with pytest.raises(PlygroundError, match="returns from -1 to 1"):
        rate([Played(("a", "b"), (1.5, -1.5))])


class InRun(NamedTuple):
    agents: tuple[str, ...]
    returns: tuple[float, ...]
    identities: tuple[str, ...]
    names: tuple[str, ...]
    run: int


def in_run(run, *names, won=1.0, program="bot@3f2a"):
    """Return a game of these names; all but "random" run one program."""
    specs = tuple(name if name == "random" else f"/home/{name}/bot" for name in names)
    identities = tuple(name if name == "random" else program for name in names)
    return InRun(specs, (won, -won), identities, names, run)


def test_two_entrants_of_one_program_stay_two():
    one = [in_run(1, "alice", "random"), in_run(1, "random", "bob"), in_run(1, "alice", "bob")]
    ratings = rate(one * 4)
    assert sorted(row.agent for row in ratings.rows) == ["alice", "bob", "random"]
    assert {row.agent: row.games for row in ratings.rows} == dict.fromkeys(("alice", "bob"), 8) | {
        "random": 8
    }
    assert ratings.copies() == [["alice", "bob"]]
    assert by_name(ratings)["alice"].score == 1
    assert by_name(ratings)["bob"].score == 0
    # In other runs the names go on; a new name there is a third player of the program.
    more = by_name(rate([*one, in_run(2, "alice", "random"), in_run(3, "carl", "random")]))
    assert {name: row.games for name, row in more.items()} == {
        "alice": 3, "bob": 2, "carl": 1, "random": 4,
    }  # fmt: skip
    with pytest.raises(PlygroundError, match="several agents are called 'bot@3f2a': "):
        rate(one, anchor="bot@3f2a")
    assert by_name(rate(one, anchor="bob"))["bob"].elo == 0


def test_a_program_that_was_renamed_stays_one():
    renamed = by_name(rate([in_run(1, "alice", "random"), in_run(2, "bob", "random")]))
    assert {name: row.games for name, row in renamed.items()} == {"bob": 2, "random": 2}
    last = rate([in_run(1, "alice", "random"), in_run(2, "bob", "random")], anchor="alice")
    assert by_name(last)["bob"].elo == 0


def test_records_are_results(connect_four):
    players = [load_agent("greedy"), load_agent("random")]
    ratings = rate(play_match(connect_four, players, 12, seed=1))
    assert [row.agent for row in ratings.rows] == ["greedy", "random"]
    output = json.loads(json.dumps(ratings.to_json()))
    assert output["agents"][0]["interval99"][0] < output["agents"][0]["elo"]
