"""The learned heuristic: a small network over what the chamber heuristic finds.

The player to move comes first. Numbers of cells are shares of both players' cells or have a limit,
so that one network serves boards of any size. Separated riders are valued by the cells that they
can fill, as in the chamber heuristic: the network has no inputs for them.
"""

from __future__ import annotations

from math import log2

import numpy as np

from plyground.compile import Planes, Reals, Words, helper, kernel, offset, pointer
from plyground.game.neural import NeuralEvaluator, network_value
from plyground.games.tron.evaluate import NOWHERE, first_head
from plyground.games.tron.fill import separated_value
from plyground.games.tron.layout import (
    HEIGHT,
    PENDING,
    POWERS,
    SECOND_HEAD,
    SIMULTANEOUS,
    TURN,
    WIDTH,
)
from plyground.games.tron.regions import DISTANCE, FIELDS, FIRST, OWNER, SECOND, divide, explore
from plyground.games.tron.tactics import ways_on

CELL, WAY = 1, 3
"""What a cell counts in a chamber, and each way from it to the next."""
WORTH = CELL + 2 * WAY
"""A cell of a corridor."""
TINY = 1e-9
NEAR = 12.0
"""Limit of a lead in cells: a larger one counts by its share only."""
(
    CONSTANT, AT_ONCE, SECOND_AT_ONCE, LEAD, LEAD_SHARE, CELLS, CELLS_SHARE, OPEN, OPEN_SQUARE,
    FRONT, CONTACT, COLOUR, OTHER_COLOUR, ODD, ASIDE, OTHER_ASIDE, STEPS_LEAD, STEPS_SHARE, APART,
    WAYS,
) = range(20)  # fmt: skip
INPUTS = WAYS + 2 * 5
COUNTS = 5
"""Numbers per player that `count_cells` writes."""


@helper
def limited(cells):
    """Return a number of cells as an input."""
    return min(max(cells, -NEAR), NEAR) / 4.0


