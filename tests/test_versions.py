"""A run counts games of one version: changed agents play theirs again, changed rules end it."""

import json
import sqlite3
import sys
from pathlib import Path

import pytest

from plyground import PlygroundError, Tournament
from plyground.arena.plan import digest
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament

BOT = (Path(__file__).parent.parent / "examples" / "bots" / "random_bot.py").read_text()
FIRST = BOT.replace('random.choice(message["legal"])', 'message["legal"][0]')
GAME = "connect_n(width=3, height=3, n=3)"
MAP = "#####\n#1  #\n#   #\n#  2#\n#####\n"


@pytest.fixture
def bot(tmp_path):
    path = tmp_path / "bots" / "bot.py"
    path.parent.mkdir()
    path.write_text(BOT)
    return path


def agent(path):
    return f"alice=remote(command='{sys.executable} {path}')"


def records_of(store, run=1):
    with Store(str(store)) as opened:
        return {each.number: each for each in opened.records(run)}


def versions_of(records):
    """Return the identities of alice, entrant 0, in games."""
    return {
        record.identities[record.entrants.index(0)] for record in records if 0 in record.entrants
    }


def test_a_changed_agent_plays_its_games_again(bot, tmp_path, run):
    store = tmp_path / "games.sqlite"
    plan = ("tournament", GAME, agent(bot), "random", "greedy", "--games", "2")
    command = (*plan, "--workers", "1", "--store", str(store), "--json")
    assert run(*command)[0] == 0
    before = records_of(store)
    code, out, err = run(*command, "--resume")
    assert (code, err, records_of(store)) == (0, "", before)
    bot.write_text(FIRST)
    code, out, err = run(*command, "--resume")
    assert code == 0
    assert err == "run 1: alice changed since its games; games played again: 4 of 6\n"
    after = records_of(store)
    assert len(after) == len(json.loads(out)["games"]) == 6
    kept = {number for number in after if 0 not in after[number].entrants}
    assert len(kept) == 2
    assert {number: after[number] for number in kept} == {each: before[each] for each in kept}
    assert not versions_of(after.values()) & versions_of(before.values())
    again = run(*command, "--resume")
    assert json.loads(again[1])["games"] == json.loads(out)["games"]
    assert again[2] == ""


def test_an_agent_that_is_edited_while_it_plays_ends_the_run(bot, tmp_path):
    plan = Tournament(GAME, (agent(bot), "random"), games=8)
    warnings = []
    with Store(str(tmp_path / "games.sqlite"), warn=warnings.append) as store:
        run = store.begin(plan)
        games = play_tournament(plan, None, store, run)
        next(games)
        bot.write_text(FIRST)
        with pytest.raises(PlygroundError, match="alice was edited while games were played"):
            list(games)
        before = list(store.records(run))
        assert len(versions_of(before)) == 1
        for number, _ in enumerate(play_tournament(plan, None, store, run)):
            stored = list(store.records(run))  # those that a kill at this moment would leave
            assert number < len(stored) < 8
            assert len(versions_of(stored) | versions_of(before)) == 2
            if number == 1:
                break
        assert len(list(play_tournament(plan, None, store, run))) == 8
        assert len(versions_of(store.records(run))) == 1
    again = f"games played again: {len(before)} of {len(before)}"
    assert warnings == [f"run 1: alice changed since its games; {again}"]


def test_a_changed_agent_of_a_swiss_tournament_changes_later_pairings(bot, tmp_path):
    agents = (agent(bot), "b=random", "c=random", "d=random")
    plan = Tournament(GAME, agents, games=2, format="swiss", rounds=3)
    warnings = []
    with Store(str(tmp_path / "games.sqlite"), warn=warnings.append) as store:
        run = store.begin(plan)
        before = list(play_tournament(plan, None, store, run))
        bot.write_text("raise SystemExit\n")
        after = list(play_tournament(plan, None, store, run))
        assert sorted(each.number for each in after) == list(range(plan.total))
        assert list(store.records(run)) == sorted(after, key=lambda each: each.number)
    fresh = {each.number: essence(each) for each in play_tournament(plan)}
    assert {each.number: essence(each) for each in after} == fresh
    assert before[-1].entrants != fresh[before[-1].number][0]
    assert warnings[0] == "run 1: alice changed since its games; games played again: 6 of 12"
    assert any("the pairings of round" in warning for warning in warnings[1:])


def essence(record):
    return record.entrants, record.seed, record.actions, record.returns, record.reason


def test_a_run_of_other_rules_is_not_resumed(tmp_path, run):
    room, store = tmp_path / "room.txt", tmp_path / "games.sqlite"
    room.write_text(MAP)
    plan = ("match", f"tron(map='{room}')", "random", "random", "--games", "2")
    command = (*plan, "--opening", "0", "--workers", "1", "--store", str(store))
    assert run(*command)[0] == 0
    before = records_of(store)
    room.write_text(MAP.replace("#   #", "# # #"))
    code, _, err = run(*command, "--resume")
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("error: run 1: the game has changed since (tron(map='room.txt@")
    assert err.endswith("; without --resume a new run begins\n")
    assert records_of(store) == before
    room.write_text(MAP)
    with sqlite3.connect(store) as connection:
        version = 'UPDATE games SET record = replace(record, \'"version":"\', ?)'
        connection.execute(version, ('"version":"0.0.',))
    code, _, err = run(*command, "--resume")
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("error: run 1: Plyground has changed since (0.0.0")


def test_a_changed_agent_begins_its_sequential_test_again(bot, tmp_path, run):
    store = tmp_path / "games.sqlite"
    command = ("sprt", GAME, agent(bot), "random", "--max-games", "4", "--opening", "0")
    command = (*command, "--workers", "1", "--store", str(store))
    assert run(*command)[0] == 0
    before = records_of(store)
    bot.write_text(FIRST)
    code, _, err = run(*command, "--resume")
    assert code == 0
    assert f"alice changed since its games; games played again: {len(before)} of" in err
    after = records_of(store)
    assert len(versions_of(after.values()) | versions_of(before.values())) == 2


def test_a_plan_is_known_by_its_agents_limits_not_by_their_names():
    slow = ("a=random", "b=greedy")
    plan = Tournament("connect_n", slow, seconds_of=("b=3",))
    renamed = Tournament("connect_n", ("x=random", "y=greedy"), seconds_of=("y=3",))
    by_spec = Tournament("connect_n", slow, seconds_of=("greedy=3",))
    other = Tournament("connect_n", ("b=random", "a=greedy"), seconds_of=("b=3",))
    assert plan.digest == renamed.digest == by_spec.digest == digest(plan.changed())
    assert plan.digest != other.digest
    assert plan.digest != Tournament("connect_n", slow).digest
