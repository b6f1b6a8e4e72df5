"""The solver's memory, and how robots move in it.

Robot 0 is the target robot here; the other robots follow in their order.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from plyground.arithmetic import derive_seed, highest, lowest
from plyground.compile import Words, helper
from plyground.control import UNLIMITED, new_control
from plyground.games.robots.sliding import (
    CELL_BITS,
    CELL_MASK,
    FIRST,
    ROBOTS,
    STRIDE,
    TARGET,
)
from plyground.workspace import Records, Workspace

LONGEST = 62
"""The most moves of a solution that deepening looks for: an entry has 6 bits for them."""
PLIES = LONGEST + 2
MOST_REACHED, MOST_CHOICES = 16, 32
LEVELS = 20
"""The most levels of bounds."""

ENTRY = np.dtype([("word", np.int64)])
"""A key, but for its last 6 bits: there, the moves in which that position has no solution."""
CHOICE = np.dtype([("move", np.int64), ("after", np.int64), ("key", np.int64)])
"""A move to be tried: 4 * robot + direction, the cell it leads to, and the position's key."""

_RANDOM = np.random.default_rng(derive_seed(1))
TARGET_KEYS, HELPER_KEYS = _RANDOM.integers(-(2**63), 2**63, (2, STRIDE * STRIDE))
"""What a robot adds to a position's key by its cell; helpers are alike."""


class RobotsWorkspace(Workspace):
    """The memory of searches on boards of one size, used again from one search to the next."""

    control: Words
    by_row: Words
    """The robots as bits, for each row; then for each column."""
    by_column: Words
    placed: Words
    """The robots' cells, and their numbers in the game."""
    numbers: Words
    line: Words
    """The moves that were made, by ply."""
    way: Words
    """The stops from the target robot's cells, by ply, in `follow`."""
    reached: Words
    """The stops met by `follow`, MOST_REACHED for each ply."""
    seen: Words
    near: Words
    """The cells that matter to the target robot's slides, as `slack` explains, and the lines of the
    helpers that could come to where they stop it."""
    choices: Annotated[Records, CHOICE]
    """MOST_CHOICES for each ply."""
    table: Annotated[Records, ENTRY]
    lines: Words
    """The solutions found as the game's actions, PLIES words each."""
    alone: Words
    pairs: Words
    """The bounds, as `relaxation` explains; what follows is memory for finding them."""
    segments: Words
    sets: Words
    unions: Words
    fold: int
    places: int
    """How many places a set has, and the bits of a place that are its column."""
    level: int = 0
    """The last level of the pairs; 0 as long as there are no such bounds."""
    settled: int = 0
    """Whether more levels would be the same."""
    stretches: int = 0
    farthest: int = 0
    """How many segments there are, and the largest distance by walls alone."""
    row_blockers: int = 0
    column_blockers: int = 0
    """The cells of the target robot's row and column, as bits, where a helper stops it well."""
    rows: int = 0
    columns: int = 0
    """The lines, as bits, along which a helper could come there."""
    mask: int = 0
    """The size of the part of the table that is in use, less 1."""
    salt: int = 0
    """A number of this search, added to all keys."""
    most_nodes: int = UNLIMITED
    """The nodes after which no deeper search is begun."""
    robots: int = 0
    wanted: int = 1
    found: int = 0
    """How many solutions are wanted, and were found."""


def fold_of(width: int) -> int:
    """Return how many bits of a place are its column."""
    return 4 if width <= 16 else 5


def new_workspace(width: int, height: int, table_bits: int) -> RobotsWorkspace:
    """Make the memory of searches on boards of a size."""
    places = height << fold_of(width)
    level = places * (places + 63 >> 6)

    def words(size: int) -> Words:
        return np.zeros(size, np.int64)

    return RobotsWorkspace(
        control=new_control(),
        by_row=words(STRIDE),
        by_column=words(STRIDE),
        placed=words(8),
        numbers=words(8),
        line=words(PLIES),
        way=words(PLIES),
        reached=words(PLIES * MOST_REACHED),
        seen=words(2 * STRIDE),
        near=words(8),
        choices=np.zeros(PLIES * MOST_CHOICES, CHOICE),
        table=np.zeros(1 << table_bits, ENTRY),  # zeros take no time until they are used
        lines=words(PLIES),
        alone=words(places),
        pairs=words((LEVELS + 1) * level),
        segments=words(2 * places),
        sets=words(2 * level),
        unions=words(2 * level),
        fold=fold_of(width),
        places=places,
    )


@helper
def stops(work, cells, cell):
    """Return a cell and, from bit 10 on, where a robot on it stops in the four directions.

    As `sliding.slide`, but in all directions at once, and no slower with many robots.
    """
    word, row, column = cells[cell], cell >> 5, cell & 31
    in_row, in_column = work.by_row[row], work.by_column[column]
    north = highest((in_column & ((1 << row) - 1)) << 1 | 1) << 5 | column
    east = cell + lowest(in_row >> (column + 1) | 1 << STRIDE)
    south = cell + (lowest(in_column >> (row + 1) | 1 << STRIDE) << 5)
    west = row << 5 | highest((in_row & ((1 << column) - 1)) << 1 | 1)
    return (
        cell
        | max(north, word & CELL_MASK) << CELL_BITS
        | min(east, word >> CELL_BITS & CELL_MASK) << 2 * CELL_BITS
        | min(south, word >> 2 * CELL_BITS & CELL_MASK) << 3 * CELL_BITS
        | max(west, word >> 3 * CELL_BITS & CELL_MASK) << 4 * CELL_BITS
    )


@helper
def stop_in(all_stops, direction):
    """Return the stop in one direction."""
    return all_stops >> (CELL_BITS * (1 + direction)) & CELL_MASK


@helper
def lift(work, cell):
    """Take the robot on a cell off the board, or put one there."""
    work.by_row[cell >> 5] ^= 1 << (cell & 31)
    work.by_column[cell & 31] ^= 1 << (cell >> 5)


@helper
def put(work, robot, before, after):
    """Move a robot from one cell to another."""
    work.placed[robot] = after
    lift(work, before)
    lift(work, after)


@helper
def action_of(work, move):
    """Return the game's action for a move."""
    return work.numbers[move >> 2] << 2 | move & 3


@helper
def place_robots(work, setup, state):
    """Put a position's robots into the workspace; return its key."""
    for line in range(STRIDE):
        work.by_row[line] = 0
        work.by_column[line] = 0
    target = setup[TARGET]
    work.robots = setup[ROBOTS]
    work.placed[0] = state[FIRST + target]
    work.numbers[0] = target
    key = work.salt + TARGET_KEYS[work.placed[0]]
    for robot in range(work.robots):
        cell = state[FIRST + robot]
        lift(work, cell)
        if robot != target:
            own = robot + (robot < target)
            work.placed[own] = cell
            work.numbers[own] = robot
            key += HELPER_KEYS[cell]
    return key
