"""Advice to searches: the middle first; play-outs that win where they can and parry threats."""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import popcount, random_bit
from plyground.compile import Random, Words, helper, kernel
from plyground.games.connect_n.rules import (
    HEIGHT,
    PLIES,
    STONES,
    WIDTH,
    WORDS,
    N,
    has_line,
    is_taken,
    makes_line,
)


@kernel("order")
def middle(setup: Words, state: Words, action: int) -> float:
    """The middle first: more lines run through it."""
    return -32.0 * abs(2 * action - setup[WIDTH] + 1)


@helper
def stones_in(setup, state, column):
    """Count the stones in a column: the row that the next one falls to."""
    bottom, row = column * (setup[HEIGHT] + 1), np.int64(0)
    if setup[WORDS] == 1:
        cells = (np.int64(1) << setup[HEIGHT]) - 1
        return popcount(((state[STONES] | state[STONES + 1]) >> bottom) & cells)
    while row < setup[HEIGHT] and is_taken(setup, state, bottom + row):
        row += 1
    return row


@helper
def wins_at(setup, state, player, column, row):
    """Return whether a player's stone at (column, row) would make a line."""
    board = STONES + player * setup[WORDS]
    if setup[WORDS] == 1:
        stone = np.int64(1) << (column * (setup[HEIGHT] + 1) + row)
        return has_line(setup, state[board] | stone)
    return makes_line(setup, state, board, column, row)


@kernel("rollout")
def sharp(setup: Words, state: Words, random: Random) -> int:
    """A stone that wins; else one where the other would win; else any."""
    player = state[PLIES] & 1
    tense = state[PLIES] >= 2 * setup[N] - 3  # before, nobody can have all but one stone of a line
    columns = threats = np.int64(0)
    for column in range(setup[WIDTH]):
        row = stones_in(setup, state, column)
        if row == setup[HEIGHT]:
            continue
        columns |= np.int64(1) << column
        if tense:
            if wins_at(setup, state, player, column, row):
                return column
            if wins_at(setup, state, 1 - player, column, row):
                threats |= np.int64(1) << column
    return random_bit(random, threats if threats != 0 else columns)
