"""A run gets further or other agents: only the games that it lacks are played."""

import csv
import sys
from pathlib import Path

import pytest

from plyground import Tournament
from plyground.arena.resume import extend, find_run
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament

BOT = (Path(__file__).parent.parent / "examples" / "bots" / "random_bot.py").read_text()
GAME = "connect_n(width=3, height=3, n=3)"
A, B, C = "a=random", "b=greedy", "c=mcts(simulations=5)"


@pytest.fixture
def compete(run, tmp_path):
    """Return a function that plays a tournament and returns the code, the errors, and the games."""
    store = str(tmp_path / "games.sqlite")

    def play(*words):
        command = ("tournament", GAME, "--games", "2", "--workers", "1", "--store", store)
        code, _, err = run(*command, *words)
        with Store(store) as opened:
            (stored,) = opened.runs()
            assert stored.kept == stored.total or code
            return code, err, {each.number: each for each in opened.records(stored.id)}

    return play


def essence(records):
    return {(each.entrants, each.seed, each.number, each.actions, each.returns) for each in records}


@pytest.mark.parametrize("style", ["round_robin", "gauntlet"])
def test_a_further_agent_plays_only_its_own_games(compete, tmp_path, style):
    more, sheet = ("--format", style), tmp_path / "all.csv"
    _, _, before = compete(A, B, *more)
    added = (*more, "--resume", "--add", C, "--report", str(sheet))
    code, err, after = compete(B, A, *added)  # the run's order of agents counts
    total = 6 if style == "round_robin" else 4
    assert (code, err.splitlines()[0]) == (0, f"run 1 has 3 agents and 2 of {total} games")
    assert len(after) == total
    assert {number: after[number] for number in before} == before
    plan = Tournament(GAME, (A, B, C), games=2, format=style, opening_rule="even")
    assert essence(after.values()) == essence(play_tournament(plan))
    games = {row["bot"]: int(row["games"]) for row in csv.DictReader(sheet.open())}
    assert games == {"a": 4, "b": total - 2, "c": total - 2}
    code, err, again = compete(A, B, *added)
    assert (code, err.splitlines()[0]) == (0, f"run 1 has 3 agents and {total} of {total} games")
    assert again == after
    code, err, again = compete(C, B, A, *more, "--resume")
    assert (code, err, again) == (0, "", after)


def test_an_agent_that_is_replaced_plays_its_games_again(compete):
    _, _, before = compete(A, B, C)
    code, err, after = compete(A, B, "--resume", "--add", "c=mcts(simulations=6)")
    assert code == 0
    assert err == (
        "run 1: c changed since its games; games played again: 4 of 6\n"
        "run 1 has 3 agents and 2 of 6 games\n"
    )
    for number, record in after.items():
        assert (record == before[number]) == (2 not in record.entrants)
    times = ("--seconds-of", "b=9")
    code, err, timed = compete(A, "c=mcts(simulations=6)", "--resume", "--add", B, *times)
    assert "run 1: b changed since its games; games played again: 4 of 6" in err
    for number, record in timed.items():
        assert (record == after[number]) == (1 not in record.entrants)


def test_the_same_program_at_another_path_keeps_its_games(compete, tmp_path):
    for folder in ("monday", "friday"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.py").write_text(BOT)
    monday, friday = (
        f"bot=remote(command='{sys.executable} {tmp_path}/{folder}/bot.py')"
        for folder in ("monday", "friday")
    )
    _, _, before = compete(A, monday)
    code, err, after = compete(A, "--resume", "--add", friday)
    assert (code, err) == (0, "run 1 has 2 agents and 2 of 2 games\n")
    assert [each.actions for each in after.values()] == [each.actions for each in before.values()]
    assert {agent for each in after.values() for agent in each.agents} == {
        "random", friday.removeprefix("bot="),
    }  # fmt: skip
    assert {each.identities for each in after.values()} == {
        each.identities for each in before.values()
    }


def test_bots_that_are_put_into_a_folder_are_added(compete, tmp_path):
    folder = tmp_path / "students"
    folder.mkdir()
    source = "def agent(observation, configuration):\n    return observation.board.index(0)\n"
    for name in ("bea", "ada"):
        (folder / f"{name}.py").write_text(source)
    interface = ("--interface", "kaggle_connectx", "--opening", "0", "--games", "1")
    _, _, before = compete(str(folder), A, *interface)
    (folder / "aaron.py").write_text(source)
    code, err, after = compete(A, *interface, "--resume", "--add", str(folder))
    assert (code, err) == (0, "run 1 has 4 agents and 3 of 6 games\n")
    assert {number: after[number] for number in before} == before
    names = {each.names[each.entrants.index(3)] for each in after.values() if 3 in each.entrants}
    assert names == {"aaron"}


def test_a_kill_after_a_run_was_extended_costs_nothing(tmp_path):
    small = Tournament(GAME, (A, B), games=2)
    large = Tournament(GAME, (C, A, B), games=2)
    with Store(str(tmp_path / "games.sqlite")) as store:
        run = store.begin(small)
        before = list(play_tournament(small, None, store, run))
        for kept in (2, 4):
            found, plan = find_run(store, large, ["c"])
            extend(store, found, plan)
            assert plan.labels == ("a", "b", "c")
            assert list(store.records(run))[:2] == before
            assert [(each.kept, each.total) for each in store.runs(plan)] == [(kept, 6)]
            store.add(run, [each for each in play_tournament(plan) if each.number in (3, 4)])
        assert len(list(play_tournament(plan, None, store, run))) == 6


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((A, B, "--add", C), "--add needs --resume"),
        ((A, B, "--format", "swiss", "--resume", "--add", C), "pairings of the format swiss"),
        ((A, C, "--format", "swiss", "--resume", "--add", B, "--seed", "1"), "has no run of this"),
        ((A, "rule", "--format", "swiss", "--resume"), "--add names agents that a run lacks"),
        (("random", "random", "--resume", "--add", C), "--add needs agents of different names"),
        ((A, B, "--resume", "--store", "none"), "nothing was kept, as the store is 'none'"),
    ],
)
def test_what_cannot_be_extended_is_said_in_one_line(compete, words, complaint):
    _, _, before = compete(A, B, "--format", "swiss")
    code, err, after = compete(*words)
    assert (code, err.count("\n")) == (2, 1)
    assert complaint in err
    assert after == before
