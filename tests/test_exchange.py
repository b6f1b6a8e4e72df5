"""Export and import: complete files are imported as a whole, forged ones are refused."""

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from plyground import PlygroundError, Tournament, load_game
from plyground.arena.exchange import LONGEST_LINE, export_games, import_games
from plyground.arena.record import positions
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament
from plyground.errors import StoreError

EXAMPLE = Path(__file__).parent.parent / "examples" / "tic_tac_toe.py"


@pytest.fixture
def plan():
    agents = ("random", "greedy", "mcts(simulations=5)")
    return Tournament(game="connect_n", agents=agents, games=2)


def exported(store):
    lines = []

    class Out:
        write = staticmethod(lines.append)

    export_games(store, store.runs(), Out)
    return lines


@pytest.fixture
def lines(tmp_path, plan):
    """Return the lines of an export of six games."""
    with Store(str(tmp_path / "first.sqlite")) as store:
        list(play_tournament(plan, store=store, run=store.begin(plan)))
        return exported(store)


def test_exported_games_are_imported_once(location, tmp_path, plan):
    with Store(location) as store:
        for _ in range(2):
            list(play_tournament(plan, store=store, run=store.begin(plan)))
        lines = exported(store)
    file = tmp_path / "games.jsonl"
    file.write_text("".join(lines))
    with Store(str(tmp_path / "other.sqlite")) as other:
        assert import_games(other, file) == 12
        assert import_games(other, file) == 12
        assert exported(other) == lines
        assert [run.kept for run in other.runs()] == [6, 6]
        back = tmp_path / "back.jsonl"
        back.write_text("".join(exported(other)))
    with Store(location) as store:
        import_games(store, back)
        assert exported(store) == lines
        for run in store.runs():
            for record in store.records(run.id):
                assert positions(load_game(record.game), record)[-1].returns == record.returns


def test_two_games_of_one_number_are_not_both_in(tmp_path, lines, run):
    first, second = (json.loads(line) for line in lines[:2])
    second["record"]["number"] = first["record"]["number"]
    second["record"]["seed"] = first["record"]["seed"]
    file, store = tmp_path / "games.jsonl", tmp_path / "other.sqlite"
    file.write_text(f"{lines[2]}{lines[0]}{json.dumps(second)}\n")
    code, out, err = run("runs", "import", str(file), "--store", str(store))
    assert (code, out) == (2, "")
    assert err == f"error: {file}, line 3: line 2 has another game 1 of this run\n"
    file.write_text(lines[0] + lines[1] + lines[0])
    code, out, _ = run("runs", "import", str(file), "--store", str(store))
    assert (code, out) == (0, f"2 games of {file} are in {store}\n")
    file.write_text(lines[2] + json.dumps(second))
    code, out, err = run("runs", "import", str(file), "--store", str(store))
    assert (code, out) == (2, "")
    another = "game 1 of run 1 is another one than in the file"
    assert err == f"error: {store}: {another}; remove that run to store this one\n"
    with Store(str(store)) as other:
        assert exported(other) == lines[:2]
        with other._database.transaction() as database:
            database.run("UPDATE games SET record = '{}' WHERE number = 0")
        file.write_text(lines[0])
        assert import_games(other, file) == 1
        assert exported(other) == lines[:2]


def test_forfeits_and_capped_games_are_imported(tmp_path):
    agents = ("remote(command='false')", "random", "greedy")
    plan = Tournament(game="connect_n", agents=agents, games=2, max_plies=5)
    file = tmp_path / "games.jsonl"
    with Store(str(tmp_path / "one.sqlite")) as store:
        list(play_tournament(plan, store=store, run=store.begin(plan)))
        assert {record.ending for record in store.records(1)} == {"failed", "adjudicated"}
        file.write_text("".join(exported(store)))
    with Store(str(tmp_path / "other.sqlite")) as other:
        assert import_games(other, file) == 6


# Forged records ---------------------------------------------------------------------------------


def refused(tmp_path, good, bad, reason):
    """Import a good line and a bad one: the bad one is named, and nothing is kept."""
    file = tmp_path / "games.jsonl"
    file.write_bytes(f"{good}{bad}\n".encode(errors="surrogateescape"))
    with Store(str(tmp_path / "other.sqlite")) as other:
        with pytest.raises(PlygroundError, match="line 2: ") as caught:
            import_games(other, file)
        assert other.runs() == []
    assert "\n" not in str(caught.value)
    assert reason in str(caught.value)


