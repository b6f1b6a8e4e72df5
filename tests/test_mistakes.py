"""The mistakes of a new game's author: each gives one helpful message, and nothing hangs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

GOOD = (Path(__file__).parent.parent / "examples" / "tic_tac_toe.py").read_text()

LOAD, RUN, LAW, WARNING = "load", "run", "law", "warning"
"""Outcomes of a mistake: two kinds of error (exit 2), a broken law (exit 1), a warning (exit 0)."""

MISTAKES = {
    "wrong signature": (
        "def legal(setup, state, out):", "def legal(setup, out):",
        LOAD, "the kernel 'legal' takes (setup, state, out), not legal(setup, out)",
    ),
    "out of range": (
        "state[PLIES] += 1", "state[MARKS + 2] += 1",
        RUN, "mistake.py:30, in the kernel 'play': state[4] is out of range; allowed: 0 to 3",
    ),
    "negative index": (
        "    return state[PLIES] % 2", "    return state[PLIES - 1] % 2",
        RUN, "mistake.py:11, in the kernel 'player': state[-1] is out of range; allowed: 0 to 3",
    ),
    "forgotten switch of player": (
        "    return state[PLIES] % 2", "    return 0",
        WARNING, "player 1 never moves in 5 random games: does `play` pass the turn on?",
    ),
    "descending list": (
        "for cell in range(setup[WIDTH] * setup[HEIGHT]):", "for cell in range(8, -1, -1):",
        LAW, "legal actions (8, 7, 6, 5, 4, ...) are not ascending",
    ),
    "endless game": (
        "    return state[RESULT] != 0 or state[PLIES] == setup[WIDTH] * setup[HEIGHT]",
        "    return False",
        LAW, "the game goes on without a legal action",
    ),
    "game longer than declared": (
        "longest=cells", "longest=6",
        LAW, "the game is longer than `longest`, 6 plies",
    ),
    "endless loop": (
        "    taken = state[MARKS] | state[MARKS + 1]",
        "    taken = 0\n    while setup[ROW] == 3:\n        taken |= 1",
        RUN, "in 'legal': no end within 2 s: an endless loop?",
    ),
    "typo in an option": (
        "row: int = option(3, low=2, high=7", "row: int = option(3, low=2, hihg=7",
        LOAD, "unexpected keyword argument 'hihg'",
    ),
    "NumPy call": (
        "    taken = state[MARKS] | state[MARKS + 1]",
        "    import numpy as np\n    taken = np.bitwise_or.reduce(state)",
        RUN, "mistake.py:17, in the kernel 'legal': NumPy functions do not accept the array state",
    ),
    "Python that cannot be compiled": (
        "    taken = state[MARKS] | state[MARKS + 1]",
        "    taken = min(frozenset((state[MARKS] | state[MARKS + 1],)))",
        RUN, "kernel 'legal' (mistake.py:16) does not compile: a kernel may use numbers, loops",
    ),
    "slice": (
        "    taken = state[MARKS] | state[MARKS + 1]", "    taken = state[MARKS:][0]",
        RUN, "mistake.py:16, in the kernel 'legal': kernels cannot slice state: write a loop",
    ),
    "misspelt required method": (
        "def begin(self, seed):", "def bgein(self, seed):",
        LOAD, "class TicTacToe has no method 'begin'; is 'bgein' a misspelling of it?",
    ),
    "misspelt optional method": (
        "    def begin(self, seed):",
        "    def foramt(self, position, action):\n        return 'x'\n\n    def begin(self, seed):",
        WARNING, "nothing calls the method 'foramt'; did you mean 'format'?",
    ),
    "method with a wrong signature": (
        "def begin(self, seed):", "def begin(self):",
        LOAD, "TicTacToe.begin must take (self, seed), not (self)",
    ),
    "misspelt kernel": (
        "def legal(setup, state, out):", "def leagl(setup, state, out):",
        LOAD, "unknown kernel 'leagl'; did you mean 'legal'?",
    ),
    "wrong returns": (
        "state[RESULT], -state[RESULT]", "state[RESULT], state[RESULT]",
        LAW, "do not add up to 0",
    ),
    "returns that are returned": (
        "    out[0], out[1] = state[RESULT], -state[RESULT]",
        "    return state[RESULT], -state[RESULT]",
        RUN, "mistake.py:46, in the kernel 'returns': it returns (",
    ),
    "nothing returned": (
        "    return count\n", "\n",
        RUN, "in the kernel 'legal': it returns None; it must return a number on every path",
    ),
    "no name": (
        '    name = "tic_tac_toe"\n', "",
        LOAD, "class TicTacToe has no `name = ...`",
    ),
    "no kernels": (
        "    kernels = Kernels(player, legal, play, over, returns)\n", "",
        LOAD, "class TicTacToe has no `kernels = ...`",
    ),
    "error in the game's own Python": (
        "return [self.width,", "return [self.wdith,",
        RUN, "AttributeError: 'TicTacToe' object has no attribute 'wdith'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_gives_one_helpful_message(run, tmp_path, name):
    right, wrong, found, message = MISTAKES[name]
    assert right in GOOD
    file = tmp_path / "mistake.py"
    file.write_text(GOOD.replace(right, wrong, 1))
    code, out, err = run("check", str(file), "--games", "5", "--timeout", "2")
    assert code == {LOAD: 2, RUN: 2, LAW: 1, WARNING: 0}[found], out + err
    assert "Traceback" not in out + err
    if found in (LOAD, RUN):
        assert out == ""
        assert err.count("\n") == 1, err
        assert message in err
    else:
        assert message in out


ONLY_COMPILED = "from plyground.compile import JIT\nfrom plyground import"
"""Makes a mistake occur only in compiled code, which plain Python does not show."""


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        ("while JIT:\n        state[PLIES] ^= 1", "no end within 2 s: an endless loop?"),
        ("if JIT:\n        state[1 << 50] = 1", "the rules crashed (SIGSEGV)"),
    ],
    ids=["endless loop", "crash"],
)
def test_compiled_code_is_stopped_too(run, tmp_path, mistake, message):
    file = tmp_path / "mistake.py"
    source = GOOD.replace("from plyground import", ONLY_COMPILED, 1)
    file.write_text(source.replace("state[PLIES] += 1", f"state[PLIES] += 1\n    {mistake}"))
    code, _, err = run("check", str(file), "--games", "5", "--timeout", "2")
    assert code == 2
    assert message in err
    assert "(compiled, in the random game of seed 0)" in err


def test_ctrl_c_ends_an_endless_loop_at_once(tmp_path):
    file, mark = tmp_path / "mistake.py", tmp_path / "mark"
    loop = f"    open({str(mark)!r}, 'w').close()\n    while True:\n        pass\n    taken ="
    file.write_text(GOOD.replace("    taken =", loop, 1))
    command = [sys.executable, "-m", "plyground", "check", str(file), "--timeout", "600"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as child:
        while not mark.exists():
            assert child.poll() is None
            time.sleep(0.05)
        os.killpg(child.pid, signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert err.decode() == "stopped\n"
