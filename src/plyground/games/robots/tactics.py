"""Advice to searches: how many moves it takes at least, and how to play on."""

from __future__ import annotations

from plyground.arithmetic import random_below, random_bit
from plyground.compile import Random, Words, helper, kernel
from plyground.games.robots.rules import BOUND_SHIFT, CELLS, TARGET, bound_of, movable, slide


@kernel("bound")
def bound(setup: Words, state: Words) -> int:
    """The fewest moves if the target robot could stop wherever it likes."""
    return bound_of(setup, state)


@helper
def approaches(setup, state, free):
    """Give the moves, as bits, that lower the target robot's bound."""
    target, here = setup[TARGET], bound_of(setup, state)
    closer = 0
    for action in range(4 * target, 4 * target + 4):
        if free >> action & 1:
            there = setup[CELLS + slide(setup, state, target, action & 3)] >> BOUND_SHIFT
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
