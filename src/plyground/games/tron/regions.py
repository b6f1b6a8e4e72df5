"""The cells that each player reaches first, divided into chambers by doors.

Chambers are biconnected components of these cells, doors articulation points. A rider who has
passed through a door cannot come back, so that of all the doors of a chamber only the best counts.
A chamber is filled before its door is taken. If it borders on the other player's cells, it is a
front, which the other may contest: at worst the rider can only stay there or go straight to a door.
A front counts as half-way between the best and the worst case.
"""

from __future__ import annotations

import numpy as np

from plyground.compile import helper
from plyground.games.tron.evaluate import NOWHERE
from plyground.games.tron.layout import (
    BOARD,
    SIMULTANEOUS,
    STEPS,
    TURN,
    WIDTH,
    has,
)

NOBODY, FIRST, SECOND = range(3)
"""Who reaches a cell first, as bits; NOBODY for taken cells."""

(OWNER, DISTANCE, QUEUE, NUMBER, LOW, PARENT, TRIED, SIZE, BEHIND, BEYOND, FRONT, DOOR) = range(12)
"""Arrays with one number per cell, for a breadth-first search (OWNER to QUEUE) and the depth-first
search that finds articulation points (NUMBER, LOW, PARENT, TRIED).

SIZE to FRONT describe the part of a chamber that lies below a cell in the depth-first tree: SIZE is
its worth, BEHIND the worth behind its best door, BEYOND the same with the way to that door, FRONT
whether it borders on the other's cells. DOOR is the worth of what lies behind the cell as a door.
"""
FIELDS = 12
BY_COLOUR = 0
"""In the place of the weight of a cell: a chamber is worth the most cells that a rider can fill.

The cells of its path have the two colours of a checkerboard in turn. SIZE then holds the number of
white cells << 16 | that of black ones.
"""


@helper
def divide(setup, state, first, second, boards, cells):
    """Fill OWNER and DISTANCE: who reaches each cell first, and in how many steps.

    Cells at equal distance belong to the player to move, or to both if they move at once.
    """
    owner, distance = OWNER * cells, DISTANCE * cells
    queue = QUEUE * cells
    end = queue
    for cell in range(cells):
        boards[owner + cell] = NOBODY
    for turn in range(2):
        player = turn ^ state[TURN]
        head = first if player == 0 else second
        if head != NOWHERE:
            boards[owner + head] = 1 << player
            boards[distance + head] = 0
            boards[end] = head
            end += 1
    while queue < end:
        cell = boards[queue]
        queue += 1
        whose, steps = boards[owner + cell], boards[distance + cell] + 1
        for action in range(4):
            near = cell + setup[STEPS + action]
            if boards[owner + near] == NOBODY:
                if has(state, BOARD, near) == 0:
                    boards[owner + near] = whose
                    boards[distance + near] = steps
                    boards[end] = near
                    end += 1
            elif setup[SIMULTANEOUS] and boards[distance + near] == steps:
                boards[owner + near] |= whose


@helper
def colour_of(setup, cell):
    """Return 1 for the white cells of a checkerboard, 0 for the black ones."""
    width = setup[WIDTH]
    return (cell // width + cell % width) & 1


@helper
def alternating(size, white_first):
    """Return the longest path over so many white and black cells, whose colours alternate."""
    white, black = size >> 16, size & 0xFFFF
    if white_first:
        return min(2 * white, 2 * black + 1)
    return min(2 * black, 2 * white + 1)


@helper
def enter(setup, boards, cells, cell, number, parent, cell_worth):
    """Initialize the numbers of a cell that the depth-first search enters."""
    worth = cell_worth
    if cell_worth == BY_COLOUR:
        worth = np.int64(1) << (16 * colour_of(setup, cell))
    boards[NUMBER * cells + cell] = number
    boards[LOW * cells + cell] = number
    boards[PARENT * cells + cell] = parent
    boards[SIZE * cells + cell] = worth
    for field in (TRIED, BEHIND, BEYOND, FRONT, DOOR):
        boards[field * cells + cell] = 0


@helper
def leave(setup, boards, cells, cell, pace):
    """Join a finished cell's part to its parent's, or close a chamber whose door is the parent."""
    parent = boards[PARENT * cells + cell]
    door = boards[DOOR * cells + cell]
    behind = max(boards[BEHIND * cells + cell], door)
    beyond = max(boards[BEYOND * cells + cell], pace * boards[DISTANCE * cells + cell] + door)
    size, front = boards[SIZE * cells + cell], boards[FRONT * cells + cell]
    low = boards[LOW * cells + cell]
    if low < boards[NUMBER * cells + parent]:
        boards[LOW * cells + parent] = min(boards[LOW * cells + parent], low)
        boards[SIZE * cells + parent] += size
        boards[BEHIND * cells + parent] = max(boards[BEHIND * cells + parent], behind)
        boards[BEYOND * cells + parent] = max(boards[BEYOND * cells + parent], beyond)
        boards[FRONT * cells + parent] |= front
        return
    if pace == 0:  # by colour
        size = alternating(size, 1 - colour_of(setup, parent))
    worth = size + behind
    if front:
        contested = max(size, beyond - pace * boards[DISTANCE * cells + parent])
        worth = (worth + contested) // 2
    boards[DOOR * cells + parent] = max(boards[DOOR * cells + parent], worth)


@helper
def explore(setup, boards, cells, head, whose, cell_worth, way_worth):
    """Return the worth of the chambers that a head can fill, and whether any of them is a front.

    It is one depth-first search through the cells of the head's player. The weights are those of a
    cell and of each way on from it: whole numbers, or BY_COLOUR and 0.
    """
    meets = False
    if head == NOWHERE:
        return np.int64(0), meets
    for cell in range(cells):
        boards[NUMBER * cells + cell] = 0
    pace = cell_worth + 2 * way_worth
    number = np.int64(1)
    enter(setup, boards, cells, head, number, np.int64(NOWHERE), cell_worth)
    cell = head
    while True:
        action = boards[TRIED * cells + cell]
        if action == 4:
            if cell == head:
                return boards[DOOR * cells + head], meets
            leave(setup, boards, cells, cell, pace)
            cell = boards[PARENT * cells + cell]
            continue
        boards[TRIED * cells + cell] = action + 1
        near = cell + setup[STEPS + action]
        owner = boards[OWNER * cells + near]
        if owner != NOBODY:
            boards[SIZE * cells + cell] += way_worth
        if owner == whose:
            if boards[NUMBER * cells + near] == 0:
                number += 1
                enter(setup, boards, cells, near, number, cell, cell_worth)
                cell = near
            elif near != boards[PARENT * cells + cell]:
                low = min(boards[LOW * cells + cell], boards[NUMBER * cells + near])
                boards[LOW * cells + cell] = low
        elif owner != NOBODY and (cell != head or boards[DISTANCE * cells + near] > 0):
            # Heads side by side are no front: neither can enter the other's cell.
            boards[FRONT * cells + cell] = 1
            meets = True
