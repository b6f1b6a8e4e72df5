"""Advice to searches: move ordering, quiescence, forward pruning and a play-out policy.

A boom's gain is the number of enemy tokens that explode less the number of own tokens. All stacks
of a component explode together, so that only the boom on the lowest own square is considered.
"""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import lowest, popcount, random_below, random_bit
from plyground.compile import Random, Words, helper, kernel
from plyground.games.expendibots.evaluate import tokens_within
from plyground.games.expendibots.rules import (
    MOVER,
    PLIES,
    SQUARES,
    STACKS,
    TARGETS,
    TOKENS,
    component,
    grown,
    height,
    move_number,
    target,
    target_number,
)

BOOM, GAIN, TOUCH = 8192.0, 1024.0, 512.0
"""Ordering scores: a boom (negative if it loses), each token gained, each enemy beside a target."""
WIN = 2 * TOKENS
"""The gain of a boom that wins, more than any other's."""
ATTEMPTS = 16
"""How many random moves a play-out tries before it plays a boom instead."""


@helper
def gain(state, exploding):
    """Return the enemy's tokens less own tokens on exploding squares; WIN for a boom that wins."""
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    if enemy & ~exploding == 0 and own & ~exploding != 0:
        return WIN
    return tokens_within(state, exploding & enemy) - tokens_within(state, exploding & own)


@kernel("order")
def gains(setup: Words, state: Words, action: int) -> float:
    """Booms that gain first, then moves by the enemies beside their target, then losing booms."""
    one = np.int64(1)
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    if action < SQUARES:
        if grown(own) & enemy == 0:
            return -BOOM  # no boom can hit an enemy
        gained = gain(state, component(one << action, own | enemy))
        return GAIN * gained + (BOOM if gained >= 0 else -BOOM)
    pair = (action - SQUARES) // TOKENS
    to = target(pair // TARGETS, pair % TARGETS)
    return TOUCH * popcount(grown(one << to) & enemy)


@kernel("loud")
def hits(setup: Words, state: Words, out: Words) -> int:
    """Booms that hit an enemy, one per component."""
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    left = own
    count = 0
    while left != 0:
        exploding = component(left & -left, own | enemy)
        if exploding & enemy != 0:
            out[count] = lowest(left)
            count += 1
        left &= ~exploding
    return count


@kernel("unwise")
def suicides(setup: Words, state: Words, action: int) -> bool:
    """Prune booms that hit no enemy, or have the same effect as one on a lower square."""
    if action >= SQUARES:
        return False
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    square = np.int64(1) << action
    exploding = component(square, own | enemy)
    return exploding & enemy == 0 or exploding & own & (square - 1) != 0


@kernel("skip")
def wait(setup: Words, state: Words) -> None:
    """Pass the turn: a move is nearly always worth more, as any token may step aside."""
    state[MOVER] = 1 - state[MOVER]
    state[PLIES] += 1


@helper
def best_boom(state):
    """Return the boom that gains most; -1 if none gains."""
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    best, best_gain = np.int64(-1), 0
    left = own if grown(own) & enemy != 0 else np.int64(0)
    while left != 0:
        exploding = component(left & -left, own | enemy)
        gained = gain(state, exploding)
        if gained > best_gain:
            best, best_gain = lowest(left), gained
        left &= ~exploding
    return best


@helper
def random_move(state, random):
    """Return a random move: stack, direction, distance and tokens are drawn until they are legal.

    If all attempts fail, the last stack explodes: a stack that cannot move has an enemy beside it.
    """
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    square = np.int64(0)
    for _ in range(ATTEMPTS):
        square = random_bit(random, own)
        tokens = height(state, square)
        direction, steps = random_below(random, 4), 1 + random_below(random, tokens)
        along = -steps if direction & 1 else steps
        x, y = square & 7, square >> 3
        if direction & 2:
            x += along
        else:
            y += along
        to = 8 * y + x
        if (x | y) & ~7 == 0 and (enemy >> to) & 1 == 0:
            number = target_number(square, to)
            return move_number(square, number, 1 + random_below(random, tokens))
    return square


@kernel("rollout")
def boomer(setup: Words, state: Words, random: Random) -> int:
    """Play the boom that gains most, else a random move."""
    boom = best_boom(state)
    return boom if boom >= 0 else random_move(state, random)
