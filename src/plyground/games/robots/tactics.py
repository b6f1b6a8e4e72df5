"""Advice to searches: a lower bound on moves, and a play-out policy."""

from __future__ import annotations

from plyground.arithmetic import random_below, random_bit
from plyground.compile import Random, Words, helper, kernel
from plyground.games.robots.rounds import bound_at, bound_of, rounds_left, target_of
from plyground.games.robots.sliding import CAP, MOVES, ROUNDS, movable, slide


@kernel("bound")
def bound(setup: Words, state: Words) -> int:
    """The moves to the house if the target robot could stop anywhere, plus 1 per later round."""
    if setup[ROUNDS] == 1:
        return bound_of(setup, state)
    return min(bound_of(setup, state), setup[CAP] - state[MOVES]) + rounds_left(setup, state)


@helper
def approaches(setup, state, free):
    """Return the target robot's moves, as bits, that lower its bound."""
    target, bound_now = target_of(setup, state), bound_of(setup, state)
    closer = 0
    for action in range(4 * target, 4 * target + 4):
        if free >> action & 1:
            bound_after = bound_at(setup, state, slide(setup, state, target, action & 3))
            if bound_after < bound_now:
                closer |= 1 << action
    return closer


@kernel("rollout")
def homing(setup: Words, state: Words, random: Random) -> int:
    """Play a move that solves the round; else, half the time, one that lowers the bound."""
    free = movable(setup, state)
    closer = approaches(setup, state, free)
    # With a bound of 1, only a move into the house lowers it.
    if closer != 0 and (bound_of(setup, state) == 1 or random_below(random, 2) == 0):
        free = closer
    return random_bit(random, free)
