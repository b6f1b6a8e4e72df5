"""The store: games are stored once and read back whole; foreign files are not touched."""

import json
import signal
import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from plyground import Tournament, load_game, play_game
from plyground.arena import store as storing
from plyground.arena.record import Record, positions
from plyground.arena.store import Store
from plyground.arena.summary import Summary
from plyground.arena.tournament import play_tournament
from plyground.errors import StoreError, TextError


@pytest.fixture
def plan():
    agents = ("random", "greedy", "mcts(simulations=5)")
    return Tournament(game="connect_n", agents=agents, games=2)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "games.sqlite"


def test_games_are_kept_whole_and_replay(location, plan):
    with Store(location) as store:
        run = store.begin(plan)
        records = list(play_tournament(plan, store=store, run=run))
    with Store(location) as store:
        kept = list(store.records(run))
        assert kept == records
        assert [store.runs()[0].kept, store.runs()[0].total] == [6, 6]
        assert Tournament.make(store.runs()[0].tournament) == plan
        assert store.record(run, 3) == records[3]
        assert store.record(run, 9) is None
    for record in kept:
        last = positions(load_game(record.game), record)[-1]
        assert last.is_over
        assert last.returns == record.returns


@pytest.mark.parametrize(
    "wrong",
    [
        {"seconds": (-7.8e-05, 0.0)},
        {"seconds": (float("nan"), 0.0)},
        {"values": (np.float32(0.5), None)},
        {"values": (float("inf"), None)},
        {"actions": (np.int64(3), 3)},
        {"returns": (0.5, 0.5, 0.0)},
        {"policies": (((np.int64(3), 1.0),), ())},
        {"players": (0, 2)},
        {"seed": 2**63},
        {"fault": 2},
    ],
    ids=str,
)
def test_a_record_that_could_not_be_read_back_is_not_made(wrong):
    whole = play_game("connect_n", ["random", "random"], max_plies=2)
    with pytest.raises(TextError, match="the record"):
        replace(whole, **wrong)
    assert Record.from_json(json.loads(json.dumps(whole.to_json()))) == whole


def test_a_game_is_kept_once(location, plan):
    records = list(play_tournament(plan))
    with Store(location) as store:
        run = store.begin(plan)
        store.add(run, records[:4])
        store.add(run, records)
        store.add(run, [])
        assert list(store.records(run)) == records
        again = list(play_tournament(plan, store=store, run=run))
        assert again == records
        assert store.runs()[0].kept == 6


def test_a_run_goes_on_where_it_was_broken_off(location, plan):
    whole = list(play_tournament(plan))
    with Store(location) as store:
        run = store.begin(plan)
        for record in play_tournament(plan, store=store, run=run):
            if record.number == 2:
                break
        assert store.runs()[0].kept >= 3
        again = list(play_tournament(plan, store=store, run=run))
        assert [each.actions for each in again] == [each.actions for each in whole]
        assert store.runs()[0].kept == 6


def test_runs_are_told_apart(location, plan):
    other = Tournament(game="connect_n", agents=("random", "random"))
    with Store(location) as store:
        assert [store.begin(plan), store.begin(other), store.begin(plan)] == [1, 2, 3]
        assert [run.id for run in store.runs(plan)] == [1, 3]
        assert [run.id for run in store.runs()] == [1, 2, 3]
        with pytest.raises(StoreError, match="has no run 4"):
            store.run(4)


def rows(store, statement):
    with store._database.transaction() as database:
        return database.run(statement)


# Foreign files, and files of other versions ------------------------------------------------------


def refused(path, output):
    before = path.read_bytes()
    with pytest.raises(StoreError, match=output):
        Store(str(path))
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_foreign_files_are_refused_and_not_changed(tmp_path, plan):
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)
    refused(path, "is not a store of games: file is not a database")
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE accounts (name TEXT)")
    connection.close()
    refused(path, "is a database, but not a store of games")


def test_a_damaged_file_is_refused(tmp_path, plan):
    path = tmp_path / "games.sqlite"
    with Store(str(path)) as store:
        store.begin(plan)
    whole = path.read_bytes()
    path.write_bytes(b"SQLite format 4" + whole[15:])
    refused(path, "file is not a database")


