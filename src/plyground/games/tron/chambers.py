"""A heuristic that knows chambers: rooms behind different doors cannot all be filled.

The cells that one reaches first fall into chambers, which doors join: cells without which they
would not hang together. Who has gone through a door does not come back, so that of all the doors
of a chamber only the best counts. A chamber that borders on what the other may reach is a front:
one stays there, or goes straight for a door; any other one is filled first. Once no chamber is a
front the players are cut off from each other, and who leads is all but sure to win.
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
"""Where params hold the options."""

NOBODY, FIRST, SECOND = range(3)
"""Who reaches a cell first, as bits; nobody a taken one."""

(OWNER, DISTANCE, QUEUE, NUMBER, LOW, PARENT, TRIED, SIZE, BEHIND, BEYOND, FRONT, DOOR) = range(12)
"""Boards of numbers; from SIZE to FRONT of the part of a chamber that lies below a cell.

SIZE is what the part counts, BEHIND what the best door in it leads to, BEYOND the same with the way
to that door, FRONT whether it borders on the other's. DOOR is what the cell itself leads to.
"""
FIELDS = 12


@helper
def divide(setup, state, first, second, boards, cells):
    """Fill OWNER and DISTANCE: who reaches each cell first, and in how many steps.

    By turns, who is to move comes first where both are as near; at once, both do.
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
    """Begin a cell's part of its chamber."""
    boards[NUMBER * cells + cell] = number
    boards[LOW * cells + cell] = number
    boards[PARENT * cells + cell] = parent
    boards[SIZE * cells + cell] = worth
    for field in (TRIED, BEHIND, BEYOND, FRONT, DOOR):
        boards[field * cells + cell] = 0


@helper
def leave(boards, cells, cell, pace):
    """End a cell's part: join it to its parent's, or close a chamber whose door the parent is."""
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
    """Return what the chambers are worth into which a head can go, and whether any is a front.

    It is one walk through the head's cells.
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
    """Return by how much of the board the first player leads."""
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
    """What one can fill of the cells one reaches first, door by door, less what the other can."""

    name = "chambers"
    kernel = chambers

    cell: int = option(1, low=1, high=1000, help="what a cell counts")
    way: int = option(3, low=0, high=1000, help="what a step from one cell to the next counts")
    contact: float = option(
        0.15, low=0, high=1, help="what a lead counts while both may meet; cut off, it counts 1"
    )

    def params(self, game: Game) -> Sequence[float]:
        return [self.cell, self.way, self.contact]
