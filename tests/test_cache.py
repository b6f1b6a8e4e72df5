"""The folder of compiled kernels: warm from process to process, and never stale."""

import pytest

START = """
import sys
from plyground import load_game
position = load_game(sys.argv[1]).start()
print(position.play(position.legal_actions[0]).to_text())
"""

STEPPING = """
from plyground import helper

@helper
def step(word):
    return word + {step}
"""

PASSING = """
from far.stepping import step as step_far

from plyground import helper

@helper
def step(word):
    return step_far(word)
"""

COUNTING = """
from {module} import {name}

from plyground import Facts, Game, Kernels, kernel

@kernel("player")
def player(setup, state):
    return 0

@kernel("legal")
def legal(setup, state, out):
    out[0] = 0
    return 1

@kernel("play")
def play(setup, state, action):
    state[0] = {play}

@kernel("over")
def over(setup, state):
    return state[0] >= 1000

@kernel("returns")
def returns(setup, state, out):
    out[0] = 0.0

class Counting(Game):
    name = "counting"
    kernels = Kernels(player, legal, play, over, returns)

    def measure(self):
        return Facts(players=1, actions=1, branching=1, longest=1000)

    def begin(self, seed):
        return [0], [0]
"""


def write_counting(folder, step, where="beside"):
    """Write a game that counts by `step`, a number which stands in another file."""
    stepping = STEPPING.format(step=step)
    module, name, play, files = {
        "beside": ("stepping", "step", "step(state[0])", {"stepping.py": stepping}),
        "behind a helper": (
            "near.passing",
            "step",
            "step(state[0])",
            {"near/passing.py": PASSING, "far/stepping.py": stepping},
        ),
        "in a constant": (
            "far.numbers", "STEP", "state[0] + STEP", {"far/numbers.py": f"STEP = {step}"},
        ),
    }[where]  # fmt: skip
    for path, text in (files | {"counting.py": COUNTING}).items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text.format(module=module, name=name, play=play))
    return folder / "counting.py"


@pytest.fixture
def own_cache(tmp_path):
    """Environment for a process with a cache folder and a module folder of its own."""
    return {
        "PLYGROUND_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def test_kernels_compile_once_and_an_edited_helper_is_noticed(fresh_python, tmp_path, own_cache):
    game = write_counting(tmp_path, step=1)
    first = fresh_python(START, game, **own_cache)
    assert first.stdout == "0 | 1\n"
    assert "compiling kernels, once" in first.stderr
    second = fresh_python(START, game, **own_cache)
    assert second.stdout == "0 | 1\n"
    assert second.stderr == ""
    write_counting(tmp_path, step=7)
    third = fresh_python(START, game, **own_cache)
    assert third.stdout == "0 | 7\n"


@pytest.mark.parametrize("where", ["behind a helper", "in a constant"])
def test_an_edit_in_another_folder_is_noticed(fresh_python, tmp_path, own_cache, where):
    game = write_counting(tmp_path, 1, where)
    assert fresh_python(START, game, **own_cache).stdout == "0 | 1\n"
    write_counting(tmp_path, 7, where)
    assert fresh_python(START, game, **own_cache).stdout == "0 | 7\n"


def test_a_game_imports_a_file_beside_it(fresh_python, tmp_path):
    game = write_counting(tmp_path, step=1)
    done = fresh_python(START, game, PYTHONDONTWRITEBYTECODE="1")
    assert done.stdout == "0 | 1\n", done.stderr.strip().splitlines()[-1]


def test_an_unusable_cache_folder_costs_only_time(fresh_python, tmp_path, own_cache):
    game = write_counting(tmp_path, step=1)
    (tmp_path / "cache").write_text("a file where the folder should be")
    done = fresh_python(START, game, **own_cache)
    assert done.stdout == "0 | 1\n"
