"""What earlier versions wrote is read: see data/stored/README.md."""

import json
import re
import shutil
from pathlib import Path

import pytest

from plyground.arena.plan import load_tournament
from plyground.arena.record import Record, positions, read_text, write_text
from plyground.arena.store import Store
from plyground.games import load_game

STORED = Path(__file__).parent / "data" / "stored"
EXPORTED = [json.loads(line) for line in (STORED / "records.jsonl").read_text().splitlines()]
RUNS = {1: 4, 2: 4, 3: 4, 4: 2, 5: 8}
"""How many games each run has when it is finished."""


def exported(run):
    """Return the records of a run as they were exported, by number."""
    first = sum(count for number, count in RUNS.items() if number < run)
    lines = EXPORTED[first : first + RUNS[run]]
    return {line["record"]["number"]: Record.from_json(line["record"]) for line in lines}


def essence(record):
    """Return what a seed determines of a game: everything but the times and the version."""
    return record.actions, record.values, record.returns, record.ending, record.entrants


@pytest.fixture
def store(tmp_path):
    return shutil.copy(STORED / "games.sqlite", tmp_path)


@pytest.mark.parametrize("line", EXPORTED, ids=lambda line: line["record"]["game"])
def test_a_record_is_read_and_replays(line):
    record = Record.from_json(line["record"])
    last = positions(load_game(record.game), record)[-1]
    assert last.is_over == (record.ending == "finished")
    if last.is_over:
        assert last.returns == pytest.approx(record.returns)
    kept = {name: value for name, value in line["record"].items() if value or name != "faults"}
    assert json.loads(json.dumps(record.to_json())) == kept
    assert read_text(write_text(record)) == record


def test_a_store_of_an_earlier_version_is_read(store):
    with Store(str(store)) as kept:
        assert [(run.id, run.kept, run.total) for run in kept.runs()] == [
            (1, 4, 4), (2, 4, 4), (3, 4, 4), (4, 2, 2), (5, 5, 8),
        ]  # fmt: skip
        for run in RUNS:
            whole = exported(run)
            for record in kept.records(run):
                assert record == whole[record.number]


def test_an_unfinished_run_goes_on_and_ends_as_it_would_have(store, run):
    plan = str(STORED / "league.toml")
    code, _, _ = run("tournament", plan, "--store", str(store), "--workers", "1", "--resume")
    assert code == 0
    with Store(str(store)) as kept:
        assert [each.kept for each in kept.runs()] == [4, 4, 4, 2, 8]
        found = {record.number: essence(record) for record in kept.records(5)}
    assert found == {number: essence(record) for number, record in exported(5).items()}


def test_a_plan_is_read():
    plan = load_tournament(STORED / "league.toml")
    assert (plan.game, plan.format, plan.total) == (
        "sheep(size=8, cells=32, sheep=8)", "tables", 8,
    )  # fmt: skip
    assert len(plan.agents) == 5


def test_an_export_is_imported(tmp_path, run):
    store = str(tmp_path / "new.sqlite")
    code, out, _ = run("runs", "import", str(STORED / "records.jsonl"), "--store", store, "--json")
    assert (code, json.loads(out)["games"]) == (0, len(EXPORTED))
    code, out, _ = run("ratings", "--store", store, "--json")
    assert code == 0


def test_games_as_text_are_read():
    text = (STORED / "games.txt").read_text()
    records = [read_text(f"[Game {part}") for part in text.split("[Game ")[1:]]
    assert records == list(exported(1).values())


def test_a_replay_page_holds_the_game_that_it_shows():
    """A page works without Plyground; its moves are those of the record."""
    page = (STORED / "replay.html").read_text()
    data = json.loads(re.search(r"^const data = (\{.*\});$", page, re.M)[1])
    (record,) = [
        each
        for each in exported(1).values()
        if [move["text"] for move in data["moves"]]
        == [at.format(action) for at, action in positions_and_actions(each)]
    ]
    assert data["ending"] == record.outcome
    assert list(record.agents) == data["agents"]
    assert len(data["frames"]) == len(record.actions) + 1


def positions_and_actions(record):
    return zip(positions(load_game(record.game), record), record.actions, strict=False)
