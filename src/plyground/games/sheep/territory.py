"""A heuristic: the scores that players reach if each fills the pasture nearest to its sheep.

All stacks that can still split spread at the same time, one cell a step; a free cell belongs to the
player who reaches it first, and is a wall if several reach it at once. A player's territory and its
own cells form regions, and each is filled as far as there are sheep in it that can leave their
stacks: at most one for each open direction of a stack, as more are often shut in before they leave.

A player's value is the mean of what its leads over the others are worth, lead / (width + |lead|):
like the points of a game, it counts the place rather than by how much it is won or lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plyground.compile import Reals, Words, helper, kernel
from plyground.game import Evaluator, Game
from plyground.games.sheep.layout import PLAYERS, POWERS, STRIDE, TABLE, TEAMS, UNIT, WORDS
from plyground.games.sheep.rules import AROUND, FREE, count_at, owned, ways_out
from plyground.games.sheep.sets import NONE, both, either, first_cell, is_empty, load, only, without
from plyground.options import option


@helper
def stacks(setup: Words, state: Words, player: int) -> Any:
    """Return the set of a player's cells with more than one sheep; none for an empty seat."""
    found = NONE
    if player < setup[PLAYERS]:
        left = load(state, owned(setup, player), setup[WORDS])
        cell = first_cell(left)
        while cell >= 0:
            left = without(left, only(cell))
            if count_at(setup, state, cell) > 1:
                found = either(found, only(cell))
            cell = first_cell(left)
    return found


@helper
def around(setup: Words, cells: Any) -> Any:
    """Return the neighbours of a set of cells in all directions."""
    found = NONE
    cell = first_cell(cells)
    while cell >= 0:
        cells = without(cells, only(cell))
        near = setup[TABLE] + cell * setup[STRIDE] + AROUND
        found = either(found, load(setup, near, setup[WORDS]))
        cell = first_cell(cells)
    return found


@helper
def territories(setup: Words, state: Words) -> Any:
    """Return the free cells that each of four seats reaches before all others."""
    free = load(state, FREE, setup[WORDS])
    first, second = stacks(setup, state, 0), stacks(setup, state, 1)
    third, fourth = stacks(setup, state, 2), stacks(setup, state, 3)
    firsts = seconds = thirds = fourths = NONE
    while True:
        first, second = both(around(setup, first), free), both(around(setup, second), free)
        third, fourth = both(around(setup, third), free), both(around(setup, fourth), free)
        ones, others = either(first, second), either(third, fourth)
        reached = either(ones, others)
        if is_empty(reached):
            return firsts, seconds, thirds, fourths
        free = without(free, reached)
        disputed = either(either(both(first, second), both(third, fourth)), both(ones, others))
        first, second = without(first, disputed), without(second, disputed)
        third, fourth = without(third, disputed), without(fourth, disputed)
        firsts, seconds = either(firsts, first), either(seconds, second)
        thirds, fourths = either(thirds, third), either(fourths, fourth)


@helper
def prospect(setup: Words, state: Words, player: int, territory: Any) -> Any:
    """Return the score of a player who fills its territory as far as its sheep get."""
    if player >= setup[PLAYERS]:
        return 0.0
    words = setup[WORDS]
    own = load(state, owned(setup, player), words)
    left = either(own, territory)
    total = np.int64(0)
    cell = first_cell(left)
    while cell >= 0:
        edge = only(cell)
        left = without(left, edge)
        held = spare = room = 0
        while cell >= 0:
            here = only(cell)
            if is_empty(both(here, own)):
                room += 1
            else:
                held += 1
                most = max(0, count_at(setup, state, cell) - 1)  # a hidden count is 0
                spare += min(most, ways_out(setup, state, cell))
            beside = setup[TABLE] + cell * setup[STRIDE] + AROUND + words
            joined = both(load(setup, beside, words), left)
            left = without(left, joined)
            edge = either(without(edge, here), joined)
            cell = first_cell(edge)
        total += setup[setup[POWERS] + held + min(spare, room)] if held > 0 else 0
        cell = first_cell(left)
    return np.float64(total) / UNIT


@kernel("evaluate")
def places(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    firsts, seconds, thirds, fourths = territories(setup, state)
    first, second = prospect(setup, state, 0, firsts), prospect(setup, state, 1, seconds)
    third, fourth = prospect(setup, state, 2, thirds), prospect(setup, state, 3, fourths)
    sides = setup[PLAYERS]
    if setup[TEAMS] != 0:
        sides = 2
        first, second = first + third, second + fourth
    reached = (first, second, third, fourth)
    for side in range(sides):
        total = 0.0
        for other in range(sides):
            lead = reached[side] - reached[other]
            total += lead / (params[0] + abs(lead))
        out[side] = total / (sides - 1)
    if setup[TEAMS] != 0:
        out[2], out[3] = out[0], out[1]


class Territory(Evaluator):
    """The places by score, if each player fills the pasture that is nearest to its sheep."""

    name = "territory"
    kernel = places

    width: float = option(4.0, low=0.01, high=100, help="lead in score that is worth half a place")

    def params(self, game: Game) -> Sequence[float]:
        return [self.width]
