"""The words of Tron's setup and state.

A board is a bitboard: bit `row * width + column`, from the top left. The border of every map is
walls, so that a step never leaves the board nor wraps from one row into the next.

Setup: width, height, words per board, whether both move at once, whether there are power-ups, the
frame (the symmetry by which `image` has turned the map: a trap's random cells turn with it), the
steps of the four actions and a fifth of length 0, then the walls.

State: whose turn it is, who has crashed (two bits), both heads, the first player's pending action
+ 1 (where both move at once), each player's remaining moves of speed, who has armor (two bits), the
random stream, then the board of taken cells: walls, barriers and heads, so that a head that moves
on leaves a barrier without further work. With power-ups there are three more boards, which hold the
bits of each cell's kind of power-up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.compile import helper

WIDTH, HEIGHT, WORDS, SIMULTANEOUS, POWERS, FRAME, STEPS = range(7)
WALLS = STEPS + 5
(
    TURN, CRASHED, HEADS, SECOND_HEAD, PENDING, HASTE, SECOND_HASTE, ARMOR, RANDOM, BOARD,
) = range(10)  # fmt: skip

UP, DOWN, LEFT, RIGHT = range(4)
UNKNOWN = 5
"""In PENDING: the first player has chosen an action that is hidden from the observer."""

NONE, TRAP, SPEED, BOMB, SHIELD = range(5)
"""Kinds of power-up."""


@helper
def has(words: Any, board: Any, cell: Any) -> Any:
    """Return whether a cell is in the board that begins at word `board`."""
    return (words[board + (cell >> 6)] >> (cell & 63)) & 1


@helper
def put(words: Any, board: Any, cell: Any) -> None:
    words[board + (cell >> 6)] |= np.int64(1) << (cell & 63)


@helper
def take(words: Any, board: Any, cell: Any) -> None:
    words[board + (cell >> 6)] &= ~(np.int64(1) << (cell & 63))


@helper
def kind_of(setup: Any, state: Any, cell: Any) -> Any:
    """Return the kind of power-up on a cell; only for games with power-ups."""
    words = setup[WORDS]
    kinds = BOARD + words
    low, middle = has(state, kinds, cell), has(state, kinds + words, cell)
    return low | middle << 1 | has(state, kinds + 2 * words, cell) << 2
