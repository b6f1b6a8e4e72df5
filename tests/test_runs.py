"""Stored games by run and number, and reports of runs that end early."""

import csv
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from plyground.arena.store import Store
from plyground.export import standings

FAILING = Path(__file__).parent / "games" / "failing_rules.py"
MATCH = ("match", "connect_n", "random", "greedy", "--games", "4", "--workers", "1")

CLUMSY = """\
from plyground import Agent, Thought


class Clumsy(Agent):
    name = "clumsy"

    def choose(self, position, limit, seed):
        if position.ply > 4:
            {fault}
        return Thought(position.legal_actions[0])
"""


@pytest.fixture
def store(run, tmp_path):
    name = str(tmp_path / "games.sqlite")
    for seed in ("1", "2"):
        assert run(*MATCH, "--seed", seed, "--store", name)[0] == 0
    return name


def test_people_count_games_from_1_and_data_from_0(run, store, tmp_path):
    lines = run("runs", "show", "1", "--store", store)[1].splitlines()
    numbers = [line.split("│")[1].strip() for line in lines if line.startswith("│")]
    assert numbers == ["1", "2", "3", "4"]
    for number in range(1, 5):
        show = ("runs", "show", "1", str(number), "--store", store)
        assert json.loads(run(*show, "--json")[1])["number"] == number - 1
        assert f'[GameNumber "{number}"]' in run(*show)[1]
    output = json.loads(run("runs", "show", "1", "--store", store, "--json")[1])
    assert [game["number"] for game in output["games"]] == [0, 1, 2, 3]
    bot = tmp_path / "clumsy.py"
    bot.write_text(CLUMSY.format(fault="return Thought(99)"))
    sheet = tmp_path / "page.html"
    _, out, _ = run(
        "match", "connect_n", f"bot={bot}", "random", "--games", "2", "--workers", "1",
        "--store", store, "--report", str(sheet),
    )  # fmt: skip
    assert "forfeit in game 1: bot - random: player 1 illegal: " in out
    assert "forfeit in game 2: random - bot: player 2 illegal: " in out
    page = sheet.read_text()
    for number in (1, 2):
        assert re.search(rf"<td class=n>(<a [^>]*>)?{number}(</a>)?</td><td class=name>bot<", page)


def test_a_run_without_a_game_cannot_be_replayed(run, store):
    assert "--play and --replay need one game" in run("runs", "show", "1", "--play")[2]


def test_runs_are_removed_after_asking(run, store, monkeypatch):
    code, out, err = run("runs", "remove", "1", "--store", store)  # there is no terminal to ask
    assert (code, out) == (2, "")
    assert f"to delete run 1 with 4 games from {store}, add --yes" in err
    assert "has no run 9" in run("runs", "remove", "2", "9", "--yes", "--store", store)[2]
    with Store(store) as kept:
        assert [each.id for each in kept.runs()] == [1, 2]
    code, out, _ = run("runs", "remove", "1", "--yes", "--store", store, "--json")
    assert json.loads(out) == {"runs": [1], "games": 4, "store": store}
    with Store(store) as kept:
        assert [each.id for each in kept.runs()] == [2]
        assert list(kept.records(1)) == []
        assert len(list(kept.records(2))) == 4


@pytest.mark.parametrize("location", ["sqlite", "postgres"], indirect=True)
def test_a_removed_run_is_gone_from_any_store(run, location):
    assert run(*MATCH, "--store", location)[0] == 0
    assert run("runs", "remove", "1", "--yes", "--store", location)[0] == 0
    with Store(location) as kept:
        assert kept.runs() == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ('"entrants":[0,1]', '"entrants":[0,7]'),
        ('"entrants":[0,1]', '"entrants":[0,-1]'),
        ('"entrants":[0,1]', '"entrants":[0,0]'),
        ('"game":"connect_n"', '"game":"tron"'),
    ],
)
def test_a_store_with_games_of_another_plan_is_not_resumed(run, store, change, reason):
    connection = sqlite3.connect(store)
    swap = "UPDATE games SET record = replace(record, ?, ?) WHERE run = 2 AND number = 0"
    assert connection.execute(swap, (change, reason)).rowcount == 1
    connection.commit()
    connection.close()
    code, out, err = run(*MATCH, "--seed", "2", "--resume", "--store", store)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {store}: game 1 of run 2: the record")


