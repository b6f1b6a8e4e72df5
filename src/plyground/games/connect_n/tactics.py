"""Advice to searches: middle columns first; a play-out policy that wins and parries threats."""

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
    """Middle columns first: more lines run through them."""
    return -32.0 * abs(2 * action - setup[WIDTH] + 1)


@helper
def stones_in(setup, state, column):
    """Return the number of stones in a column, which is the row of the next stone."""
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
    """Play a stone that wins, else one that parries a threat, else a random one."""
    player = state[PLIES] & 1
    can_win = state[PLIES] >= 2 * setup[N] - 3  # before, nobody has n - 1 stones
    columns = threats = np.int64(0)
    for column in range(setup[WIDTH]):
        row = stones_in(setup, state, column)
        if row == setup[HEIGHT]:
            continue
        columns |= np.int64(1) << column
        if can_win:
            if wins_at(setup, state, player, column, row):
                return column
            if wins_at(setup, state, 1 - player, column, row):
                threats |= np.int64(1) << column
    return random_bit(random, threats if threats != 0 else columns)
