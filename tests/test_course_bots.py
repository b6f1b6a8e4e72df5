"""What real course bots need beyond the interface; `courses/` has stand-ins for them."""

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from plyground import PlygroundError, load_agent, load_game, play_game
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


# What students do to the files of a course -------------------------------------------------------

OWN_PROBLEM = '''
import math
from adversarialsearchproblem import AdversarialSearchProblem
from trontypes import CellType

class TronProblem(AdversarialSearchProblem):
    def free_cells(self, state):
        assert TronProblem.get_safe_actions(state.board, state.player_locs[state.ptm]) is not None
        return sum(cell == CellType.SPACE for row in state.board for cell in row)

    def get_available_actions(self, state):
        return {"D"}  # not the course's rule

def closest(asp, actions):
    """Prefer up: the module's names are the course's here, too."""
    assert TronProblem.move((1, 1), "U") == (0, 1)
    return sorted(actions)[-1]
'''
OWN_BOT = """
from tronproblem import *
import tronproblem

class StudentBot:
    def decide(self, asp):
        state = asp.get_start_state()
        assert asp.get_available_actions(state) == set("UDLR")
        assert asp.free_cells(state) > 0
        safe = asp.get_safe_actions(state.board, state.player_locs[state.ptm])
        return closest(asp, safe) if safe else None

    def cleanup(self):
        pass
"""


def test_what_a_student_adds_to_the_courses_module_stands_beside_it(tmp_path):
    (tmp_path / "tronproblem.py").write_text(OWN_PROBLEM)
    (tmp_path / "bots.py").write_text(OWN_BOT)
    (tmp_path / "boardprinter.py").write_text("import no_such_module\n")
    bot = load_agent("brown_tron", path=str(tmp_path))
    table = [bot, "alphabeta(depth=3)"]
    record = play_game("tron", table, referee="course", seed=7)
    assert (record.ending, record.reason) == (FINISHED, "")
    assert "what boardprinter.py adds to the course's module is left out" in record.logs[0]
    assert record.returns[0] == -1.0
    ((_, seat, kind, reason),) = record.faults  # it saw no way out and returned None
    assert (seat, kind, reason) == (0, "illegal", "its action is None, which is not legal")
    assert play_game("tron", table, seed=7).ending == "illegal"


def test_an_agent_may_be_a_call_with_literal_arguments(tmp_path):
    source = (BOTS / "Group01" / "alpha_beta_agent.py").read_text()
    package = tmp_path / "Group07"
    package.mkdir()
    (package / "alpha_beta_agent.py").write_text(source.rpartition("THE_AGENT")[0])
    for call in ('AlphaBetaAgent("Group 07", 4)', "AlphaBetaAgent('x', max_depth=-4)"):
        bot = load_agent("wpi_connect_n", path=str(package), agent=call)
        record = play_game("connect_n", [bot, "random"], opening=2)
        assert record.ending == FINISHED, record.reason
    record = play_game("connect_n", [load_agent("wpi_connect_n", path=str(package)), "random"])
    assert record.reason == (
        "alpha_beta_agent.py has no THE_AGENT: name AlphaBetaAgent(...) by the option agent="
    )
    for wrong in ("A(open('x'))", "A().b", "A(*b)", "A(**{})", "import os", "(" * 3000, "1", ""):
        with pytest.raises(PlygroundError, match="no call with literal arguments"):
            load_agent("wpi_connect_n", path=str(package), agent=wrong).arguments()


def test_a_bot_that_counts_on_the_first_plies_is_told_of_the_opening(tmp_path):
    package = tmp_path / "Group08"
    package.mkdir()
    (package / "alpha_beta_agent.py").write_text(
        "import agent\n"
        "class Counting(agent.Agent):\n"
        "    mine = 0\n"
        "    def go(self, brd):\n"
        "        assert sum(row.count(self.player) for row in brd.board) == self.mine\n"
        "        self.mine += 1\n"
        "        return brd.free_cols()[0] if self.mine < 3 else -1\n"
        "THE_AGENT = Counting('x')\n"
    )
    bot = load_agent("wpi_connect_n", path=str(package))
    told = "; the first 2 plies were played without it: a bot that counts on seeing them needs"
    assert told in play_game("connect_n", [bot, "random"], opening=2).reason
    record = play_game("connect_n", [bot, "random"])
    assert record.reason == "its action is -1, which is not legal"


# Memory -----------------------------------------------------------------------------------------

HUNGRY = "#include <vector>\nint main() { std::vector<char> v(1u << 30, 1); return v[7]; }\n"


def test_a_bot_that_runs_out_of_memory_is_told_its_limit(tmp_path):
    (tmp_path / "hungry.py").write_text(
        "def agent(observation, configuration):\n    return len(bytearray(2**30))\n"
    )
    bot = load_agent("kaggle_connectx", path=str(tmp_path / "hungry.py"), memory=100)
    record = play_game("connect_n", [bot, "random"])
    limit = "(its limit is memory=100 MiB)"
    assert record.reason == f"MemoryError: (hungry.py, line 2) {limit}"
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the other half")
    (tmp_path / "hungry.cpp").write_text(HUNGRY)
    command = ["g++", "-O1", "hungry.cpp", "-o", "hungry"]
    subprocess.run(command, cwd=tmp_path, check=True)
    bot = load_agent("remote", command=str(tmp_path / "hungry"), memory=100)
    record = play_game("connect_n", [bot, "random"])
    assert re.search(rf"SIGABRT.*bad_alloc {re.escape(limit)}", record.reason), record.reason
