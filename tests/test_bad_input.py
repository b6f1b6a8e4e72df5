"""Wrong plans, stores and paths: one clear line and exit code 2, before any game."""

import json
import sqlite3

import pytest

from plyground import Tournament
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament

MANY = "9" * 400


def complaint(run, *arguments):
    """Run a command that must fail; return its error line."""
    code, out, err = run(*arguments)
    assert code == 2, err
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    return err


# Numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("match", "connect_n", f"mcts(exploration={MANY})", "random"), "a finite number"),
        (("match", "connect_n", "random", "random", "--seconds", MANY), "a finite number"),
        (("match", "connect_n", "random", "random", "--seed", MANY), "64 bits"),
        (("play", "connect_n", "--seed", str(2**63)), "less than or equal to 9223372036854775807"),
        (("match", "connect_n", "random", "random", "--games", str(2**63 - 1)), "2,147,483,647"),
        (("sprt", "connect_n", "random", "random", "--max-games", str(2**62)), "2,147,483,647"),
        (("perft", "connect_n", "1", "--set", f"width={MANY}"), "64 bits"),
    ],
)
def test_numbers_that_are_too_large(run, arguments, reason):
    assert reason in complaint(run, *arguments)


PLANS = {
    "seconds of 400 digits": (f"seconds = {MANY}", "a finite number"),
    "seconds of 5000 digits": (f"seconds = {'9' * 5000}", "is not a TOML file"),
    "games for ever": (f"games = {2**63 - 1}", "at most 2,147,483,647 are allowed"),
    "rounds for ever": (f'format = "swiss"\nrounds = {2**62}', "at most 2,147,483,647"),
    "deep lists": (f"seed = {'[' * 100_000}", "is nested too deeply"),
    "deep tables": (f"seed = {'{a=' * 5000}1{'}' * 5000}", "is nested too deeply"),
    "a list of lists": (f"seed = {'[' * 100}{']' * 100}", "seed must be int"),
    "not UTF-8": ('note = "\udcff"', "is not a TOML file"),
    "a date": ("seconds = 2024-01-01", "seconds must be float"),
    "not a number": ("seconds = nan", "a finite number"),
}


@pytest.mark.parametrize("case", PLANS)
def test_plans_that_are_no_plans(run, tmp_path, case):
    text, reason = PLANS[case]
    plan = tmp_path / "plan.toml"
    whole = f'game = "connect_n"\nagents = ["random", "random"]\n{text}\n'
    plan.write_bytes(whole.encode(errors="surrogateescape"))
    assert reason in complaint(run, "tournament", str(plan), "--store", "none")


def test_an_opening_longer_than_any_game_is_as_long_as_one_can_be(run):
    command = ("match", "connect_n", "random", "random", "--games", "1", "--workers", "1")
    code, out, err = run(*command, "--opening", "1000000000", "--store", "none")
    assert (code, err) == (0, "")
    assert "1 game" in out
    assert "1 games" not in out


# Stores -----------------------------------------------------------------------------------------


@pytest.fixture
def store(run, tmp_path):
    """Return the path of a store with two runs of two games."""
    name = str(tmp_path / "games.sqlite")
    for seed in "12":
        match = ("match", "connect_n", "random", "greedy", "--games", "2", "--workers", "1")
        assert run(*match, "--seed", seed, "--store", name)[0] == 0
    return name


def change(store, *statements):
    connection = sqlite3.connect(store)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("version", ["'abc'", "-5", "0", "NULL", "1.5", "x'00'"])
def test_a_store_of_a_strange_version(run, store, version):
    change(
        store,
        "DROP TABLE plyground",
        "CREATE TABLE plyground (version)",
        f"INSERT INTO plyground VALUES ({version})",
    )
    assert "has the version" in complaint(run, "runs", "list", "--store", store)


