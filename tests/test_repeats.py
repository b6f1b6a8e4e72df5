"""Games that must repeat others count once, which is reported; all others count."""

import json
from dataclasses import replace
from random import Random

import pytest

from plyground import Limit, Tournament, load_game
from plyground.agents import AGENTS
from plyground.arena.repeats import Repeats
from plyground.arena.sprt import USED_UP, Sprt, run_trial
from plyground.arena.store import Store
from plyground.arena.tournament import Standings, play_tournament

DEEP = ("alphabeta(depth=2)", "alphabeta(depth=3)")
TOLD = "8 games repeat others (equal starts, deterministic agents) and are not counted"
SMALL = "connect_n(width=3, height=3, n=3)"


def counted(plan):
    table = Standings(plan.agents, plan)
    for record in play_tournament(plan):
        table.add(record)
    return table.table[0].games, table.repeats


def test_deterministic_agents_count_once_from_a_start():
    assert counted(Tournament("connect_n", DEEP, games=10, opening=0)) == (2, 8)
    assert counted(Tournament("connect_n", DEEP, games=10, opening=8)) == (10, 0)
    itself = Tournament("connect_n", DEEP[:1] * 2, games=10, opening=0)
    assert counted(itself) == (2, 8)  # once in each seat


@pytest.mark.parametrize(
    ("game", "agents", "more"),
    [
        (SMALL, ("random", "alphabeta"), {}),
        (SMALL, ("mcts(simulations=200)", "mcts(simulations=200)"), {}),
        (SMALL, ("alphabeta", "maxn"), {"seconds": 60.0, "depth": 2}),
        (SMALL, ("alphabeta", "maxn"), {"bank": 60.0, "depth": 2}),
        ("tron(simultaneous=True, starts=map, map=center_block)", DEEP, {}),
    ],
)
def test_games_with_chance_a_clock_or_hidden_information_always_count(game, agents, more):
    plan = Tournament(game, agents, games=8, opening=0, **more)
    records = list(play_tournament(plan))
    games = {(record.entrants, record.start, record.actions) for record in records}
    assert len(games) < len(records)  # some are equal
    assert counted(plan) == (8, 0)


def test_an_agent_in_a_file_has_chance_and_is_not_loaded(tmp_path):
    (record,) = play_tournament(Tournament(SMALL, ("alphabeta", "maxn"), games=1))
    path = tmp_path / "agent.py"
    path.write_text(f"open({str(tmp_path / 'loaded')!r}, 'w')")
    repeats = Repeats(load_game(SMALL).facts)
    foreign = replace(record, agents=("alphabeta", f"{path}(depth=2)"))
    for each in (foreign, replace(record, agents=("alphabeta", "no such agent"))):
        assert repeats.is_new(each, {})
        assert repeats.is_new(each, {})
    assert not (tmp_path / "loaded").exists()


def test_agents_that_say_they_are_deterministic_make_no_use_of_the_seed():
    names = {name for name in AGENTS.inside if AGENTS.find(name).deterministic}
    assert names == {"alphabeta", "maxn", "network", "perfect", "shortest"}
    for name in names:
        solves = name in ("network", "perfect", "shortest")
        start = load_game("robots" if solves else "sheep(players=2)").start(3)
        limit = Limit(depth=None if solves else 2)
        assert len({AGENTS.load(name).think(start, limit, seed).action for seed in range(4)}) == 1


def test_a_match_reports_the_number_of_repeats(run, tmp_path):
    command = ("match", "connect_n", *DEEP, "--games", "10", "--opening", "0", "--workers", "1")
    page = tmp_path / "page.html"
    _, out, _ = run(*command, "--store", "none", "--report", str(page))
    assert f"{TOLD}; --opening of more than 0 plies gives more starts" in " ".join(out.split())
    assert TOLD in page.read_text()
    output = json.loads(run(*command, "--store", "none", "--json")[1])
    assert output["repeats"] == 8
    assert [row["wins"] + row["draws"] + row["losses"] for row in output["standings"]] == [2, 2]
    assert len(output["games"]) == 10


def test_ratings_count_a_plan_that_was_played_twice_once(run, tmp_path):
    store = str(tmp_path / "games.sqlite")
    agents = ("random", "greedy", "mcts(simulations=20)")
    plans = [Tournament("connect_n", agents, seed=seed) for seed in (1, 1, 2)]
    plans.append(Tournament("connect_n", DEEP, games=6, opening=0))
    with Store(store) as opened:
        for plan in plans:
            for _ in play_tournament(plan, store=opened, run=opened.begin(plan)):
                pass
    (output,) = json.loads(run("ratings", "connect_n", "--store", store, "--json")[1])
    assert output["repeats"] == 30 + 4
    games = {row["agent"]: row["games"] for row in output["agents"]}
    assert games == dict.fromkeys(agents, 40) | dict.fromkeys(DEEP, 2)
    _, out, _ = run("ratings", "connect_n", "--store", store)
    assert "34 games repeat others (equal starts, deterministic agents or equal seeds)" in out


class Played:
    """Record of a game; both games of a pair have the same start."""

    def __init__(self, number, start, won):
        self.number, self.start = number, start
        self.entrants = (number % 2, 1 - number % 2)
        self.returns = (1.0, -1.0) if won == (self.entrants[0] == 0) else (-1.0, 1.0)


def trial_of(games):
    seen = set()

    def is_new(game):
        known = (game.start, game.entrants) in seen
        seen.add((game.start, game.entrants))
        return not known

    *_, last = run_trial(Sprt(0, 10), games, is_new)
    return last


def test_a_repeated_pair_does_not_count_in_a_sequential_test():
    games = [Played(number, number // 2 % 3, won=True) for number in range(20)]
    trial = trial_of(games)
    assert (trial.pairs, trial.repeats) == (3, 14)
    assert trial.to_json()["repeats"] == 14
    assert trial.to_json()["games"] == 6
    Random(1).shuffle(games)
    assert trial_of(games) == trial


def test_a_sequential_test_ends_when_its_starts_are_used_up():
    games = (Played(number, number // 2 % 3, won=True) for number in range(10**9))
    trial = trial_of(games)
    assert (trial.pairs, trial.repeats, trial.verdict) == (3, 2 * USED_UP, None)


def test_few_starts_lead_to_no_verdict(run):
    """If repeats counted, four starts would lead to a verdict."""
    _, out, err = run(
        "sprt", "connect_n", *DEEP, "--opening", "1", "--elo1", "200", "--workers", "1",
        "--store", "none",
    )  # fmt: skip
    assert "not decided" in out
    assert "games repeat others (equal starts, deterministic agents) and are not counted" in err
    assert "--opening of more than 1 ply" in err
