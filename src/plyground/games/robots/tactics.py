"""Advice to searches: how many moves it takes at least, and how to play on."""

from __future__ import annotations

from plyground.arithmetic import random_below, random_bit
from plyground.compile import Random, Words, helper, kernel
from plyground.games.robots.rounds import bound_at, bound_of, rounds_left, target_of
from plyground.games.robots.sliding import CAP, MOVES, ROUNDS, movable, slide


@kernel("bound")
def bound(setup: Words, state: Words) -> int:
    """The fewest moves if the target robot could stop wherever it likes; 1 for each later round."""
    if setup[ROUNDS] == 1:
        return bound_of(setup, state)
    return min(bound_of(setup, state), setup[CAP] - state[MOVES]) + rounds_left(setup, state)


@helper
def approaches(setup, state, free):
    """Return the moves, as bits, that lower the target robot's bound."""
    target, here = target_of(setup, state), bound_of(setup, state)
    closer = 0
    for action in range(4 * target, 4 * target + 4):
        if free >> action & 1:
            there = bound_at(setup, state, slide(setup, state, target, action & 3))
            if there < here:
                closer |= 1 << action
    return closer


@kernel("rollout")
def homing(setup: Words, state: Words, random: Random) -> int:
    """Into the house where one move does it; else, half the time, closer to it; else anywhere."""
    free = movable(setup, state)
    closer = approaches(setup, state, free)
    # With a bound of 1 only the house is closer.
    if closer != 0 and (bound_of(setup, state) == 1 or random_below(random, 2) == 0):
        free = closer
    return random_bit(random, free)
