"""The table of endings: exact results of all positions with up to four tokens.

An entry is the distance to the end in plies: n for a win of the player to move in n plies, -n for a
loss in n, 0 for a draw. One token against one is always a draw and has no entries. The table knows
no earlier positions and no limit of plies: with best play a win never repeats a position, and
`ending` counts a win that comes after the limit as a draw.

By symmetry one token, the anchor, lies on one of the ten squares a1 to d1, b2 to d2, c3, d3 and d4:
the only token of a side that has one, else the first of the player to move. The other tokens of a
side are numbered as a multiset: squares a <= b <= c have the number a + C(b + 1, 2) + C(c + 2, 3).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from plyground.arithmetic import lowest, popcount
from plyground.compile import Bytes, Reals, helper
from plyground.games.expendibots.evaluate import tokens_within
from plyground.games.expendibots.rules import (
    HEIGHTS,
    LONGEST,
    MOVER,
    PLIES,
    SQUARES,
    STACKS,
    turned,
    turned_square,
)

SHIPPED = Path(__file__).with_name("endings.npz")
MOST = 4
"""The tokens of both sides together."""

ANCHORS, PAIRS, TRIPLES = 10, 2_080, 45_760
TWO_ONE = 0
ONE_TWO = TWO_ONE + ANCHORS * PAIRS
THREE_ONE = ONE_TWO + ANCHORS * PAIRS
ONE_THREE = THREE_ONE + ANCHORS * TRIPLES
TWO_TWO = ONE_THREE + ANCHORS * TRIPLES
ENTRIES = TWO_TWO + ANCHORS * SQUARES * PAIRS
"""The sections, by the tokens of the player to move and of the other, and the number of entries."""

NO_ENTRY = -1
DRAWN = ENTRIES
"""In the place of an entry's number: none, as there are too many tokens; one against one."""

PACKED, ZERO = 6, 128
"""Entries in one number of `packed_table`, a byte each (a float has 53 exact bits), and the byte of
a draw."""
UNKNOWN = 128
"""In the place of a distance: the table has no such position."""


@helper
def anchored(square):
    """Return the symmetry that moves a square to one of the ten anchors, and the anchor's number.

    The anchors have y <= x <= 3 and are numbered by x, then y.
    """
    x, y = square & 7, square >> 3
    symmetry = np.int64(0)
    if x > 3:
        x, symmetry = 7 - x, symmetry | 1
    if y > 3:
        y, symmetry = 7 - y, symmetry | 2
    if y > x:
        x, y, symmetry = y, x, symmetry | 4
    return symmetry, x * (x + 1) // 2 + y


@helper
def multiset(state, squares, symmetry):
    """Return the number of up to three tokens, as turned by a symmetry."""
    low = turned(state[HEIGHTS] & squares, symmetry)
    high = turned(state[HEIGHTS + 1] & squares, symmetry)
    left = low | high
    number = order = np.int64(0)
    while left != 0:
        square = lowest(left)
        left &= left - 1
        for _ in range((low >> square & 1) + 2 * (high >> square & 1)):
            order += 1
            if order == 1:
                number += square
            elif order == 2:
                number += square * (square + 1) // 2
            else:
                number += square * (square + 1) * (square + 2) // 6
    return number


@helper
def entry_number(state):
    """Return the number of a position's entry; NO_ENTRY or DRAWN if it has none.

    Both sides must have tokens.
    """
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    if popcount(own | enemy) > MOST:
        return NO_ENTRY
    tokens, enemies = tokens_within(state, own), tokens_within(state, enemy)
    if tokens + enemies > MOST:
        return NO_ENTRY
    if tokens == 1 and enemies == 1:
        return DRAWN
    if enemies == 1:
        symmetry, anchor = anchored(lowest(enemy))
        others = multiset(state, own, symmetry)
        if tokens == 2:
            return TWO_ONE + PAIRS * anchor + others
        return THREE_ONE + TRIPLES * anchor + others
    symmetry, anchor = anchored(lowest(own))
    others = multiset(state, enemy, symmetry)
    if tokens == 1:
        if enemies == 2:
            return ONE_TWO + PAIRS * anchor + others
        return ONE_THREE + TRIPLES * anchor + others
    rest = own & (own - 1)
    partner = turned_square(lowest(rest if rest != 0 else own), symmetry)
    return TWO_TWO + (SQUARES * anchor + partner) * PAIRS + others


@helper
def ending(state, table):
    """Return a position's distance to the end, from a packed table; UNKNOWN if it has none.

    The game must not be over.
    """
    number = entry_number(state)
    if number == NO_ENTRY:
        return UNKNOWN
    if number == DRAWN:
        return 0
    bytes_there = np.int64(table[number // PACKED])
    distance = ((bytes_there >> (8 * (number % PACKED))) & 255) - ZERO
    return distance if state[PLIES] + abs(distance) <= LONGEST else 0


@cache
def packed_table() -> Reals:
    """Return the table that comes with the game, six entries in each number."""
    with np.load(SHIPPED, allow_pickle=False) as file:
        return pack(file["endings"])


def pack(distances: Bytes) -> Reals:
    """Return a table as kernels read it."""
    rows = np.zeros((-(-len(distances) // PACKED), 8), np.uint8)
    padded = np.pad(distances, (0, -len(distances) % PACKED)).view(np.uint8)
    rows[:, :PACKED] = (padded + np.uint8(ZERO)).reshape(-1, PACKED)
    return rows.view("<i8").astype(np.float64).reshape(-1)
