"""Advice to searches: splits to prune, and two play-out policies.

The pressure of a stack is its sheep less twice its free neighbours: a stack with a high pressure
should split before it is shut in.
"""

from __future__ import annotations

import numpy as np

from plyground.arithmetic import lowest, popcount, random_below
from plyground.compile import Random, Words, helper, kernel
from plyground.games.sheep.layout import BORDER, HEX, RANKS, SHEEP, SIZE, STRIDE, TABLE, WORDS
from plyground.games.sheep.rules import (
    AROUND,
    FREE,
    PLACE,
    TURN,
    count_at,
    is_placing,
    last_free,
    owned,
    ray_and_sheep,
    ways_out,
)

DIRECTIONS = 8
CHANCE = 8
"""Random noise below this is added to a stack's pressure, and breaks ties of directions."""
LEAST = -1000
FEW_WAYS, TIGHT, LONG_WAY, FAR = 3, -50, 8, 50
"""The study's thresholds: a cell with fewer ways out than FEW_WAYS scores TIGHT, and more than
LONG_WAY steps cost FAR."""


@kernel("unwise")
def odd_splits(setup: Words, state: Words, action: int) -> bool:
    """Prune all splits but those of one sheep, half of the stack, or all that can leave."""
    if action < setup[SIZE] * setup[SIZE]:
        return False
    ray, sheep = ray_and_sheep(setup, action)
    stack = count_at(setup, state, setup[RANKS + (ray >> 3)])
    return sheep != 1 and sheep != stack >> 1 and sheep != stack - 1


@kernel("unwise")
def uneven_splits(setup: Words, state: Words, action: int) -> bool:
    """Prune all splits but those of half of the stack."""
    if action < setup[SIZE] * setup[SIZE]:
        return False
    ray, sheep = ray_and_sheep(setup, action)
    return sheep != count_at(setup, state, setup[RANKS + (ray >> 3)]) >> 1


@helper
def row_and_column(setup, cell):
    place = setup[setup[TABLE] + cell * setup[STRIDE] + PLACE]
    return place >> 4, place & 15


@helper
def placement(setup, cell):
    """Return the action that places all sheep on a cell."""
    row, column = row_and_column(setup, cell)
    return row * setup[SIZE] + column


@helper
def split(setup, cell, direction, sheep):
    """Return the action that sends sheep from a cell in a direction, 0 to 7."""
    ray = placement(setup, cell) * DIRECTIONS + direction
    return setup[SIZE] * setup[SIZE] + ray * (setup[SHEEP] - 1) + sheep - 1


@helper
def pressed_stack(setup, state, random, chance):
    """Return the stack with the highest pressure plus noise, of those that can split."""
    best, most = np.int64(0), np.int64(LEAST)
    for word in range(setup[WORDS]):
        left = state[owned(setup, state[TURN]) + word]
        while left != 0:
            cell = (word << 6) + lowest(left)
            left &= left - 1
            sheep, ways = count_at(setup, state, cell), ways_out(setup, state, cell)
            pressure = sheep - 2 * ways + random_below(random, chance)
            if sheep > 1 and ways > 0 and pressure > most:
                best, most = cell, pressure
    return best


# Play-outs --------------------------------------------------------------------------------------


@helper
def random_placement(setup, state, random):
    """Return the placement on a random free border cell, by reservoir sampling."""
    chosen, seen = np.int64(0), 0
    for word in range(setup[WORDS]):
        left = setup[setup[BORDER] + word] & state[FREE + word]
        while left != 0:
            seen += 1
            if random_below(random, seen) == 0:
                chosen = (word << 6) + lowest(left)
            left &= left - 1
    return placement(setup, chosen)


@helper
def own_beside(setup, state, cell):
    """Return how many of the player's cells share a side with a cell."""
    beside = setup[TABLE] + cell * setup[STRIDE] + AROUND + setup[WORDS]
    own = owned(setup, state[TURN])
    count = 0
    for word in range(setup[WORDS]):
        count += popcount(setup[beside + word] & state[own + word])
    return count


@helper
def direction_home(setup, state, random, cell):
    """Return the direction that ends beside most of the player's cells; ties are broken at random.

    On hexagons, where cells count and not regions, any direction is as good.
    """
    herd = 0 if setup[HEX] != 0 else CHANCE
    best, most = np.int64(0), np.int64(LEAST)
    for direction in range(DIRECTIONS):
        to = last_free(setup, state, cell, direction)
        company = herd * own_beside(setup, state, to) + random_below(random, CHANCE)
        if to != cell and company > most:
            best, most = direction, company
    return best


@kernel("rollout")
def herding(setup: Words, state: Words, random: Random) -> int:
    """Send a random number of sheep from a stack of high pressure to the player's other cells."""
    if is_placing(setup, state):
        return random_placement(setup, state, random)
    cell = pressed_stack(setup, state, random, CHANCE)
    sheep = 1 + random_below(random, count_at(setup, state, cell) - 1)
    return split(setup, cell, direction_home(setup, state, random, cell), sheep)


# The rule of the study --------------------------------------------------------------------------


@helper
def middle_placement(setup, state):
    """Return the free border cell nearest the middle of the grid."""
    best, least = np.int64(0), np.int64(-LEAST)
    for word in range(setup[WORDS]):
        left = setup[setup[BORDER] + word] & state[FREE + word]
        while left != 0:
            cell = (word << 6) + lowest(left)
            left &= left - 1
            row, column = row_and_column(setup, cell)
            distance = abs(2 * row - setup[SIZE]) + abs(2 * column - setup[SIZE])
            if distance < least:
                best, least = cell, distance
    return placement(setup, best)


@helper
def promising_direction(setup, state, cell):
    """Return the direction with most ways out at its end, less its steps, and these ways."""
    row, column = row_and_column(setup, cell)
    best, most, best_ways = 0, LEAST, 0
    for direction in range(DIRECTIONS):
        to = last_free(setup, state, cell, direction)
        to_row, to_column = row_and_column(setup, to)
        steps, ways = max(abs(to_row - row), abs(to_column - column)), ways_out(setup, state, to)
        promise = (ways if ways >= FEW_WAYS else TIGHT) - (steps if steps <= LONG_WAY else FAR)
        if to != cell and promise > most:
            best, most, best_ways = direction, promise, max(ways, FEW_WAYS - 1)
    return best, best_ways


@kernel("rollout")
def spreading(setup: Words, state: Words, random: Random) -> int:
    """The rule of a study: split the stack of highest pressure in its most promising direction.

    The number of sheep is shared out by the ways out of both cells. It places near the middle, and
    uses no randomness.
    """
    if is_placing(setup, state):
        return middle_placement(setup, state)
    cell = pressed_stack(setup, state, random, 1)
    direction, ways = promising_direction(setup, state, cell)
    stack = count_at(setup, state, cell)
    sheep = stack * ways // (ways_out(setup, state, cell) + ways)
    return split(setup, cell, direction, min(max(sheep, 1), stack - 1))