@pytest.mark.parametrize(
    "row",
    [
        "spec = '{'",
        "spec = '[]'",
        "spec = 5",
        'spec = \'{"game": "connect_n", "agents": ["random", "random", 5]}\'',
        "spec = '{\"agents\": []}'",
        "total = 'many'",
        "begun = x'ff'",
        "begun = 5",
    ],
)
def test_a_run_that_cannot_be_read_is_left_out(run, store, row):
    change(store, f"UPDATE runs SET {row} WHERE id = 1")
    code, out, err = run("runs", "list", "--store", store)
    assert code == 0
    assert err.startswith("run 1 is left out, it cannot be read: ")
    assert err.count("\n") == 1
    assert "2 of 2" in out
    assert "run 1 cannot be read" in complaint(run, "runs", "show", "1", "1", "--store", store)
    assert run("runs", "show", "2", "1", "--store", store)[0] == 0


@pytest.mark.parametrize(
    "row",
    [
        "record = '{'",
        "record = '[1]'",
        "record = x'00'",
        "record = '{}'",
        "record = replace(record, '\"seconds\":[0.0,', '\"seconds\":[-7.8e-05,')",
        "record = replace(record, '\"values\":[null,', '\"values\":[NaN,')",
        "number = 7",
    ],
)
def test_a_game_that_cannot_be_read_is_named_and_left_out(run, store, row):
    change(store, f"UPDATE games SET {row} WHERE run = 1 AND number = 0")
    number = 7 if "number" in row else 0
    named = f"game {number + 1} of run 1 "
    exported = run("runs", "export", "--store", store)
    assert [exported[0], exported[1].count("\n")] == [0, 3]
    shown = run("runs", "show", "1", "--json", "--store", store)
    assert [shown[0], len(json.loads(shown[1])["games"])] == [0, 1]
    rated = run("ratings", "--json", "--store", store)
    assert rated[0] == 0, rated[2]
    # Ratings read no times and values: without the others, the page is not read game by game.
    is_rated = "seconds" in row
    assert (rated[2] == "") == is_rated
    for _, _, err in (exported, shown) if is_rated else (exported, shown, rated):
        assert err.startswith(f"{named}is left out, it cannot be read: ")
        assert err.count("\n") == 1
    alone = ("runs", "show", "1", str(number + 1), "--store", store)
    assert complaint(run, *alone).startswith(f"error: {named}cannot be read: ")


def test_a_run_with_unreadable_games_is_completed(run, store):
    change(store, "UPDATE games SET record = '{' WHERE run = 1 AND number = 0")
    with Store(store, warn=lambda line: None) as opened:
        plan = Tournament.make(opened.run(1).tournament)
        assert len(list(play_tournament(plan, store=opened, run=1))) == 2
    with Store(store, warn=pytest.fail) as opened:
        assert [record.number for record in opened.records(1)] == [0, 1]


def test_a_read_only_store(run, tmp_path, store, mounted):
    folder = tmp_path / "folder"
    mounted(folder, "size=1m")
    name = f"{folder}/games.sqlite"
    assert run("runs", "list", "--store", name)[0] == 0
    mounted(folder, "ro,remount")
    for command in (("runs", "list"), ("match", "connect_n", "random", "random")):
        assert f"{name} is read-only: " in complaint(run, *command, "--store", name)


# Paths ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--report", "--replay"])
@pytest.mark.parametrize("where", ["nowhere", "file", "folder", "/proc"])
def test_a_file_that_cannot_be_written_is_reported_first(run, tmp_path, option, where):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder" / "x.html").mkdir(parents=True)
    path = tmp_path / where / "x.html"
    match = ("match", "connect_n", "random", "random", "--games", "2")
    store = str(tmp_path / "games.sqlite")
    output = complaint(run, *match, option, str(path), "--store", store)
    assert f"{path} cannot be written: " in output
    assert not (tmp_path / "games.sqlite").exists()


def test_a_report_that_was_there_stays_until_the_new_one_is_written(run, tmp_path):
    path = tmp_path / "report.csv"
    path.write_text("old")
    match = ("match", "connect_n", "random", "random", "--store", "none")
    complaint(run, *match, "--report", str(path), "--replay", str(tmp_path / "no" / "x.svg"))
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    "command",
    [("reproduce", "sheep_actions"), ("tune", "connect_n", "mcts", "--over=exploration=0..2")],
)
def test_a_folder_that_cannot_be_made_is_reported_first(run, tmp_path, command):
    (tmp_path / "file").write_text("")
    output = complaint(run, *command, "--out", str(tmp_path / "file" / "x"))
    assert "cannot be created: Not a directory" in output
