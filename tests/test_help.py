"""The help of every command, the lists of games and agents, and tables that fit the terminal."""

import json
import os
import re
import shlex

import pytest
from typer.main import get_command

from plyground.agents import AGENTS
from plyground.cli.main import COMMANDS, MOVED, app
from plyground.cli.terminal import _columns, console, table
from plyground.errors import DEBUG
from plyground.games import GAMES
from plyground.text import counted

ENTRIES = {name: entry for section in COMMANDS.values() for name, entry in section.items()}
GROUP = get_command(app)
RUNS = ("list", "show", "export", "import", "remove")
EVERY = [(name,) for name in ENTRIES if name != "runs"] + [("runs", name) for name in RUNS]


def flags(words):
    command = GROUP.get_command(None, words[0])
    if len(words) > 1:
        command = command.commands[words[1]]
    return {name for parameter in command.params for name in parameter.opts}


@pytest.mark.parametrize("arguments", [(), ("-h",), ("--help",)])
def test_the_help_is_grouped_and_has_an_example_for_each_group(run, arguments):
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    for title, section in COMMANDS.items():
        assert f"\n{title}:\n" in out
        assert f"  plyground {next(iter(section.values())).example}\n" in out


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_command_has_help_json_and_debug(run, words):
    assert flags(words) >= {"--json", "--debug"}
    code, out, err = run(*words, "-h")
    assert (code, err) == (0, "")
    assert f"{' '.join(words)} [OPTIONS]" in out


@pytest.mark.parametrize("name", ENTRIES)
def test_the_example_of_a_command_is_one_of_its_own(run, name):
    words = shlex.split(ENTRIES[name].example)
    assert words[0] == name
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert given <= flags(words[:2] if name == "runs" else words[:1])
    assert f"\n  Example: plyground {ENTRIES[name].example}\n" in run(name, "-h")[1]


@pytest.mark.parametrize("name", ENTRIES)
def test_the_list_of_commands_has_the_first_line_of_each_help(run, name):
    paragraphs = run(name, "-h")[1].split("\n\n")
    assert " ".join(paragraphs[1].split()) == ENTRIES[name].help


def test_runs_without_a_command_show_their_help(run):
    code, out, err = run("runs")
    assert (code, err) == (0, "")
    assert all(f"\n  {name} " in out for name in RUNS)


