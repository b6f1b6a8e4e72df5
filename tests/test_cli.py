"""Commands as a person or a script runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

EXAMPLE = str(Path(__file__).parent.parent / "examples" / "tic_tac_toe.py")


def test_games_and_agents_are_listed_with_their_options(run):
    code, out, _ = run("games", "--json")
    game = json.loads(out)[0]
    assert code == 0
    assert game["name"] == "connect_n"
    width = game["options"][0]
    assert {name: width[name] for name in ("name", "kind", "default", "low", "high", "help")} == {
        "name": "width", "kind": "int", "default": 7, "low": 1, "high": 16, "help": "columns",
    }  # fmt: skip
    assert game["evaluators"][0]["name"] == "threats"
    about = "Middle columns first: more lines run through them."
    assert game["advice"][0] == {"kind": "order", "name": "middle", "about": about}
    code, out, _ = run("agents", "--json")
    names = {each["name"] for each in json.loads(out)}
    assert {"alphabeta", "greedy", "maxn", "mcts", "perfect", "random", "shortest"} <= names
    for command in ("games", "agents"):
        code, out, _ = run(command)
        assert code == 0
        assert "help" not in out.split("\n")[0]


def test_perft_counts_connect_four(run):
    code, out, _ = run("perft", "connect_n", "8", "--json")
    assert code == 0
    leaves = [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
    assert json.loads(out)["leaves"] == leaves


def test_perft_begins_from_the_given_position(run):
    code, out, _ = run("perft", "connect_n", "2", "--position", "7/7/7/7/ooo4/xxx4")
    assert code == 0
    assert "42" in out  # 7 actions, one of which wins at once and so has no successor


def test_match_is_repeatable_and_whole(run):
    arguments = (
        "match", "connect_n", "random", "mcts(simulations=50)", "--games", "4", "--json",
        "--workers", "1", "--store", "none",
    )  # fmt: skip
    output = [json.loads(run(*arguments, "--seed", seed)[1]) for seed in ("7", "7", "8")]
    actions = [[game["actions"] for game in each["games"]] for each in output]
    assert actions[0] == actions[1] != actions[2]
    assert sum(row["wins"] for row in output[0]["standings"]) <= 4
    assert len(output[0]["games"]) == 4


def test_settings_and_specs_set_a_games_options(run):
    command = ("perft", "--set", "width=5", "--set", "height=4", "--json")
    assert json.loads(run(*command, "connect_n", "1")[1])["leaves"] == [5]
    output = json.loads(run(*command, "connect_n(width=9, n=3)", "1")[1])
    assert output["game"] == "connect_n(width=5, height=4, n=3)"


def test_a_setting_may_be_any_text(run, tmp_path):
    file = tmp_path / "a map (1), 'new'.txt"
    file.write_text("#####\n#1 2#\n#####\n")
    output = json.loads(run("perft", "tron", "1", "--set", f"map={file}", "--json")[1])
    assert output["game"] == f"tron(map={str(file)!r})"
    code, _, err = run("perft", "tron", "1", "--set", "map=/nowhere/x.txt")
    assert code == 2
    assert "unknown map of tron '/nowhere/x.txt'" in err
    assert (
        "connect_n: width must be int, got 'x, y'"
        in run(*["perft", "connect_n", "1", "--set"], "width=x, y")[2]
    )


def test_a_tournament_ranks_and_writes_a_replay(run, tmp_path):
    page = tmp_path / "best.html"
    code, out, err = run(
        "tournament", "connect_n", "random", "alphabeta(depth=4)", "--games", "4",
        "--replay", str(page), "--workers", "1",
    )  # fmt: skip
    assert code == 0
    assert out.index("alphabeta") < out.index("random")
    assert str(page) in err.replace("\n", "")
    assert "<svg" in page.read_text().replace("\\u003c", "<")


def test_a_tournament_by_a_file_is_kept_resumed_shown_and_moved(run, tmp_path):
    store, other = str(tmp_path / "games.sqlite"), str(tmp_path / "other.sqlite")
    plan = tmp_path / "plan.toml"
    plan.write_text('game = "connect_n"\nagents = ["random", "greedy", "random"]\ngames = 2\n')
    once = ("tournament", str(plan), "--workers", "1", "--store", store, "--json")
    output = json.loads(run(*once)[1])
    assert len(output["games"]) == 6
    assert json.loads(run(*once, "--resume")[1]) == output
    assert "--resume" in run(*once, "--resume", "--seed", "2")[2]
    assert json.loads(run(*once, "--seed", "2")[1])["run"] == 2
    listed = json.loads(run("runs", "list", "--store", store, "--json")[1])
    assert [(each["run"], each["games"], each["total"]) for each in listed] == [
        (1, 6, 6),
        (2, 6, 6),
    ]
    shown = json.loads(run("runs", "show", "1", "4", "--store", store, "--json")[1])
    assert shown == output["games"][3]
    code, out, _ = run("runs", "show", "1", "4", "--store", store)
    assert '[Player2 "random"]' in out
    assert code == 0
    exported = run("runs", "export", "--store", store)[1]
    file = tmp_path / "games.jsonl"
    file.write_text(exported)
    assert "12 games" in run("runs", "import", str(file), "--store", other)[1]
    assert run("runs", "export", "--store", other)[1] == exported
    assert run("runs", "export", "1", "--text", "--store", other)[1].count("[Game ") == 6
    assert "random - greedy" in run("runs", "show", "1", "--store", other)[1]
    assert "has no run 9" in run("runs", "show", "9", "1", "--store", other)[2]
    for number in ("0", "7", "78", "-1"):
        output = run("runs", "show", "1", "--store", other, "--", number)[2]
        assert f"run 1 has no game {number}; `plyground runs show 1` lists them" in output


def test_check_passes_and_lists_the_laws_it_tested(run):
    code, out, _ = run("check", "connect_n", "--games", "3", "--json")
    laws = json.loads(out)["laws"]
    assert code == 0
    assert len(laws) == 19
    assert not any(law["failure"] for law in laws)
    untested = {law["untested"] for law in laws if not law["holds"]}
    assert untested == {"no hidden information", "no kernel `bound`"}


def test_check_exits_1_for_a_broken_game(run, tmp_path):
    broken = tmp_path / "broken.py"
    source = Path(EXAMPLE).read_text().replace("longest=cells)", "longest=cells - 5)")
    broken.write_text(source)
    code, out, _ = run("check", str(broken), "--games", "5")
    assert code == 1
    assert "BROKEN" in out
    assert "the game is longer than `longest`, 4 plies" in out.replace("\n", " ")


def test_bench_prints_one_signature(run):
    output = json.loads(run("bench", "--json")[1])
    assert output["signature"] == sum(search["nodes"] for search in output["searches"]) > 0


BAD = {
    "unknown game": ["match", "conect_n", "random", "random"],
    "unknown agent": ["match", "connect_n", "randm", "random"],
    "unknown option of an agent": ["match", "connect_n", "mcts(simulation=3)", "random"],
    "unknown option of a game": ["perft", "connect_n", "3", "--set", "widht=8"],
    "unknown evaluator": ["match", "connect_n", "greedy(evaluate=window)", "random"],
    "unreadable spec": ["match", "connect_n", "mcts(1000", "random"],
    "code in a spec": ["match", "connect_n", "mcts(simulations=print(1))", "random"],
    "wrong type": ["match", "connect_n", "mcts(simulations='many')", "random"],
    "width 0": ["perft", "connect_n", "3", "--set", "width=0"],
    "width 99": ["perft", "connect_n", "3", "--set", "width=99"],
    "setting without value": ["perft", "connect_n", "3", "--set", "width"],
    "no line fits": ["perft", "connect_n(width=3, height=3, n=4)", "3"],
    "too few rows": ["perft", "connect_n", "3", "--position", "7/7"],
    "unknown symbol": ["perft", "connect_n", "3", "--position", "7/7/7/7/7/3z3"],
    "floating stone": ["perft", "connect_n", "3", "--position", "7/7/7/7/3x3/7"],
    "wrong state length": ["perft", EXAMPLE, "3", "--position", "3 3 3 | 0 0 0"],
    "not a number": ["perft", EXAMPLE, "3", "--position", "3 3 3 | a b c d"],
    "words that nobody checks": ["perft", EXAMPLE, "3", "--position", "999999 3 3 | 0 0 0 0"],
    "an action that is taken": ["perft", EXAMPLE, "3", "--position", "start: 4 4"],
    "no such file": ["perft", "nowhere.py", "3"],
    "too many agents": ["match", "connect_n", "random", "random", "random"],
    "one agent": ["tournament", "connect_n", "random"],
    "negative time": ["match", "connect_n", "random", "random", "--seconds", "-1"],
    "no such seat": ["play", "connect_n", "random", "--seat", "3"],
    "unknown command": ["perf", "connect_n", "3"],
    "unknown flag": ["perft", "connect_n", "3", "--deep"],
    "depth 0": ["perft", "connect_n", "0"],
    "no games": ["match", "connect_n", "random", "random", "--games", "0"],
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line_and_exit_code_2(run, case):
    code, out, err = run(*BAD[case])
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_errors_suggest_what_was_meant(run):
    assert "did you mean 'connect_n'?" in run(*BAD["unknown game"])[2]
    assert "did you mean 'random'?" in run(*BAD["unknown agent"])[2]
    assert "did you mean 'simulations'?" in run(*BAD["unknown option of an agent"])[2]
    assert "did you mean 'width'?" in run(*BAD["unknown option of a game"])[2]
    assert "1 to 16" in run(*BAD["width 99"])[2]
    assert "row 6, column 4" in run(*BAD["unknown symbol"])[2]
    assert "this game needs 4" in run(*BAD["wrong state length"])[2]


def command(*arguments: str, **keywords):
    return subprocess.Popen(
        [sys.executable, "-m", "plyground", *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        **keywords,
    )  # fmt: skip


def test_a_person_plays_to_the_end(run):
    process = command("play", "connect_n", "greedy", "--position", "7/7/7/7/ooo4/xxx4")
    out, err = process.communicate("?\n9\n:hint\n4\n", timeout=60)
    assert process.returncode == 0
    assert "legal: 1 2 3 4 5 6 7" in err
    assert "error: '9' is not legal" in err
    assert "hint: 4" in err
    assert "You won." in out


def test_play_takes_moves_back_and_quits(run):
    process = command("play", "connect_n", "greedy", "--json")
    out, _ = process.communicate("4\n:undo\n:quit\n", timeout=60)
    plies = [json.loads(line)["ply"] for line in out.splitlines()]
    assert process.returncode == 0
    assert plies == [0, 1, 2, 0]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_shows_the_standings_so_far_and_how_to_resume(run, tmp_path, workers):
    store = str(tmp_path / "games.sqlite")
    plan = ("match", "connect_n", "random", "random", "--games", "1000000", "--workers", workers)
    process = command(*plan, "--store", store)
    kept = 0
    try:
        while kept < 10:
            time.sleep(0.2)
            assert process.poll() is None
            if os.path.exists(store):
                listed = json.loads(run("runs", "list", "--store", store, "--json")[1])
                kept = listed[0]["games"] if listed else 0
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "random" in out
    assert "Traceback" not in err
    kept_now = json.loads(run("runs", "list", "--store", store, "--json")[1])[0]["games"]
    left = f"{1000000 - kept_now:,} games left: the same command with --resume plays the rest"
    assert err.endswith(f"{left}\nstopped\n")
    shown = int(out.split(" games, run 1")[0].split()[-1].replace(",", ""))
    assert kept_now >= shown  # a game is shown only when it is stored
    assert kept_now >= kept


def test_a_reader_that_goes_away_is_no_error():
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "plyground", "games"], stdout=writing, stderr=subprocess.PIPE
    )
    os.close(reading)
    os.close(writing)
    _, err = process.communicate(timeout=60)
    assert b"Traceback" not in err


def test_version(run):
    code, out, _ = run("--version")
    assert code == 0
    assert out.startswith("plyground 0.")