SPOILT = {
    "no JSON": (lambda line: "{", "Expecting property name"),
    "no object": (lambda line: "[]", "a line must be"),
    "another shape": (lambda line: json.dumps({"record": 1}), "a line must be"),
    "nested": (lambda line: "[" * 100_000, "nested too deeply"),
    "no UTF-8": (lambda line: line.replace("random", "r\udcffndom"), "codec can't decode"),
    "too long": (lambda line: line + " " * LONGEST_LINE, "longer than"),
    "a run without a date": (lambda line: line.replace('"begun"', '"began"'), "a run must have"),
    "another game": (lambda line: line.replace('"connect_n"', '"tron"', 1), "game or number"),
    "infinite": (lambda line: line.replace('"returns":[', '"returns":[Infinity,'), "finite"),
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_spoilt_line_is_named_and_nothing_is_imported(tmp_path, lines, case):
    spoil, reason = SPOILT[case]
    spoilt = spoil(lines[0].rstrip("\n"))
    assert spoilt != lines[0].rstrip("\n")
    refused(tmp_path, lines[1], spoilt, reason)


def cut(record, **changes):
    """Break a game off before its last move."""
    for name in ("actions", "players", "seconds", "values"):
        record[name].pop()
    record.update(changes)


def begin_later(record):
    """Make the position after the opening the start."""
    position = load_game("connect_n").start()
    for action in record["actions"][:2]:
        position = position.play(action)
    for name in ("actions", "players", "seconds", "values"):
        del record[name][:2]
    record.update(start=position.to_text(), opening=0)


def idle(record):
    """Return the seat that is not to move once the last move is taken back."""
    return 1 - record["players"][-1]


FORGED = {
    "no list of times": (
        lambda run, record: run["tournament"].update(seconds_of=5),
        "seconds_of must be a list",
    ),
    "the other won": (lambda run, record: record["returns"].reverse(), "by the rules"),
    "both won": (lambda run, record: record.update(returns=[1.0, 1.0]), "by the rules"),
    "another player": (
        lambda run, record: record["players"].__setitem__(-1, idle(record)),
        "those whose turn it was",
    ),
    "an illegal action": (lambda run, record: record["actions"].__setitem__(0, 9), "not legal"),
    "one action more": (
        lambda run, record: [record[name].append(0) for name in ("actions", "players", "seconds")]
        + [record["values"].append(None)],
        "the game is over",
    ),
    "not over": (lambda run, record: cut(record), "by the rules it is not over"),
    "no cap": (
        lambda run, record: cut(record, ending="adjudicated", returns=[0.0, 0.0]),
        "'adjudicated', by the rules",
    ),
    "a fault when all is over": (
        lambda run, record: record.update(ending="late", fault=0, returns=[-1.0, 1.0]),
        "by the rules it is over",
    ),
    "a fault of nobody": (
        lambda run, record: cut(record, ending="late", returns=[-1.0, 1.0]),
        "a seat that was not to move",
    ),
    "a fault out of turn": (
        lambda run, record: cut(
            record, ending="late", fault=idle(record), returns=[-1.0, 1.0]
        ),
        "a seat that was not to move",
    ),
    "a forfeit that wins": (
        lambda run, record: cut(
            record, ending="failed", fault=record["players"][-1], returns=[0.5, 0.5]
        ),
        "the record's returns",
    ),
    "a fault in a finished game": (lambda run, record: record.update(fault=0), "names a fault"),
    "a long opening": (lambda run, record: record.update(opening=5), "opening of 5 plies"),
    "an opening that was thought about": (
        lambda run, record: record["seconds"].__setitem__(0, 1.0),
        "opening of 2 plies",
    ),
    "another start": (lambda run, record: begin_later(record), "is not that of seed"),
    "a seed out of range": (lambda run, record: record.update(seed=-1), "that of seed -1"),
    "negative time": (lambda run, record: record["seconds"].__setitem__(4, -1.0), "negative"),
    "a foreign agent": (
        lambda run, record: record.update(agents=["greedy", "greedy"]),
        "not those of its tournament",
    ),
    "one agent in two seats": (
        lambda run, record: record.update(agents=["random", "random"], entrants=[0, 0]),
        "in two seats",
    ),
    "three players": (
        lambda run, record: record.update(
            agents=run["tournament"]["agents"], entrants=[0, 1, 2], returns=[1, -1, 0]
        ),
        "has 2 players, not 3",
    ),
    "a number too high": (lambda run, record: record.update(number=6), "game or number"),
    "another total": (lambda run, record: run.update(total=7), "has 6 games, not 7"),
    "an agent that is a number": (
        lambda run, record: run["tournament"].update(agents=["random", "greedy", 5]),
        "agents must be str, got 5",
    ),
    "agents that are no list": (
        lambda run, record: run["tournament"].update(agents="random"),
        "agents must be a list",
    ),
    "an unknown option": (
        lambda run, record: run["tournament"].update(colour="red"),
        "unknown option of tournament",
    ),
    "an option of another type": (
        lambda run, record: run["tournament"].update(seed="many"),
        "seed must be int",
    ),
    "no date": (lambda run, record: run.update(begun="\x1b[31mnow"), "must be a date"),
}  # fmt: skip


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_game_is_refused_by_its_line(tmp_path, lines, case):
    forge, reason = FORGED[case]
    data = json.loads(lines[0])
    forge(data["run"], data["record"])
    refused(tmp_path, lines[1], json.dumps(data), reason)


def test_a_full_disk_keeps_nothing_of_a_file(tmp_path, plan, lines):
    big = Tournament(**plan.changed() | {"games": 200, "seed": 1})
    file = tmp_path / "games.jsonl"
    with Store(str(tmp_path / "big.sqlite")) as store:
        list(play_tournament(big, store=store, run=store.begin(big)))
        file.write_text("".join(lines + exported(store)))
    with Store(str(tmp_path / "other.sqlite")) as other:
        with other._database.transaction() as database:
            ((pages,),) = database.run("PRAGMA page_count")
            database.run(f"PRAGMA max_page_count={pages + 40}")
        with pytest.raises(StoreError, match="database or disk is full"):
            import_games(other, file)
        assert other.runs() == []
    with Store(str(tmp_path / "other.sqlite")) as other:
        assert import_games(other, file) == 6 + big.total


def test_a_huge_line_takes_little_memory(tmp_path):
    file = tmp_path / "games.jsonl"
    with file.open("wb") as sparse:
        sparse.truncate(100 * 2**20)
    with Store(str(tmp_path / "other.sqlite")) as other:
        tracemalloc.start()
        with pytest.raises(PlygroundError, match="line 1: longer than 1048576 bytes"):
            import_games(other, file)
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
        tracemalloc.stop()


# Games that are files ---------------------------------------------------------------------------


def command(*arguments, folder):
    """Run a command in a folder, with a store there; nothing needs to be compiled for it."""
    environment = {"PLYGROUND_STORE": str(folder / "own.sqlite"), "NUMBA_DISABLE_JIT": "1"}
    return subprocess.run(
        [sys.executable, "-m", "plyground", *arguments],
        cwd=folder, env=os.environ | environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_no_file_is_run_because_a_record_names_it(tmp_path):
    own, evil = tmp_path / "own", tmp_path / "evil"
    for folder in (own, evil):
        folder.mkdir()
    game = own / "tic_tac_toe.py"
    game.write_text(EXAMPLE.read_text())
    trap = evil / "tic_tac_toe.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    match = command(
        "match", str(game), "random", "greedy", "--games", "2", "--workers", "1", folder=own
    )
    assert match.returncode == 0, match.stderr
    lines = command("runs", "export", folder=own).stdout
    (own / "games.jsonl").write_text(lines)
    (evil / "games.jsonl").write_text(
        lines.replace(str(game), str(trap)).replace('"random"', json.dumps(str(trap)))
    )
    refused = command("runs", "import", "games.jsonl", folder=evil)
    assert refused.returncode == 2
    assert f"line 1: the record names the file '{str(trap)[:40]}" in refused.stderr
    assert refused.stderr.count("\n") == 1
    # A file of that name which the user names is the game, wherever the record says it was.
    taken = command("runs", "import", "games.jsonl", "--game", str(game), folder=evil)
    assert taken.stdout == f"2 games of games.jsonl are in {evil}/own.sqlite\n", taken.stderr
    for reading in (("show", "1", "1"), ("export", "--text")):
        output = command("runs", *reading, folder=evil)
        assert output.returncode == 2
        assert "which is not run for it" in output.stderr
        shown = command("runs", *reading, "--game", str(game), folder=evil)
        assert shown.returncode == 0, shown.stderr
    assert command("runs", "show", "1", folder=evil).returncode == 0
    rated = command("ratings", folder=evil)
    assert rated.returncode == 0
    assert "rated as a game without teams" in rated.stderr
    assert not (tmp_path / "sprung").exists()


def test_only_a_file_has_to_be_named(run):
    output = run("runs", "show", "1", "1", "--game", "connect_n")[2]
    assert "--game connect_n: a .py file is needed" in output


CLUMSY = """
from plyground.agents.agent import Agent, Thought


class Clumsy(Agent):
    name = "clumsy"

    def choose(self, position, limit, seed):
        return Thought(10**6)
"""


def imported(tmp_path, line):
    """Import one line into a new store; return how many games were kept."""
    file = tmp_path / "line.jsonl"
    file.write_text(json.dumps(line) + "\n")
    (tmp_path / "new.sqlite").unlink(missing_ok=True)
    with Store(str(tmp_path / "new.sqlite")) as store:
        return import_games(store, file)


@pytest.mark.parametrize("referee", ["strict", "course"])
def test_faults_are_imported_as_the_referee_saw_them_and_not_otherwise(tmp_path, referee):
    (tmp_path / "clumsy.py").write_text(CLUMSY)
    agents = (f"{tmp_path}/clumsy.py", "random", "random", "random")
    plan = Tournament(
        game="sheep", agents=agents, games=1, opening=6, referee=referee, seconds_of=("random=9",)
    )
    with Store(str(tmp_path / "first.sqlite")) as store:
        (record,) = play_tournament(plan, store=store, run=store.begin(plan))
        line = json.loads(exported(store)[0])
    assert bool(record.faults) == (referee == "course")
    assert imported(tmp_path, line) == 1
    if referee == "strict":  # as an earlier version counted a forfeit
        line["record"]["returns"] = [-1.0, 1 / 3, 1 / 3, 1 / 3]
        assert imported(tmp_path, line) == 1
        line["record"]["returns"] = [-1.0, 1.0, 0.0, 0.0]
    else:
        line["record"]["faults"][0][1] = 1
    with pytest.raises(PlygroundError, match=r"line 1: the record's (returns|move after)"):
        imported(tmp_path, line)
