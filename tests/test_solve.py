"""The command `solve`: positions, files, workers, wrong lines, Ctrl-C and the opening book."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from lines import continued, played
from solved_connect_four import solved_sets
from solved_robots import puzzles

from plyground import load_game
from plyground.cli import INTERRUPTED
from plyground.cli import solve as command
from plyground.errors import TextError
from plyground.game import Stop
from plyground.games.connect_n.openings import Book

KEYS = ["score", "actions", "nodes", "seconds"]
WIDE = "connect_n(width=10, height=4)"


@pytest.fixture
def positions(tmp_path):
    """A file in the form of Pascal Pons's sets, and its scores."""
    rows = solved_sets()["L3_R1"][:60]
    lines = [f"{''.join(str(column + 1) for column in line)} {score}" for line, score in rows]
    path = tmp_path / "positions.txt"
    path.write_text("\n".join([*lines[:30], "", *lines[30:]]))
    return str(path), [score for _, score in rows], [line for line, _ in rows]


def objects(out):
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_file_is_solved_in_its_order(run, connect_four, positions, workers):
    path, scores, lines = positions
    code, out, _ = run("solve", "connect_n", "--file", path, "--json", "--workers", workers)
    assert code == 0
    found = objects(out)
    assert [each["score"] for each in found] == scores
    for each, line in zip(found, lines, strict=True):
        assert list(each) == KEYS
        assert each["nodes"] >= 0
        assert each["seconds"] > 0
        position = played(connect_four, *line)
        end = continued(position, *each["actions"])
        assert end.is_over
        score = each["score"]
        assert end.returns[position.player] == (score > 0) - (score < 0)


def test_a_table_shows_results_in_words(run, positions):
    path, scores, _ = positions
    code, out, _ = run("solve", "connect_n", "--file", path, "--workers", "1")
    assert code == 0
    assert out.count(" loss in ") == sum(score < 0 for score in scores)
    assert out.count(" win in ") == sum(score > 0 for score in scores)
    assert "60 of 60 positions" in out
    assert "│ 61 │" in out  # numbered by the lines of the file, one of which is blank


@pytest.mark.parametrize(
    ("game", "text", "score"),
    [
        ("connect_n", "7/7/7/7/ooo4/xxx4", 18),
        ("connect_n", "121212", 18),
        ("connect_n", "1,2,1,2,1,2 what follows a blank is ignored", 18),
        (WIDE, "1,10,1,10,1,10", 17),
        ("connect_n(width=4, height=1, n=3)", "xox1", 0),
        ("connect_n", "1212121", -18),
    ],
)
def test_a_position_is_read_as_text_or_as_columns(run, game, text, score):
    code, out, _ = run("solve", game, "--position", text, "--json")
    assert (code, objects(out)[0]["score"]) == (0, score)
    code, out, _ = run("solve", game, "--position", text)
    assert code == 0
    assert load_game(game).verdict(score, 1).split()[0] in out


def test_no_columns_are_the_start(connect_four):
    assert connect_four.solver().read("") == connect_four.start()
    assert connect_four.solver().read(" 1") == connect_four.start()


WRONG = [
    ("connect_n", "44x", "move 3 of '44x' is 'x'; allowed: columns 1 to 7"),
    ("connect_n", "448", "move 3 of '448' is '8'; allowed: columns 1 to 7"),
    ("connect_n", "4444444", "move 7 of '4444444': column 4 is full"),
    ("connect_n", "12121212", "move 8 of '12121212': the game was over before"),
    ("connect_n", "7/7", "2 rows"),
    (WIDE, "410", "move 1 of '410' is '410'; allowed: columns 1 to 10, with commas between"),
    (WIDE, "4,,10", "move 2 of '4,,10' is ''; allowed: columns 1 to 10, with commas between"),
    ("robots", "nonsense", "robots"),
]


