"""Kernels: errors of wrong ones, and the same play with the compiler switched off."""

import gc
import re

import numpy as np
import pytest

from plyground import kernel
from plyground.compile import SLOTS, call_play, loop, table
from plyground.errors import GameError, UnknownNameError
from plyground.game.position import look

MISSING = """
import sys
from plyground import PlygroundError, load_game
from plyground.game import Facts
TicTacToe = type(load_game(sys.argv[1]))
class Broken(TicTacToe):
    name = "broken"
    kernels = TicTacToe.kernels._replace({replaced})
    def measure(self):
        return Facts(players=2, actions=9, branching=9, longest=9, symmetries={symmetries})
try:
    Broken().prepare()
except PlygroundError as error:
    print(type(error).__name__, error)
"""

THINK = """
import sys
from plyground import load_agent, load_game, play_match
game = load_game(sys.argv[1])
record, = play_match(game, [load_agent("greedy"), load_agent("random")], 1, seed=3)
thought = load_agent(sys.argv[2]).think(game.start().play(2), seed=5)
print(record.actions, record.returns, record.ending, thought.action, round(thought.value, 9))
"""


PLAIN = {"NUMBA_DISABLE_JIT": "1"}


def with_player(game, function):
    """Return the game's kernels with another `player`."""

    class Changed(type(game)):
        name = "changed"
        kernels = type(game).kernels._replace(player=function)

    return Changed()


def test_an_unknown_kernel_name_brings_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean 'play'"):
        kernel("playy")


def test_a_kernel_in_the_wrong_slot_is_refused(tic_tac_toe):
    broken = with_player(tic_tac_toe, tic_tac_toe.kernels.over)
    with pytest.raises(GameError, match="given as 'player' is not marked"):
        broken.start()


@kernel("play")
def play_or_refuse(setup, state, action):
    if action == 3:
        raise ValueError("no such action")
    state[0] += action


@loop("i8(rules, words, words, i8)")
def play_once(rules, setup, state, action):
    call_play(rules, setup, state, action)
    return state[0]


def test_an_error_in_a_kernel_is_raised_by_the_loop_that_calls_it():
    rules = table([play_or_refuse if name == "play" else None for name in SLOTS])
    setup, state = np.zeros(1, np.int64), np.zeros(1, np.int64)
    assert play_once(rules, setup, state, 2) == 2
    with pytest.raises(ValueError, match="no such action"):
        play_once(rules, setup, state, 3)


def test_an_unmarked_function_is_refused(tic_tac_toe):
    broken = with_player(tic_tac_toe, lambda setup, state: 0)
    with pytest.raises(GameError, match="given as 'player' is not marked"):
        broken.start()


@kernel("player")
def asks_length(setup, state):
    return len(state)


@kernel("player")
def takes_slice(setup, state):
    return state[1:][0]


@kernel("player")
def gives_nothing(setup, state):
    state[0]


@kernel("player")
def opens_file(setup, state):
    with open("nowhere") as file:
        return file.fileno()


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (asks_length, "put sizes into setup"),
        (takes_slice, "write a loop"),
        (gives_nothing, "every path must return"),
        (opens_file, "a kernel may use numbers, loops"),
    ],
)
def test_a_kernel_that_does_not_compile_is_named_in_one_line(tic_tac_toe, function, hint):
    with pytest.raises(GameError) as caught:
        with_player(tic_tac_toe, function).start()
    text = str(caught.value)
    assert "\n" not in text
    assert f"'{function.__name__}'" in text
    assert hint in text
    first = function.py_func.__code__.co_firstlineno
    assert first <= int(re.search(r"test_compile\.py:(\d+)", text)[1]) <= first + 3


def test_a_kernel_with_other_parameters_is_refused_at_once():
    with pytest.raises(GameError, match=r"'player' takes \(setup, state\), not alone\(setup\)"):

        @kernel("player")
        def alone(setup):
            return setup[0]


@pytest.mark.parametrize("slot", ["player", "play"])
def test_a_missing_required_kernel_is_an_error_not_a_crash(fresh_python, slot, example):
    done = fresh_python(MISSING.format(replaced=f"{slot}=None", symmetries=1), example)
    assert done.returncode == 0, f"exit status {done.returncode}"
    assert done.stdout.startswith("GameError")


def test_symmetries_without_an_image_kernel_are_an_error_not_a_crash(fresh_python, example):
    done = fresh_python(MISSING.format(replaced="", symmetries=2), example)
    assert done.returncode == 0, f"exit status {done.returncode}"
    assert done.stdout.startswith("GameError")


@pytest.mark.parametrize("agent", ["alphabeta(depth=3)", "mcts(simulations=40)"])
def test_without_the_compiler_the_same_is_played_and_thought(fresh_python, agent):
    compiled = fresh_python(THINK, "connect_n(width=5, height=4)", agent)
    plain = fresh_python(THINK, "connect_n(width=5, height=4)", agent, **PLAIN)
    assert compiled.returncode == 0, compiled.stderr
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout == compiled.stdout


def test_the_collector_leaves_the_compiler_alone(connect_four):
    """Else one collection takes longer than a move."""
    connect_four.prepare()
    assert gc.get_freeze_count() > 50_000


def test_a_loop_is_the_same_without_the_check_of_types(connect_four):
    start, words = connect_four.start(), connect_four.look_words
    outs = np.zeros(words, np.int64), np.zeros(words, np.int64)
    arguments = connect_four.always, start.setup, start.state
    assert look.trusting(*arguments, outs[0]) == look(*arguments, outs[1]) == 7
    assert outs[0].tolist() == outs[1].tolist()


def test_without_the_compiler_thinking_prints_no_warnings(fresh_python):
    plain = fresh_python(THINK, "connect_n(width=5, height=4)", "alphabeta(depth=2)", **PLAIN)
    assert plain.stderr == ""
