"""The chamber heuristic: a rider cannot fill chambers that lie behind different doors.

The cells that a player reaches first are divided into chambers (biconnected components) by doors
(articulation points). A rider who has passed through a door cannot come back, so that of all the
doors of a chamber only the best counts. A chamber that borders on the other player's cells is a
front: the rider either stays there or goes straight to a door. Any other chamber is filled before
the door is taken. If no chamber is a front, the players are cut off from each other, and the one
who leads is almost sure to win.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plyground.compile import Reals, Words, helper, kernel, pointer
from plyground.game import Evaluator, Game
from plyground.games.tron.evaluate import NOWHERE, first_head
from plyground.games.tron.layout import (
    BOARD,
    HEIGHT,
    SECOND_HEAD,
    SIMULTANEOUS,
    STEPS,
    TURN,
    WIDTH,
    has,
)
from plyground.options import option

CELL, WAY, CONTACT = range(3)
"""Indices of the options in params."""

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
def enter(boards, cells, cell, number, parent, worth):
    """Initialize the numbers of a cell that the depth-first search enters."""
    boards[NUMBER * cells + cell] = number
    boards[LOW * cells + cell] = number
    boards[PARENT * cells + cell] = parent
    boards[SIZE * cells + cell] = worth
    for field in (TRIED, BEHIND, BEYOND, FRONT, DOOR):
        boards[field * cells + cell] = 0


@helper
def leave(boards, cells, cell, pace):
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
    worth = size + behind
    if front:
        worth = max(size, beyond - pace * boards[DISTANCE * cells + parent])
    boards[DOOR * cells + parent] = max(boards[DOOR * cells + parent], worth)


@helper
def explore(setup, boards, cells, head, whose, cell_worth, way_worth):
    """Return the worth of the chambers that a head can fill, and whether any of them is a front.

    It is one depth-first search through the cells of the head's player.
    """
    meets = False
    if head == NOWHERE:
        return np.int64(0), meets
    for cell in range(cells):
        boards[NUMBER * cells + cell] = 0
    pace = cell_worth + 2 * way_worth
    number = np.int64(1)
    enter(boards, cells, head, number, np.int64(NOWHERE), cell_worth)
    cell = head
    while True:
        action = boards[TRIED * cells + cell]
        if action == 4:
            if cell == head:
                return boards[DOOR * cells + head], meets
            leave(boards, cells, cell, pace)
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
                enter(boards, cells, near, number, cell, cell_worth)
                cell = near
            elif near != boards[PARENT * cells + cell]:
                low = min(boards[LOW * cells + cell], boards[NUMBER * cells + near])
                boards[LOW * cells + cell] = low
        elif owner != NOBODY:
            boards[FRONT * cells + cell] = 1
            meets = True


@helper
def ahead(setup, state, params, first, second):
    """Return the lead of the first player as a share of the board."""
    cells = setup[WIDTH] * setup[HEIGHT]
    memory = np.empty(FIELDS * cells, np.int64)
    boards = pointer(memory)
    cell_worth, way_worth = np.int64(params[CELL]), np.int64(params[WAY])
    divide(setup, state, first, second, boards, cells)
    own, meets = explore(setup, boards, cells, first, FIRST, cell_worth, way_worth)
    other, _ = explore(setup, boards, cells, second, SECOND, cell_worth, way_worth)
    counts = params[CONTACT] if meets else 1.0
    return counts * (own - other) / (cells * (cell_worth + 4 * way_worth))


@kernel("evaluate")
def chambers(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    out[0] = ahead(setup, state, params, first_head(setup, state), state[SECOND_HEAD])
    out[1] = -out[0]


class Chambers(Evaluator):
    """Cells that the player reaches first and can fill, chamber by chamber, less the other's."""

    name = "chambers"
    kernel = chambers

    cell: int = option(1, low=1, high=1000, help="weight of a cell")
    way: int = option(3, low=0, high=1000, help="weight of a step from one cell to the next")
    contact: float = option(
        0.15, low=0, high=1, help="weight of the lead while the players can meet; else it is 1"
    )

    def params(self, game: Game) -> Sequence[float]:
        return [self.cell, self.way, self.contact]
