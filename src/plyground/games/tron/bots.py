"""The course's bots: the rules of two, and the evaluation functions of two that search."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from plyground.arithmetic import random_below, random_bit
from plyground.compile import Random, Reals, Words, helper, kernel, pointer
from plyground.game import Evaluator, Game
from plyground.games.tron.evaluate import NOWHERE, first_head, territory
from plyground.games.tron.layout import (
    BOARD,
    HEADS,
    HEIGHT,
    SECOND_HEAD,
    STEPS,
    TURN,
    UP,
    WIDTH,
    WORDS,
    has,
    put,
)
from plyground.games.tron.powers import breaks_through
from plyground.games.tron.rules import key
from plyground.games.tron.tactics import ways_on

ORDERS = np.array(list(permutations(range(4))))
"""All orders of the four actions."""
HALF = 2.0**-65
"""Factor that maps a 64-bit hash to a number from 0 to 1/2."""


@helper
def crashes_by(setup, state, action):
    """Return whether an action crashes at once."""
    turn = state[TURN]
    cell = state[HEADS + turn] + setup[STEPS + action]
    return has(state, BOARD, cell) == 1 and not breaks_through(setup, state, turn, cell)


@helper
def safe_actions(setup, state):
    """Return the actions that do not crash at once, as bits."""
    safe = 0
    for action in range(4):
        safe |= (not crashes_by(setup, state, action)) << action
    return safe


@kernel("unwise")
def crashes(setup: Words, state: Words, action: int) -> bool:
    """Prune actions that crash at once, if there are others."""
    return safe_actions(setup, state) != 0 and crashes_by(setup, state, action)


@kernel("rollout")
def safe(setup: Words, state: Words, random: Random) -> int:
    """Play a random action that does not crash at once; up if all do."""
    actions = safe_actions(setup, state)
    return random_bit(random, actions) if actions != 0 else UP


@kernel("rollout")
def wall(setup: Words, state: Words, random: Random) -> int:
    """Play the first safe action beside a wall, in random order; else the first safe action.

    The course's bot keeps its order for a game: `rule(by=wall, steady=True)`.
    """
    order = ORDERS[random_below(random, 24)]
    chosen = UP
    for place in range(3, -1, -1):  # backwards, so that the first safe action remains
        if not crashes_by(setup, state, order[place]):
            chosen = order[place]
    for place in range(4):
        cell = state[HEADS + state[TURN]] + setup[STEPS + order[place]]
        if not crashes_by(setup, state, order[place]) and ways_on(setup, state, cell) < 3:
            return order[place]
    return chosen


# Evaluation functions of the bots that search -----------------------------------------------------


@kernel("evaluate")
def ta1(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    heads = first_head(setup, state), state[SECOND_HEAD]
    tie_break = key(setup, state) * HALF
    for player in range(2):
        first, second = (heads[0], NOWHERE) if player == 0 else (NOWHERE, heads[1])
        both = territory(setup, state, first, second)
        reached = (both >> 16) + (both & 0xFFFF)
        out[player] = (reached + tie_break) / (setup[WIDTH] * setup[HEIGHT])


@helper
def lead(setup, state, own, other):
    """Return how many cells more the first player takes in the course's simplified flood fill.

    The players take turns; in its turn a player takes the free neighbours of the next cell of its
    queue. One array holds both queues: the first's from its start, the second's from its end.
    """
    cells, words = setup[WIDTH] * setup[HEIGHT], setup[WORDS]
    board, queued, stream = (
        np.empty(words, np.int64),
        np.empty(cells, np.int64),
        np.empty(1, np.uint64),
    )
    taken, queue, random = pointer(board), pointer(queued), pointer(stream)
    random[0] = key(setup, state)
    for word in range(words):
        taken[word] = state[BOARD + word]
    own_end = own_next = other_end = other_next = 0
    if own != NOWHERE:
        put(taken, 0, own)
        queue[0] = own
        own_end = 1
    if other != NOWHERE:
        put(taken, 0, other)
        queue[cells - 1] = other
        other_end = 1
    while own_next < own_end or other_next < other_end:
        if own_next < own_end:
            order = ORDERS[random_below(random, 24)]
            for place in range(4):
                cell = queue[own_next] + setup[STEPS + order[place]]
                if has(taken, 0, cell) == 0:
                    put(taken, 0, cell)
                    queue[own_end] = cell
                    own_end += 1
            own_next += 1
        if other_next < other_end:
            order = ORDERS[random_below(random, 24)]
            for place in range(4):
                cell = queue[cells - 1 - other_next] + setup[STEPS + order[place]]
                if has(taken, 0, cell) == 0:
                    put(taken, 0, cell)
                    queue[cells - 1 - other_end] = cell
                    other_end += 1
            other_next += 1
    return own_end - other_end


@kernel("evaluate")
def ta2(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    heads = first_head(setup, state), state[SECOND_HEAD]
    cells = setup[WIDTH] * setup[HEIGHT]
    for player in range(2):
        out[player] = lead(setup, state, heads[player], heads[1 - player]) / cells


class TA1(Evaluator):
    """Cells that the player can still reach, as in `free_cells`, with ties broken at random."""

    name = "ta1"
    kernel = ta1

    def params(self, game: Game) -> Sequence[float]:
        return []


class TA2(Evaluator):
    """Cells taken less the other's, if both in turn take the neighbours of one of their cells."""

    name = "ta2"
    kernel = ta2

    def params(self, game: Game) -> Sequence[float]:
        return []
