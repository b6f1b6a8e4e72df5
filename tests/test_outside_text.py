"""Texts from outside: names of files, imported names and reasons are cleaned for any output."""

import csv
import json
import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as some

from plyground import Record, load_agent, load_game, play_game
from plyground.arena.record import read_text, write_text
from plyground.arena.tournament import Standing
from plyground.export.animation import replay_animation
from plyground.export.replay import replay_page
from plyground.export.standings import Result, as_csv
from plyground.picture import Picture
from plyground.text import cleaned, one_line

RED = "\x1b[31m"
HOSTILE = f"{RED}red\x07\x9b1m\ud800\u202e\r\n=1+1"
HARMLESS = "?[31mred??1m??  =1+1"
ANYTHING = some.text(some.characters())  # lone surrogates too


@given(ANYTHING)
def test_a_cleaned_text_can_be_printed_written_and_kept(text):
    clean = cleaned(text)
    assert clean.isprintable()
    assert clean.encode().decode() == clean
    assert len(clean) == len(text)
    assert cleaned(clean) == clean
    line = one_line(text, 20)
    assert len(line) <= 20
    assert "  " not in line
    assert cleaned(line) == line


@given(ANYTHING)
def test_specs_that_we_write_are_clean_already(text):
    spec = repr(load_agent("alphabeta", evaluate=text))
    assert cleaned(spec) == spec


def test_hostile_texts_become_harmless():
    assert cleaned(HOSTILE) == HARMLESS


@pytest.fixture(scope="module")
def record():
    game = load_game("connect_n")
    return play_game(game, [load_agent("random"), load_agent("greedy")], seed=1)


def test_a_record_is_cleaned_when_it_is_read(record):
    data = record.to_json() | {"agents": (HOSTILE, "b"), "reason": HOSTILE, "version": HOSTILE}
    read = Record.from_json(json.loads(json.dumps(data)))
    assert read.agents == (HARMLESS, "b")
    assert read.reason == read.version == HARMLESS
    assert Record.from_json(record.to_json()) == record


def test_a_text_escapes_what_it_cannot_clean(record):
    odd = replace(record, start=record.start + "\x9b\ud800")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plyground.arena.record.positions", lambda game, record: [])
        text = write_text(odd)
    assert text.replace("\n", "").isprintable()
    assert f'[Start "{record.start}\\u009b\\ud800"]' in text
    assert read_text(write_text(record)) == record


def test_pictures_are_well_formed_whatever_they_say(record):
    picture = Picture(3, 3, HOSTILE)
    picture.text(1, 1, HOSTILE, "#000", 1)
    ElementTree.fromstring(picture.svg())
    names = HOSTILE, "\x00"
    game, odd = load_game("connect_n"), replace(record, agents=names, names=names, reason=HOSTILE)
    ElementTree.fromstring(replay_animation(game, odd).encode())
    assert RED not in replay_page(game, odd).encode().decode()


@pytest.mark.parametrize(
    "cell", ["\r=1+1", "\n\t =1+1", "=1+1", " +1", "-1", "@x", "'=1", '"=1', "\x00=1", "\uff1d1"]
)
def test_no_cell_is_a_formula(cell):
    rows = [Standing(cell, wins=1, points=1)]
    sheet = as_csv(Result("title", rows, [cell], [], [(cell, "late")]))
    assert "\r" not in sheet
    for row in list(csv.reader(sheet.splitlines()))[1:]:
        assert row[1][0] in "'?", row


# With real files and commands -------------------------------------------------------------------

PLAIN = "def agent(observation, configuration):\n    return observation.board.index(0)\n"


def command(*arguments, folder):
    """Run a command whose arguments may not be UTF-8; return its output as bytes."""
    return subprocess.run(
        [sys.executable, "-m", "plyground", *arguments],
        cwd=folder, env=os.environ | {"PLYGROUND_STORE": str(folder / "games.sqlite")},
        capture_output=True, check=False,
    )  # fmt: skip