def test_runs_as_json_are_listed(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PLYGROUND_STORE", str(tmp_path / "games.sqlite"))
    run("match", "connect_n", "random", "random", "--games", "2", "--workers", "1")
    code, out, err = run("runs", "--json")
    assert (code, err) == (0, "")
    assert [each["games"] for each in json.loads(out)] == [2]
    assert out == run("runs", "list", "--json")[1]
    code, _, err = run("runs", "--json", "show", "1")
    assert (code, err) == (2, "error: --json belongs after the command: runs show\n")


@pytest.mark.parametrize(
    ("typed", "meant"), [("analyze", "analyse"), ("turnament", "tournament"), ("agent", "agents")]
)
def test_a_misspelled_command_gets_a_suggestion(run, typed, meant):
    code, out, err = run(typed, "connect_n", "--seconds", "1")
    assert (code, out) == (2, "")
    assert err == f"error: unknown command {typed!r}; did you mean {meant!r}?\n"


@pytest.mark.parametrize("words", MOVED, ids=" ".join)
def test_a_former_command_names_the_new_one(run, words):
    code, out, err = run(*words, "1", "--store", "none")
    assert (code, out) == (2, "")
    assert err == f"error: `plyground {' '.join(words)}` is now `plyground {MOVED[words]}`\n"
    assert MOVED[words].split()[1].strip("`") in RUNS


def test_a_list_has_one_line_each_and_a_name_shows_everything(run):
    for command, registry in (("games", GAMES), ("agents", AGENTS)):
        _, out, _ = run(command)
        assert [line.split()[0] for line in out.split("\n\n")[0].splitlines()] == registry.names()
        for name in registry.names():
            code, out, err = run(command, name)
            assert (code, err) == (0, "")
            described = json.loads(run(command, name, "--json")[1])
            assert described == json.loads(json.dumps(registry.find(name).describe()))
            for option in described["options"]:
                assert f"  {option['name']}: {option['type']}" in out
            for offered in (*described.get("evaluators", ()), *described.get("advice", ())):
                assert f"\n  {offered['name']}  " in out
            assert "\nExample: plyground match " in out
            assert getattr(registry.find(name), "notation", "") in " ".join(out.split())
    assert "did you mean 'connect_n'?" in run("games", "conect_n")[2]
    assert "did you mean 'mcts'?" in run("agents", "mtcs")[2]


@pytest.mark.parametrize("name", GAMES.inside)
def test_the_example_of_a_game_can_be_played(run, name):
    example = run("games", name)[1].partition("Example: plyground ")[2]
    options = ("--games", "1", "--max-plies", "4", "--workers", "1", "--store", "none")
    code, _, err = run(*shlex.split(example), *options)
    assert (code, err) == (0, "")


@pytest.mark.parametrize("name", ["alphabeta", "greedy", "perfect", "random", "relay", "shortest"])
def test_the_example_of_an_agent_can_be_played(run, name):
    example = run("agents", name)[1].partition("Example: plyground ")[2]
    options = ("--games", "1", "--max-plies", "4", "--workers", "1", "--store", "none")
    code, _, err = run(*shlex.split(example), *options)
    assert (code, err) == (0, "")


def test_a_file_is_described_as_well(run, example):
    code, out, _ = run("games", str(example))
    assert code == 0
    assert f"Example: plyground match {example} " in out


def test_debug_shows_the_traceback_of_an_error(run, monkeypatch):
    monkeypatch.delenv(DEBUG, raising=False)
    plain = run("perft", "nowhere.py", "3")
    assert "Traceback" not in plain[2]
    monkeypatch.setenv(DEBUG, "")  # so that it is put back after the test
    code, out, err = run("perft", "nowhere.py", "3", "--debug")
    assert os.environ[DEBUG] == "1"
    assert (code, out) == (2, "")
    assert err.startswith("Traceback")
    assert err.endswith(plain[2])


# Tables -----------------------------------------------------------------------------------------


def shown(width, *arguments, **keywords):
    with console.capture() as captured:
        console.print(table(*arguments, **keywords), width=width)
    return captured.get()


@pytest.mark.parametrize("width", range(30, 120, 7))
def test_a_table_drops_columns_before_it_breaks_a_word(monkeypatch, width):
    monkeypatch.setattr(console, "_width", width)
    names = ["alphabeta(depth=12)", "mcts(simulations=1000, exploration=0.7)"]
    rows = [[name, 1200, "73.5%", "95 to 112"] for name in names]
    headings = ["agent", "games", "score", "95% interval"]
    out = shown(width, headings, rows, optional=("95% interval", "games", "score"))
    assert max(map(len, out.splitlines())) <= width
    for word in ("alphabeta(depth=12)", "mcts(simulations=1000,", "exploration=0.7)"):
        assert word in out
    left_out = [heading for heading in headings if heading not in out.splitlines()[1]]
    assert ("not shown in" in out) == ("112" not in out)
    if width >= 100:
        assert not left_out


def test_a_word_wider_than_the_terminal_is_folded(monkeypatch):
    monkeypatch.setattr(console, "_width", 20)
    out = shown(20, ["agent"], [["x" * 50]])
    assert out.count("x") == 50
    assert max(map(len, out.splitlines())) <= 20


def test_output_that_is_no_terminal_is_not_cut(run, tmp_path, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(console, "_width", _columns())
    labels = [f"agent-{'number-' * 4}{place}" for place in range(8)]
    players = [f"{label}=random" for label in labels]
    store = ("--store", str(tmp_path / "games.sqlite"))
    played = run("tournament", "connect_n", *players, "--games=2", "--workers=1", *store)
    rated = run("ratings", *store)
    for code, out, _ in (played, rated):
        assert code == 0
        assert "not shown in" not in out
        assert all(label in out for label in labels)
    assert max(map(len, rated[1].splitlines())) > 100
    monkeypatch.setattr(console, "_width", 60)  # a narrow terminal
    out = run("ratings", *store)[1]
    dropped = [line for line in out.splitlines() if "not shown in 60 columns:" in line]
    assert len(dropped) == 2
    assert "8" in dropped[1]
    assert not any("agent" in line for line in dropped)


# Numbers and nouns ------------------------------------------------------------------------------

NOUNS = "games|players|rows|plies|moves|agents|seats|entries|actions|bots|forfeits|faults|limits"


def test_a_number_and_its_noun_agree():
    assert [counted(1, "game"), counted(0, "game")] == ["1 game", "0 games"]
    assert [counted(1, "ply", "plies"), counted(1200, "ply", "plies")] == ["1 ply", "1,200 plies"]


def test_no_error_of_one_thing_is_in_the_plural(run, tmp_path):
    store = ("--store", str(tmp_path / "games.sqlite"), "--workers", "1")
    outputs = [
        run("match", "connect_n", "random", "random", "--games", "1", *store),
        run("match", "connect_n", "random"),
        run("match", "robots", "random", "random"),
        run("runs", "show", "1", *store[:2]),
        run("runs", "remove", "1", "--yes", *store[:2]),
        run("play", "robots", "person", "random"),
        run("play", "robots", "--seat", "2"),
        run("perft", "connect_n", "1", "--position", "7"),
        run("ratings", *store[:2]),
    ]
    for _, out, err in outputs:
        assert re.search(rf"(?<![\d.,])1 ({NOUNS})\b", out + err) is None, out + err
