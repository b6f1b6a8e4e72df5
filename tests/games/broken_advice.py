"""Tic-tac-toe with broken advice to searches, one law each: `test_check` says which."""

from pathlib import Path

import numpy as np

from plyground import kernel
from plyground.registry import load_file

EXAMPLE = Path(__file__).parents[2] / "examples" / "tic_tac_toe.py"
TicTacToe = load_file(EXAMPLE).TicTacToe
list_legal = TicTacToe.kernels.legal


@kernel("order")
def never_finite(setup, state, action):
    return np.inf


class FiniteNever(TicTacToe):
    name = "finite_never"
    advice = (never_finite,)


@kernel("loud")
def backwards(setup, state, out):
    count = list_legal(setup, state, out)
    for index in range(count // 2):
        out[index], out[count - 1 - index] = out[count - 1 - index], out[index]
    return count


class LoudBackwards(TicTacToe):
    name = "loud_backwards"
    advice = (backwards,)


@kernel("loud")
def everywhere(setup, state, out):
    for cell in range(9):
        out[cell] = cell
    return 9


class LoudOutside(TicTacToe):
    name = "loud_outside"
    advice = (everywhere,)


@kernel("unwise")
def always(setup, state, action):
    return True


class NothingWise(TicTacToe):
    name = "nothing_wise"
    advice = (always,)


@kernel("rollout")
def centre(setup, state, random):
    return 4


class PlaysTaken(TicTacToe):
    name = "plays_taken"
    advice = (centre,)


@kernel("bound")
def nine(setup, state):
    return 9


class GloomyBound(TicTacToe):
    """Bounds nine plies, even where the next one ends the game."""

    name = "gloomy_bound"
    advice = (nine,)


@kernel("skip")
def stay(setup, state):
    pass


class StaysOn(TicTacToe):
    """Passes a turn without passing it."""

    name = "stays_on"
    advice = (stay,)
