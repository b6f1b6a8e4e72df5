"""What real course bots need beyond the interface; `courses/` has stand-ins for them."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from plyground import load_agent, load_game, play_game
from plyground.arena.record import FINISHED
from plyground.cli.entrants import bot_spec, gather

BOTS = Path(__file__).parent / "courses"

COMPILED = r"""
#include <Python.h>

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "x", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_x(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyObject *names = PyModule_GetDict(module);
    PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
    PyRun_String(
        "class StudentBot:\n"
        "    def decide(self, asp):\n"
        "        state = asp.get_start_state()\n"
        "        safe = asp.get_safe_actions(state.board, state.player_locs[state.ptm])\n"
        "        return min(safe, default='U')\n"
        "    def cleanup(self):\n"
        "        pass\n",
        Py_file_input, names, names);
    return module;
}
"""


# Tron -------------------------------------------------------------------------------------------


def test_a_compiled_bot_plays(tmp_path):
    headers = Path(sysconfig.get_paths()["include"])
    if shutil.which("gcc") is None or not (headers / "Python.h").exists():
        pytest.skip("needs gcc and Python's headers")
    (tmp_path / "x.c").write_text(COMPILED)
    command = ["gcc", "-shared", "-fPIC", f"-I{headers}", "x.c", "-o", "x.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    bot = load_agent("brown_tron", path=str(tmp_path / "x.so"))
    record = play_game(load_game("tron"), [bot, load_agent("rule(by=safe)")], seed=1)
    assert (record.ending, record.reason) == (FINISHED, "")


def test_a_bot_compiled_for_another_python_gets_a_clear_error(tmp_path):
    (tmp_path / "x.cpython-35m-x86_64-linux-gnu.so").touch()
    (tmp_path / "y.so35").touch()
    for name in ("x.cpython-35m-x86_64-linux-gnu.so", "y.so35"):
        bot = load_agent("brown_tron", path=str(tmp_path / name))
        record = play_game(load_game("tron"), [bot, load_agent("random")])
        assert (record.fault, record.ending) == (0, "failed"), record.reason
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"Python {version} cannot import y.so35" in record.reason


def test_a_bot_draws_from_the_seed_of_the_game_before_its_first_move():
    """This bot draws once per game, when it is made."""
    game = load_game("tron(starts=map, map=four_rooms)")
    bot = load_agent("brown_tron", path=str(BOTS / "brown" / "names.py"))
    table = [bot, load_agent("rule(by=safe)")]
    lines = [play_game(game, table, seed=seed).actions[::2] for seed in (0, 1, 2, 0)]
    assert lines[0] == lines[3]
    assert len({line[:6] for line in lines}) > 1
    again = play_game(game, table, seed=0, number=1).actions[::2]
    assert play_game(game, table, seed=0, number=1).actions[::2] == again


# Connect-N --------------------------------------------------------------------------------------


def test_a_board_takes_the_rows_as_they_are_and_its_copies_have_their_own(course):
    board = course("board", "wpi").Board
    rows = [[0] * 7 for _ in range(6)]
    first = board(rows, 7, 6, 4)
    assert first.board is rows
    assert first.player == 1
    first.add_token(3)
    second = first.copy()
    second.add_token(3)
    assert (first.player, second.player) == (2, 1)
    assert [rows[y][3] for y in (0, 1)] == [1, 0]
    assert [second.board[y][3] for y in (0, 1)] == [1, 2]


# Expendibots ------------------------------------------------------------------------------------


def test_a_class_may_be_named_after_its_package():
    game, team = load_game("expendibots"), f"{BOTS}/melbourne/keen_team"
    other = load_agent("unimelb_expendibots", path=f"{team}:OtherPlayer")
    record = play_game(game, [other, load_agent("random")], seed=1)
    assert (record.ending, record.reason) == (FINISHED, "")
    start = game.parse(record.start)
    assert start.format(record.actions[0]) == "boom-a1", "what the other class plays"
    missing = load_agent("unimelb_expendibots", path=f"{team}:Nobody")
    assert "'Nobody'" in play_game(game, [missing, load_agent("random")]).reason


# Battle Sheep -----------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", ["nycu_own/bot.py", "nycu_template/agent.py"])
@pytest.mark.parametrize(("seat", "opening"), [(0, 1), (1, 4), (3, 9)])
def test_a_bot_is_asked_to_place_even_where_a_random_opening_has_placed(bot, seat, opening):
    """Both bots fail if they are not asked, or see what was placed later."""
    table = [load_agent("random")] * 3
    table.insert(seat, load_agent("nycu_sheep", path=str(BOTS / bot)))
    record = play_game(load_game("sheep"), table, seed=seat, opening=opening)
    assert (record.ending, record.reason) == (FINISHED, "")


def test_the_map_before_placing_shows_what_earlier_players_placed(course):
    before_placing = course("nycu_sheep").before_placing
    turn = {"position": "a.b3./c4#a15d c", "played": ["0,0", "2,0", "0,1", "3,1", "x"]}
    assert before_placing(turn, 0) == [[0, 0], [0, -1], [0, 0], [0, 0]]
    assert before_placing(turn, 2) == [[1, 0], [0, -1], [2, 0], [0, 0]]
    hidden = dict(turn, played=[])
    assert before_placing(hidden, 1) == [[1, 0], [0, -1], [0, 1], [0, 0]]


def test_boards_are_lists_where_there_is_no_numpy(course, monkeypatch):
    shim = course("nycu_sheep")
    grid = shim.as_grid([[1, 0], [0, -1]])
    assert (grid.shape, str(grid.dtype)) == ((2, 2), "float64")
    monkeypatch.setattr(shim, "numpy", None)
    assert shim.as_grid([[1, 0], [0, -1]]) == [[1, 0], [0, -1]]


@pytest.mark.parametrize(
    ("source", "starts"),
    [
        ("import STcpClient\nwhile True:\n    STcpClient.GetBoard()\n", True),
        ("import STcpClient as client\ndef main():\n    client.GetMap()\nmain()\n", True),
        ("from STcpClient import GetMap\nif __name__ == '__main__':\n    GetMap()\n", True),
        ("import STcpClient\ndef GetStep(p, m, s):\n    return max(s.copy())\n", False),
        ("def GetStep(:\n", False),
    ],
)
def test_a_file_that_calls_the_client_is_a_program(course, tmp_path, source, starts):
    path = tmp_path / "agent.py"
    path.write_text(source)
    assert course("nycu_sheep").is_program(str(path)) is starts


def test_a_folder_of_bots_may_have_the_courses_layouts(tmp_path):
    from plyground.programs.courses.nycu import STcpClient as client

    for name in ("alice", "bob"):
        (tmp_path / name).mkdir()
    shutil.copy(client.__file__, tmp_path / "alice" / "STcpClient.py")
    shutil.copy(BOTS / "nycu_template" / "agent.py", tmp_path / "alice" / "Agent.py")
    shutil.copy(BOTS / "nycu" / "bot.py", tmp_path / "carol.py")
    moves, connection = ((BOTS / "nycu" / name).read_text() for name in ("bot.py", "client.py"))
    program = connection.replace("from bot import GetStep, InitPos", moves)
    (tmp_path / "bob" / "program").write_text(
        f"#!{sys.executable}\nimport sys; sys.argv += ['12']\n{program}"
    )
    (tmp_path / "bob" / "program").chmod(0o755)
    (tmp_path / "STcpClient.py").touch()
    everyone = gather([str(tmp_path), "random"], "nycu_sheep", "sheep")
    assert everyone.names == ["alice", "bob", "carol", "random"]
    assert everyone.absent == []
    bots = [load_agent(spec).arguments() for spec in everyone.specs[:2]]
    assert bots == [["Agent.py"], ["program"]]
    (tmp_path / "dave").mkdir()
    (tmp_path / "dave" / "x.so").touch()
    assert load_agent(bot_spec("brown_tron", tmp_path / "dave")).arguments()[0] == "x.so"


def test_a_compiled_program_connects(tmp_path):
    source = f"#!{sys.executable}\n" + (BOTS / "nycu" / "client.py").read_text()
    (tmp_path / "program").write_text(source.replace("sys.argv[1]", "12"))
    (tmp_path / "program").chmod(0o755)
    shutil.copy(BOTS / "nycu" / "bot.py", tmp_path)
    bot = load_agent("nycu_sheep", path=str(tmp_path / "program"))
    record = play_game(load_game("sheep"), [bot] + [load_agent("random")] * 3)
    assert (record.ending, record.reason) == (FINISHED, "")
