"""How a game of Tron lies in words.

A board is a bitboard: bit `row * width + column`, from the top left. Every map is walled in, so
that a step never leaves the board nor wraps round from one row into the next.

Setup: width, height, words a board, whether both move at once, whether there are power-ups, the
frame (how `image` has turned the map: a trap's draw must turn with it), the steps that the four
actions make and a fifth that goes nowhere, then the walls.

State: whose turn it is, who has crashed (two bits), both heads, the first player's waiting action
+ 1 (where both move at once), each player's moves of speed to come, who has armor (two bits), the
random stream, then the board of all that is taken: walls, barriers and heads, so that a
head that moves on leaves its barrier behind by itself. With power-ups three boards more hold the
bits of each cell's kind.
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
"""In PENDING: the first player has chosen, and the observer does not know what."""

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
    """Return the power-up on a cell; only in games that have them."""
    words = setup[WORDS]
    kinds = BOARD + words
    low, middle = has(state, kinds, cell), has(state, kinds + words, cell)
    return low | middle << 1 | has(state, kinds + 2 * words, cell) << 2
