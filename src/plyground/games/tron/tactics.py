"""Advice to searches: a play-out policy that avoids crashes."""

from __future__ import annotations

from plyground.arithmetic import random_below, random_bit
from plyground.compile import Random, Words, helper, kernel
from plyground.games.tron.layout import BOARD, HEADS, STEPS, TURN, has
from plyground.games.tron.powers import breaks_through

ANYWHERE = 15
"""All four actions as bits."""


@helper
def ways_on(setup, state, cell):
    """Return the number of free cells beside a cell."""
    free = 4
    for action in range(4):
        free -= has(state, BOARD, cell + setup[STEPS + action])
    return free


@kernel("rollout")
def careful(setup: Words, state: Words, random: Random) -> int:
    """Avoid crashes and dead ends, half the time along a wall; use armor if nothing is free."""
    turn = state[TURN]
    walled = going_on = free = broken = 0
    for action in range(4):
        cell = state[HEADS + turn] + setup[STEPS + action]
        if has(state, BOARD, cell):
            broken |= breaks_through(setup, state, turn, cell) << action
            continue
        ways = ways_on(setup, state, cell)
        free |= 1 << action
        going_on |= (ways > 0) << action
        walled |= (ways == 1 or ways == 2) << action
    if walled != 0 and random_below(random, 2) == 0:
        return random_bit(random, walled)
    for actions in (going_on, free, broken):
        if actions != 0:
            return random_bit(random, actions)
    return random_bit(random, ANYWHERE)