@helper
def aside(setup, cell):
    """Return how far a cell is from the centre: 0, and 1 in the middle of a side."""
    width, height = setup[WIDTH], setup[HEIGHT]
    across = abs(2.0 * (cell % width) / (width - 1) - 1.0)
    return across + abs(2.0 * (cell // width) / (height - 1) - 1.0)


@helper
def count_cells(setup, boards, cells, counts):
    """Write, for each player, its cells, the white ones less the black, those that border on the
    other's (its front), the least distance to one of these, and the steps between its cells."""
    width = setup[WIDTH]
    for player in range(2):
        for number in range(COUNTS):
            counts[COUNTS * player + number] = 0
        counts[COUNTS * player + 3] = cells
    owner, distance = OWNER * cells, DISTANCE * cells
    for row in range(1, setup[HEIGHT] - 1):
        colour = 1 - 2 * (row & 1)
        for cell in range(row * width + 1, row * width + width - 1):
            colour = -colour
            whose = boards[owner + cell]
            if whose != FIRST and whose != SECOND:
                continue
            at = COUNTS * (whose - FIRST)
            counts[at] += 1
            counts[at + 1] += colour
            counts[at + 4] += boards[owner + cell + 1] == whose
            counts[at + 4] += boards[owner + cell + width] == whose
            around = (
                boards[owner + cell - 1]
                | boards[owner + cell + 1]
                | boards[owner + cell - width]
                | boards[owner + cell + width]
            )
            if around & (FIRST + SECOND - whose):
                counts[at + 2] += 1
                counts[at + 3] = min(counts[at + 3], boards[distance + cell])


@helper
def describe(setup, state, out):
    """Write the inputs for the player to move; return 0.0.

    For separated riders nothing is written: return their value for the player to move instead,
    which is never 0.0.
    """
    cells = setup[WIDTH] * setup[HEIGHT]
    memory = np.empty(FIELDS * cells + 2 * COUNTS, np.int64)
    boards = pointer(memory)
    counts = offset(boards, FIELDS * cells)
    first, second = first_head(setup, state), state[SECOND_HEAD]
    turn = state[TURN]
    own, other = (first, second) if turn == 0 else (second, first)
    mine, theirs = (FIRST, SECOND) if turn == 0 else (SECOND, FIRST)
    divide(setup, state, first, second, boards, cells)
    own_worth, meets = explore(setup, boards, cells, own, mine, np.int64(CELL), np.int64(WAY))
    other_worth, _ = explore(setup, boards, cells, other, theirs, np.int64(CELL), np.int64(WAY))
    if not meets and not setup[POWERS]:  # a bomb or armor may open a way to the other
        lead = (own_worth - other_worth) / (cells * (CELL + 4.0 * WAY))
        sign = 1.0 - 2.0 * turn
        value = sign * separated_value(setup, state, boards, cells, first, second, sign * lead)
        return value if value != 0.0 else TINY
    count_cells(setup, boards, cells, counts)
    own_counts, other_counts = offset(counts, COUNTS * turn), offset(counts, COUNTS - COUNTS * turn)
    open_cells = own_counts[0] + other_counts[0] + 1.0
    for number in range(INPUTS):
        out[number] = 0.0
    out[CONSTANT] = 1.0
    if setup[SIMULTANEOUS]:
        out[AT_ONCE + (state[PENDING] != 0)] = 1.0
    out[LEAD] = limited((own_worth - other_worth) / WORTH)
    out[LEAD_SHARE] = 4.0 * (own_worth - other_worth) / (own_worth + other_worth + WORTH)
    out[CELLS] = limited(own_counts[0] - other_counts[0])
    out[CELLS_SHARE] = 4.0 * (own_counts[0] - other_counts[0]) / open_cells
    out[OPEN] = log2(open_cells) / 4.0
    out[OPEN_SQUARE] = out[OPEN] * out[OPEN]
    out[FRONT] = min(own_counts[2] + other_counts[2], 40) / 10.0
    out[CONTACT] = min(min(own_counts[3], other_counts[3]), 20) / 5.0
    out[COLOUR] = limited(abs(own_counts[1]))
    out[OTHER_COLOUR] = limited(abs(other_counts[1]))
    out[ODD] = np.float64(np.int64(open_cells) & 1)
    out[STEPS_LEAD] = limited((own_counts[4] - other_counts[4]) / 2.0)
    out[STEPS_SHARE] = (
        4.0 * (own_counts[4] - other_counts[4]) / (own_counts[4] + other_counts[4] + 1.0)
    )
    out[APART] = 0.0 if meets else 1.0
    if own != NOWHERE:
        out[ASIDE] = aside(setup, own)
        out[WAYS + ways_on(setup, state, own)] = 1.0
    if other != NOWHERE:
        out[OTHER_ASIDE] = aside(setup, other)
        out[WAYS + 5 + ways_on(setup, state, other)] = 1.0
    return 0.0


@kernel("encode")
def inputs(setup: Words, state: Words, player: int, out: Planes) -> None:
    """Write the inputs, by which the network is trained; none for separated riders."""
    memory = np.empty(INPUTS)
    amounts = pointer(memory)
    if describe(setup, state, amounts) == 0.0:
        for number in range(INPUTS):
            out[number] = amounts[number]


@kernel("evaluate")
def neural(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    numbers_memory, amounts_memory = np.empty(INPUTS, np.int64), np.empty(INPUTS)
    numbers, amounts = pointer(numbers_memory), pointer(amounts_memory)
    value = describe(setup, state, amounts)
    if value == 0.0:
        count = 0
        for number in range(INPUTS):
            amount = amounts[number]
            if amount != 0.0:
                numbers[count], amounts[count] = number, amount
                count += 1
        value = network_value(params, numbers, amounts, count)
    out[state[TURN]] = value
    out[1 - state[TURN]] = 0.0 - value  # never -0.0


class Neural(NeuralEvaluator):
    """A small neural network over chambers and territories, trained on games of searches."""

    name = "neural"
    kernel = neural
    inputs = inputs
    input_count = INPUTS
    teacher = "alphabeta(depth=6, evaluate=chambers, unwise=crashes)"
    variants = (
        "tron",
        "tron",
        "tron(simultaneous=True)",
        "tron(map=room, width=16, height=15, simultaneous=True)",
        "tron(map=center_block)",
        "tron(map=diagonal_blocks)",
        "tron(map=room, width=21, height=21)",
    )