FAULTS = {
    "return [][1]": "failed: IndexError: list index out of range (clumsy.py, line 9)",
    "raise ValueError": "failed: ValueError (clumsy.py, line 9)",
    "raise SystemExit(3)": "failed: SystemExit: 3 (clumsy.py, line 9)",
    "return int('x')": "(clumsy.py, line 9)",
    "return __import__('json').loads('{')": "(clumsy.py, line 9)",
    "position.play(99)": "(clumsy.py, line 9)",
    "return Thought(99)": "illegal: ",
    "return 5": "failed: its answer is 5, not a Thought",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_of_an_agents_file_is_named_by_type_file_and_line(run, tmp_path, fault):
    bot = tmp_path / "clumsy.py"
    bot.write_text(CLUMSY.format(fault=fault))
    sheet = tmp_path / "results.csv"
    code, out, err = run(
        "match", "connect_n", f"bot={bot}", "random", "--games", "1", "--workers", "1",
        "--store", "none", "--report", str(sheet),
    )  # fmt: skip
    assert code == 0
    assert FAULTS[fault] in out
    assert "Traceback" not in err
    (row,) = (row for row in csv.DictReader(sheet.open()) if row["bot"] == "bot")
    assert FAULTS[fault].removeprefix("failed: ") in row["reasons"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_debug_shows_the_traceback_of_an_agents_failure(tmp_path, workers):
    bot = tmp_path / "clumsy.py"
    bot.write_text(CLUMSY.format(fault="return [][1]"))
    command = [sys.executable, "-m", "plyground", "match", "connect_n", str(bot), "random"]
    options = ["--games", "2", "--store", "none", "--workers", workers]
    for debug in ([], ["--debug"]):
        done = subprocess.run(
            [*command, *options, *debug], capture_output=True, text=True, timeout=120, check=True
        )
        assert (f'File "{bot}", line 9, in choose' in done.stderr) == bool(debug)
        assert "IndexError: list index out of range (clumsy.py, line 9)" in done.stdout


# What ends a run early --------------------------------------------------------------------------


def test_an_error_in_the_rules_leaves_the_games_before_it(run, tmp_path):
    """These rules fail after some games; the games before that are reported."""
    bot = tmp_path / "late.py"
    source = CLUMSY.format(fault="return Thought(99)").replace(
        "class", "SEEN = set()\n\n\nclass", 1
    )
    count = "SEEN.add(seed)\n        if len(SEEN) > 20:\n"
    bot.write_text(source.replace("if position.ply > 4:\n", count))
    page, sheet = tmp_path / "games.html", tmp_path / "games.csv"
    code, out, err = run(
        "match", str(FAILING), f"bot={bot}", "random", "--games", "50", "--workers", "1",
        "--referee", "course", "--store", "none", "--replay", str(page), "--report", str(sheet),
    )  # fmt: skip
    assert code == 2
    found = re.search(r"failed in game (\d+): ZeroDivisionError: .* \(failing_rules.py, line ", err)
    finished = int(found[1]) - 1
    assert finished > 0
    assert [int(row["games"]) for row in csv.DictReader(sheet.open())] == [finished] * 2
    assert "bot" in out
    assert page.exists()


def test_one_file_that_cannot_be_written_does_not_cost_the_others(run, tmp_path, monkeypatch):
    first, second = tmp_path / "a.csv", tmp_path / "b.html"

    def vanish(result):
        first.mkdir()  # the path that was checked before the games has changed after them
        return ""

    monkeypatch.setattr(standings, "as_csv", vanish)
    code, out, err = run(
        *MATCH, "--store", "none", "--report", str(first), "--report", str(second)
    )  # fmt: skip
    assert code == 2
    assert "greedy" in out
    assert f"{first} cannot be written: Is a directory" in err
    assert "greedy" in second.read_text()


@pytest.mark.parametrize("option", ["--report", "--replay"])
def test_paths_are_checked_before_the_first_game(run, tmp_path, option):
    ways = {
        str(tmp_path / "no" / "a.html"): "cannot be written: No such file or directory",
        str(tmp_path / "a.pdf"): "a.pdf",
    }
    (tmp_path / "folder.html").mkdir()
    ways[str(tmp_path / "folder.html")] = "cannot be written: Is a directory"
    store = tmp_path / "games.sqlite"
    for path, reason in ways.items():
        code, out, err = run(*MATCH, option, path, "--store", str(store))
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert reason in err
    both = str(tmp_path / "both.html")
    output = run(*MATCH, "--report", both, "--replay", both, "--store", str(store))[2]
    assert "both.html is named twice" in output
    assert not store.exists()