@pytest.mark.parametrize(("game", "text", "reason"), WRONG)
def test_a_wrong_line_is_named(run, tmp_path, game, text, reason):
    with pytest.raises(TextError):
        load_game(game).solver().read(text)
    path = tmp_path / "positions.txt"
    path.write_text(f"\n{text}\n")
    code, out, err = run("solve", game, "--file", str(path))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {path}:2: ")
    assert reason in err
    assert run("solve", game, "--position", text)[2].startswith("error: ")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("connect_n",), "give one of --position TEXT, --file FILE and --book"),
        (("connect_n", "--position", "4", "--book"), "give one of"),
        (("connect_n", "--file", "/nowhere/x"), "/nowhere/x cannot be read: No such file"),
        (("tron", "--position", "x"), "tron has no exact solver"),
        (("robots", "--book"), "robots has no opening book"),
        (("connect_n(width=10, height=8)", "--book"), "need more than 64 bits"),
        (("connect_n(width=4)", "--book", "--plies", "24"), "allowed for connect_n(width=4): 0 to"),
    ],
)
def test_what_cannot_be_done_is_one_line(run, tmp_path, monkeypatch, arguments, reason):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("solve", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert reason in err


def test_a_solver_of_few_positions_says_which_it_knows(run):
    text = load_game("expendibots").start().to_text()
    code, _, err = run("solve", "expendibots", "--position", text)
    assert code == 2
    assert err.endswith("could not solve the position: it knows positions of up to four tokens\n")


def test_a_file_that_is_no_text_is_refused(run, tmp_path):
    path = tmp_path / "positions.txt"
    path.write_bytes(b"44\n\xff")
    assert run("solve", "connect_n", "--file", str(path))[::2] == (
        2,
        f"error: {path} is not a text in UTF-8: byte 4\n",
    )


def test_puzzles_are_solved_without_regard_to_the_cap_unless_asked(run, tmp_path):
    chosen = [next(each for each in puzzles() if each.fewest == fewest) for fewest in (3, 7)]
    path = tmp_path / "puzzles.txt"
    path.write_text("".join(f"{each.text}\n" for each in chosen))
    game = "robots(board=classic, cap=4)"
    found = objects(run("solve", game, "--file", str(path), "--json")[1])
    assert [each["score"] for each in found] == [3, 7]
    assert [len(each["actions"]) for each in found] == [3, 7]
    start = load_game("robots(board=classic)").parse(chosen[1].text)
    assert continued(start, *found[1]["actions"]).returns[0] > -1
    within = objects(run("solve", game, "--file", str(path), "--json", "--within-cap")[1])
    assert [each["score"] for each in within] == [3, None]
    assert within[1]["actions"] == []
    assert "no solution" in run("solve", game, "--file", str(path), "--within-cap")[1]


def test_what_is_not_solved_is_said(run, monkeypatch):
    """No limit can be given, but a solver may have bounds of its own."""
    monkeypatch.setattr(command, "Stop", lambda: Stop(nodes=100))
    code, out, err = run("solve", "connect_n(width=9)", "--position", "44", "--json")
    assert (code, objects(out)[0]["error"]) == (2, "not solved")
    assert err == "error: the solver could not solve the position\n"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_keeps_what_was_solved(tmp_path, workers):
    """It ends in one line; that its output ends means that no worker has stayed."""
    easy, hard = 12, 8
    path = tmp_path / "positions.txt"
    path.write_text("121212\n" * easy + "9/9/9/9/9/9\n" * hard)
    process = subprocess.Popen(
        [sys.executable, "-m", "plyground", "solve", "connect_n(width=9)", "--json",
         "--file", str(path), "--workers", workers],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    solved = [json.loads(process.stdout.readline()) for _ in range(easy)]
    assert {each["score"] for each in solved} == {24}
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (INTERRUPTED, "")
    assert err.splitlines()[-1] == "stopped"
    assert "Traceback" not in err


def test_progress_is_told_once_it_takes_a_while(run, monkeypatch, positions):
    assert "positions solved" not in run("solve", "connect_n", "--position", "121212")[2]
    monkeypatch.setattr(command, "QUIET", 0.0)
    path, _, _ = positions
    _, out, err = run("solve", "connect_n", "--file", path, "--workers", "1", "--json")
    assert " of 60 positions solved, 0 s\n" in err
    assert len(objects(out)) == 60


# The opening book -------------------------------------------------------------------------------

SMALL = "connect_n(width=5, height=4)"


def test_a_book_is_built_and_resumed(run, tmp_path):
    build = ("solve", SMALL, "--book", "--plies", "3", "--folder", str(tmp_path / "new" / "book"))
    code, out, _ = run(*build, "--workers", "2", "--minutes", "0")
    assert (code, out) == (0, "the book is not complete: the same command goes on\n")
    journal = tmp_path / "new" / "book" / "5x4-4-ply3.txt"
    code, out, _ = run(*build, "--workers", "1", "--json")
    assert code == 0
    book = Book.load(Path(json.loads(out)["book"]))
    assert (book.width, book.height, book.n, book.plies) == (5, 4, 4, 3)
    lines = journal.read_text().splitlines()
    assert all(len([int(word) for word in line.split()]) == 2 for line in lines)
    assert len(lines) == len(set(lines)) == 49
    assert "book.npz" in run(*build)[1].replace("\n", "")  # nothing is left to be solved
    assert journal.read_text().splitlines() == lines


def test_a_folder_that_cannot_be_used_is_refused(run, tmp_path):
    (tmp_path / "file").write_text("")
    code, out, err = run("solve", SMALL, "--book", "--folder", str(tmp_path / "file"))
    assert (code, out) == (2, "")
    assert f"{tmp_path / 'file'} cannot be used for a book: " in err
