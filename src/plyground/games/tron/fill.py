"""Separated riders: how many cells each can still fill, which alone decides the game.

Two bounds are found for each rider. The upper one takes the best way through its chambers, in each
of which the colours of a checkerboard alternate. The lower one is a path ridden greedily: to the
cell with the fewest ways on, not through a cell that may divide what is free, and where the free
cells are divided, to the part with the higher upper bound. Where these bounds do not prove who
leads, the upper bound decides every step of the path.
"""

from __future__ import annotations

import numpy as np

from plyground.compile import helper
from plyground.games.tron.evaluate import NOWHERE
from plyground.games.tron.layout import SIMULTANEOUS, STEPS, TURN, WIDTH
from plyground.games.tron.regions import BY_COLOUR, FIRST, NOBODY, OWNER, QUEUE, SECOND, explore

SURE, MARGIN = 0.9, 0.09
"""The least value of a lead that the bounds prove, and how much the size of the lead can add."""
USUAL = 6.0
"""A lead in cells, not proved, that is worth half of SURE."""
BOUND, DIVIDES, DEAD_END, LOWEST = 16, -4, -9, -(2**40)
"""Scores of a greedy rider's choice; each way on from the next cell counts -1."""


@helper
def parts_around(setup, boards, cells, cell, whose):
    """Return into how many parts a cell divides the free cells around it, as seen from nearby."""
    width = setup[WIDTH]
    owner = OWNER * cells + cell
    up, down = np.int64(boards[owner - width] == whose), np.int64(boards[owner + width] == whose)
    left, right = np.int64(boards[owner - 1] == whose), np.int64(boards[owner + 1] == whose)
    parts = up + down + left + right
    parts -= up & right & np.int64(boards[owner - width + 1] == whose)
    parts -= right & down & np.int64(boards[owner + width + 1] == whose)
    parts -= down & left & np.int64(boards[owner + width - 1] == whose)
    parts -= left & up & np.int64(boards[owner - width - 1] == whose)
    return parts


@helper
def most(setup, boards, cells, cell, whose):
    """Return an upper bound on the cells that a head on a cell can fill."""
    filled, _ = explore(setup, boards, cells, cell, whose, np.int64(BY_COLOUR), np.int64(0))
    return filled


@helper
def ways_from(setup, boards, cells, cell, whose):
    """Return the number of free cells beside a cell."""
    ways = 0
    for action in range(4):
        ways += boards[OWNER * cells + cell + setup[STEPS + action]] == whose
    return ways


@helper
def ride(setup, boards, cells, head, whose, thorough):
    """Return how many cells a rider fills who never goes back on a choice.

    If it is thorough, the upper bound decides every choice, which takes ten times as long.
    """
    path = QUEUE * cells
    filled = np.int64(0)
    cell = head
    while cell != NOWHERE:
        boards[OWNER * cells + cell] = NOBODY
        boards[path + filled] = cell
        filled += 1
        choices = ways_from(setup, boards, cells, cell, whose)
        divided = parts_around(setup, boards, cells, cell, whose) > 1
        bounded = choices > 1 and (thorough or divided)
        best, chosen = np.int64(LOWEST), np.int64(NOWHERE)
        for action in range(4):
            near = cell + setup[STEPS + action]
            if boards[OWNER * cells + near] != whose:
                continue
            ways = ways_from(setup, boards, cells, near, whose)
            score = -ways if ways > 0 else DEAD_END
            if parts_around(setup, boards, cells, near, whose) > 1:
                score += DIVIDES
            if bounded:
                score += BOUND * most(setup, boards, cells, near, whose)
            if score > best:
                best, chosen = score, near
        cell = chosen
    for step in range(filled):
        boards[OWNER * cells + boards[path + step]] = whose
    return max(filled - 1, 0)  # the head's own cell is filled already


@helper
def separated_value(setup, state, boards, cells, first, second, lead):
    """Return the value for the first player of riders who cannot meet.

    `lead` is that of the chamber heuristic, which breaks ties. By turns, the player to move loses
    if both can fill the same number of cells.
    """
    tie = 0.0 if setup[SIMULTANEOUS] else state[TURN] - 0.5
    own_most = most(setup, boards, cells, first, FIRST)
    other_most = most(setup, boards, cells, second, SECOND)
    own_least = other_least = np.int64(0)
    for thorough in range(2):
        own_least = ride(setup, boards, cells, first, FIRST, thorough)
        other_least = ride(setup, boards, cells, second, SECOND, thorough)
        least, greatest = own_least - other_most + tie, own_most - other_least + tie
        if least > 0.0:
            return SURE + MARGIN * least / cells
        if greatest < 0.0:
            return -SURE + MARGIN * greatest / cells
    ahead = own_least - other_least + tie
    return SURE * ahead / (abs(ahead) + USUAL) + MARGIN * lead