def test_a_newer_store_is_refused_and_an_older_one_migrated(location, plan, monkeypatch):
    with Store(location) as store:
        run = store.begin(plan)
        records = list(play_tournament(plan, store=store, run=run))
    newest = storing.SCHEMA
    tomorrow = {newest: ["ALTER TABLE runs ADD COLUMN note TEXT", "UPDATE runs SET note = 'old'"]}
    with monkeypatch.context() as patch:
        patch.setattr(storing, "SCHEMA", newest + 1)
        patch.setattr(
            storing, "MIGRATIONS", {newest: ["ALTER TABLE runs ADD COLUMN note TEXT", "no"]}
        )
        with pytest.raises(StoreError, match="syntax error"):  # nothing of it stays
            Store(location)
        patch.setattr(storing, "MIGRATIONS", tomorrow)
        with Store(location) as store:
            assert list(store.records(run)) == records
            assert rows(store, "SELECT note FROM runs") == [("old",)]
    with pytest.raises(StoreError, match=rf"version {newest + 1}, this one knows {newest}\)"):
        Store(location)


@pytest.mark.parametrize(
    ("wrong", "output"),
    [
        ("mysql://somewhere/x", "a store must be a file, or postgresql://"),
        ("postgresql://127.0.0.1:1/x", "refused"),
        ("/proc/nowhere/games.sqlite", "No such file or directory"),
        ("/", "unable to open database file"),
    ],
)
def test_a_wrong_location_is_one_clear_line(wrong, output):
    with pytest.raises(StoreError, match=output) as caught:
        Store(wrong)
    assert "\n" not in str(caught.value)


def test_a_full_disk_loses_nothing_that_was_kept(path, plan):
    records = list(play_tournament(plan))
    with Store(str(path)) as store:
        run = store.begin(plan)
        store.add(run, records[:2])
        ((pages,),) = rows(store, "PRAGMA page_count")
        rows(store, f"PRAGMA max_page_count={pages}")
        big = list(play_tournament(Tournament(**plan.changed() | {"games": 200, "seed": 1})))
        with pytest.raises(StoreError, match="database or disk is full"):
            store.add(run, big)
        assert list(store.records(run)) == records[:2]
    with Store(str(path)) as store:
        assert list(play_tournament(plan, store=store, run=run))[:2] == records[:2]
        assert store.runs()[0].kept == 6


@pytest.mark.parametrize("moment", ["begin", "commit"])
def test_ctrl_c_waits_for_the_end_of_a_transaction(location, plan, moment, monkeypatch):
    first, *others = play_tournament(plan)
    with Store(location) as store:
        run = store.begin(plan)
        step = getattr(store._database, moment)

        def pressed():
            signal.raise_signal(signal.SIGINT)
            step()

        with monkeypatch.context() as patch:
            patch.setattr(store._database, moment, pressed)
            with pytest.raises(KeyboardInterrupt):
                store.add(run, [first])
        assert list(store.records(run)) == [first]
        store.add(run, others)
        assert len(list(store.records(run))) == plan.total


# Summaries --------------------------------------------------------------------------------------


def test_a_summary_is_what_ratings_need_of_a_record(location, plan):
    named = Tournament.make(plan.changed() | {"names": ("one", "two", "three")})
    with Store(location, warn=pytest.fail) as store:
        for tournament in (plan, named):
            run = store.begin(tournament)
            played = list(play_tournament(tournament, store=store, run=run))
            odd = replace(played[0], number=5, identities=("a@12", "b"), returns=(0.25, -0.25))
            store.remove(run)
            run = store.begin(tournament)
            store.add(run, [*played[:5], odd])
            assert list(store.summaries(run)) == [Summary.of(each) for each in store.records(run)]


@pytest.mark.parametrize(
    "wrong",
    [
        "'{'",
        "'[1]'",
        """replace(record, '"agents":', '"agent":')""",
        """replace(record, '"agents":[', '"agents":[5,')""",
        """replace(record, '"agents":[', '"agents":["a",')""",
        """replace(record, '"returns":[', '"returns":["a",')""",
        """replace(record, '"returns":[', '"returns":[1e999,')""",
        """replace(record, '"returns":[', '"returns":[0.0,')""",
        """replace(replace(record, '[1.0,-1.0]', '[7.0,-7.0]'), '[-1.0,1.0]', '[-7.0,7.0]')""",
        """replace(record, '"seed":', '"seed":"x","x":')""",
        """replace(record, '"number":', '"number":9,"x":')""",
        """replace(record, '"entrants":[', '"entrants":["a",')""",
    ],
)
def test_an_unreadable_summary_is_named_and_left_out(location, plan, wrong):
    warnings = []
    with Store(location, warn=warnings.append) as store:
        run = store.begin(plan)
        store.add(run, play_tournament(plan))
        rows(store, f"UPDATE games SET record = {wrong} WHERE number = 3")
        for _ in range(2):  # it is named once
            assert [each.number for each in store.summaries(run)] == [0, 1, 2, 4, 5]
    assert len(warnings) == 1
    assert warnings[0].startswith("game 4 of run 1 is left out, it cannot be read: ")