def harmless(done):
    """Check that the output of a command is UTF-8 without escape codes."""
    for text in (done.stdout, done.stderr):
        assert b"\x1b" not in text
        assert b"\xc2\x9b" not in text
        assert b"Traceback" not in text
        text.decode()
    return done.returncode == 0


def test_names_of_bots_are_clean(tmp_path):
    bots = tmp_path / "bots"
    bots.mkdir()
    names = (b"b\xff.py", b"\x1b[31mred.py", b"=1+1.py")
    for name in names:
        (bots / os.fsdecode(name)).write_text(PLAIN)
    (bots / os.fsdecode(b"essay\x1b[31m\xfe.txt")).touch()
    done = command(
        "tournament", "connect_n", "bots", "--interface", "kaggle_connectx", "--games", "1",
        "--workers", "1", "--report", "r.csv", "--report", "r.html", "--replay", "r.svg",
        folder=tmp_path,
    )  # fmt: skip
    assert harmless(done), done.stderr
    assert b"essay?[31m? takes no part" in done.stderr
    listed = {row["bot"] for row in csv.DictReader((tmp_path / "r.csv").open(encoding="utf-8"))}
    assert listed == {"b?", "?[31mred", "'=1+1", "essay?[31m?"}
    assert "\x1b" not in (tmp_path / "r.html").read_text(encoding="utf-8")
    ElementTree.parse(tmp_path / "r.svg")
    path = b"kaggle_connectx(path='bots/b\xff.py')"
    one = command("match", "connect_n", path, "random", "--games", "1", folder=tmp_path)
    assert harmless(one), one.stderr


def test_texts_of_a_store_are_shown_clean(run, tmp_path):
    store = str(tmp_path / "games.sqlite")
    run("match", "connect_n", "random", "greedy", "--games", "2", "--store", store, "--workers=1")
    odd = json.dumps(HOSTILE)
    connection = sqlite3.connect(store)
    for column, table in (("spec", "runs"), ("record", "games")):
        swap = f"UPDATE {table} SET {column} = replace({column}, '\"random\"', ?)"
        connection.execute(swap, (odd,))
    connection.execute("UPDATE games SET record = replace(record, '\"reason\":\"\"', ?)",
                       (f'"reason":{odd}',))  # fmt: skip
    connection.execute("UPDATE games SET record = replace(record, '\"finished\"', '\"late\"')")
    connection.execute("UPDATE games SET record = replace(record, '\"fault\":null', '\"fault\":1')")
    connection.commit()
    connection.close()
    commands = (
        ("runs", "list"), ("runs", "show", "1"), ("runs", "show", "1", "1"),
        ("runs", "show", "1", "1", "--play"), ("runs", "export", "--text"),
        ("runs", "show", "1", "2", "--replay", str(tmp_path / "x.svg")), ("ratings",),
    )  # fmt: skip
    for each in commands:
        code, out, err = run(*each, "--store", store)
        assert code == 0, err
        assert "\x1b" not in out + err
        out.encode()
    ElementTree.parse(tmp_path / "x.svg")


def test_file_names_in_messages_are_clean(tmp_path):
    odd = os.fsdecode(b"o\x1b[31m\xff")
    (tmp_path / f"{odd}.jsonl").write_text("")
    match = ("match", "connect_n", "random", "random", "--games", "1", "--workers", "1")
    for arguments in (
        ("runs", "import", f"{odd}.jsonl"),
        ("runs", "list", "--store", f"{odd}.sqlite"),
        (*match, "--replay", f"{odd}.html", "--report", f"{odd}.csv"),
    ):
        done = command(*arguments, folder=tmp_path)
        assert harmless(done), done.stderr
    for arguments in (
        ("runs", "import", f"{odd}.nowhere"),
        ("perft", odd, "1"),
        ("perft", f"{odd}.py", "1"),
        ("tournament", f"{odd}.toml"),
        ("match", "connect_n", odd, "random"),
        ("perft", "tron", "1", "--set", f"map={odd}"),
    ):
        done = command(*arguments, folder=tmp_path)
        harmless(done)
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1
