"""A random game to its end in one kernel, with the same draws as `legal` and `play` in a loop.

Moves are counted, not listed: a random number below their count, in the order of `legal`, decides.
The count also tells whether a player can move, and a player who cannot is out of the game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.arithmetic import lowest, random_below
from plyground.compile import Random, Words, helper, kernel
from plyground.games.sheep.layout import PLAYERS, STRIDE, TABLE, WORDS
from plyground.games.sheep.rules import (
    AROUND,
    FREE,
    TURN,
    add_sheep,
    count_at,
    direction_to,
    is_placing,
    last_free,
    legal,
    occupy,
    owned,
    play,
    ways_out,
)


@helper
def count_moves(setup: Words, state: Words, player: int) -> Any:
    """Return the number of a player's moves, once all have placed their sheep."""
    total = np.int64(0)
    for word in range(setup[WORDS]):
        left = state[owned(setup, player) + word]
        while left != 0:
            cell = (word << 6) + lowest(left)
            left &= left - 1
            most = count_at(setup, state, cell) - 1
            if most > 0:
                total += most * ways_out(setup, state, cell)
    return total


@helper
def free_neighbour(setup: Words, state: Words, cell: int, number: int) -> Any:
    """Return the free neighbour of that number, in the order of directions."""
    around = setup[TABLE] + cell * setup[STRIDE] + AROUND
    for word in range(setup[WORDS]):
        near = setup[around + word] & state[FREE + word]
        while near != 0:
            if number == 0:
                return (word << 6) + lowest(near)
            near &= near - 1
            number -= 1
    return cell


@helper
def play_number(setup: Words, state: Words, player: int, number: int) -> None:
    """Play the move of that number, in the order of `legal`; whose turn it is then stays open."""
    for word in range(setup[WORDS]):
        left = state[owned(setup, player) + word]
        while left != 0:
            cell = (word << 6) + lowest(left)
            left &= left - 1
            most = count_at(setup, state, cell) - 1
            if most < 1:
                continue
            moves = most * ways_out(setup, state, cell)
            if number < moves:
                way = number // most
                direction = direction_to(setup, cell, free_neighbour(setup, state, cell, way))
                to = last_free(setup, state, cell, direction)
                sheep = number - way * most + 1
                add_sheep(setup, state, cell, -sheep)
                add_sheep(setup, state, to, sheep)
                occupy(setup, state, player, to)
                return
            number -= moves


@kernel("finish")
def finish(setup: Words, state: Words, actions: Words, random: Random) -> None:
    players, turn = setup[PLAYERS], state[TURN]
    while turn < players and is_placing(setup, state):
        play(setup, state, actions[random_below(random, legal(setup, state, actions))])
        turn = state[TURN]
    moves = count_moves(setup, state, turn) if turn < players else np.int64(0)
    out, everyone = np.int64(0), (np.int64(1) << players) - 1
    while moves > 0:
        play_number(setup, state, turn, random_below(random, moves))
        moves = np.int64(0)
        while moves == 0 and out != everyone:
            turn = turn + 1 if turn + 1 < players else 0
            if (out >> turn) & 1 == 0:
                moves = count_moves(setup, state, turn)
                if moves == 0:
                    out |= np.int64(1) << turn
    state[TURN] = players
