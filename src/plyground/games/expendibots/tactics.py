"""Advice to searches: what to try first, what to follow to the end, what to leave, how to play on.

A boom's gain is the enemy's tokens less one's own that explode with it. Stacks of one component
explode together, so that one's own booms in it all do the same: the lowest stands for them.
"""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import lowest, popcount, random_below, random_bit
from plyground.compile import Random, Words, helper, kernel
from plyground.games.expendibots.evaluate import tokens_within
from plyground.games.expendibots.rules import (
    MOVER,
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
"""How far booms come before moves, or behind them; a token gained; a stack that a move touches."""
WIN = 2 * TOKENS
"""The gain of a boom that wins: more than any other's."""
ATTEMPTS = 16
"""How often a play-out draws before it gives up moving."""


@helper
def gain(state, exploding):
    """Count the enemy's tokens on the squares that explode, less one's own; WIN for a win."""
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    if enemy & ~exploding == 0 and own & ~exploding != 0:
        return WIN
    return tokens_within(state, exploding & enemy) - tokens_within(state, exploding & own)


@kernel("order")
def gains(setup: Words, state: Words, action: int) -> float:
    """Booms by their gain, before the moves or, where they lose, behind them; moves to enemies."""
    one = np.int64(1)
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    if action < SQUARES:
        if grown(own) & enemy == 0:
            return -BOOM  # nothing that explodes can hit an enemy: no need to look further
        gained = gain(state, component(one << action, own | enemy))
        return GAIN * gained + (BOOM if gained >= 0 else -BOOM)
    pair = (action - SQUARES) // TOKENS
    to = target(pair // TARGETS, pair % TARGETS)
    return TOUCH * popcount(grown(one << to) & enemy)


@kernel("loud")
def hits(setup: Words, state: Words, out: Words) -> int:
    """The booms that hit an enemy, one a component."""
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
    """A boom that hits no enemy, or does what that of a lower square does."""
    if action >= SQUARES:
        return False
    own, enemy = state[STACKS + state[MOVER]], state[STACKS + 1 - state[MOVER]]
    square = np.int64(1) << action
    exploding = component(square, own | enemy)
    return exploding & enemy == 0 or exploding & own & (square - 1) != 0


@helper
def best_boom(state):
    """Return the boom that gains most, -1 where none gains."""
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
    """Draw a stack, a direction, a distance and a number of tokens until they make a move.

    In vain, the last stack explodes: one that cannot move has an enemy beside it.
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
    """The boom that gains most, else a random move; never a boom that only loses."""
    boom = best_boom(state)
    return boom if boom >= 0 else random_move(state, random)
