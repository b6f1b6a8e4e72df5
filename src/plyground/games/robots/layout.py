"""Makes a setup from a board: slides, walls and bounds, packed into one word per cell."""

from __future__ import annotations

import numpy as np

from plyground.compile import Words, loop
from plyground.games.robots import rounds as rounds_
from plyground.games.robots import sliding
from plyground.games.robots.boards import (
    CELL_STEPS,
    CELLS_A_CORNER,
    LETTERS,
    Board,
    cell_of,
    count_moves,
)

NO_HOUSE = -1


def slides(board: Board) -> Words:
    """Return one word per cell with its walls and the ends of its slides, without bounds."""
    words = board.words()
    _add_slides(words, board.width)
    return words


@loop("none(words, i8)")
def _add_slides(words, width):  # type: ignore[no-untyped-def]
    """Write into each cell's word where slides from it end."""
    for direction in range(4):
        step, shift = CELL_STEPS[direction], sliding.CELL_BITS * direction
        for index in range(len(words)):
            # In this order the next cell is done before: without a wall between, the ends are the
            # same.
            cell = len(words) - 1 - index if step > 0 else index
            if cell % sliding.STRIDE < width:
                stop = cell
                if words[cell] >> (sliding.WALL_SHIFT + direction) & 1 == 0:
                    stop = words[cell + step] >> shift & sliding.CELL_MASK
                words[cell] |= stop << shift


def setup_of(board: Board, words: Words, robots: int, target: int, house: int, cap: int) -> Words:
    """Return the setup of a game of one round; `words` are the board's `slides`."""
    header = board.width, board.height, robots, target, house, cap, 1, 0, 0
    bounds = np.empty_like(words)
    count_moves(words, house, bounds)
    return np.concatenate([header, np.where(words, words | bounds << sliding.BOUND_SHIFT, 0)])


def room_for(width: int, height: int) -> int:
    """Return the largest number of houses on a board of this size."""
    return -(-width * height // CELLS_A_CORNER)


def setup_of_rounds(board: Board, words: Words, robots: int, cap: int, rounds: int) -> Words:
    """Return the setup of a game of several rounds, with all houses of the board."""
    room = room_for(board.width, board.height)
    houses = np.full((room, 2), NO_HOUSE, np.int64)
    bounds = np.zeros((room, len(words)), np.int64)
    for number, (place, owner) in enumerate(board.houses):
        houses[number] = cell_of(place), LETTERS.find(owner)  # -1, not found: any robot's
        count_moves(words, houses[number, 0], bounds[number])
    none = NO_HOUSE, NO_HOUSE
    header = board.width, board.height, robots, *none, cap, rounds, room, len(board.houses)
    return np.concatenate([header, words, houses.ravel(), bounds.ravel()])


def round_of(setup: Words, state: Words) -> tuple[Words, Words]:
    """Return setup and state of a game of one round: the current round of a game of several."""
    extra = sliding.FIRST + int(setup[sliding.ROBOTS])
    target, number = state[extra + rounds_.GOAL], int(state[extra + rounds_.GOAL_HOUSE])
    count = sliding.STRIDE * int(setup[sliding.HEIGHT])
    cells = setup[sliding.CELLS : sliding.CELLS + count]
    first = rounds_.bounds_at(setup, number)
    bounds = setup[first : first + count]
    header = setup[: sliding.CELLS].copy()
    header[sliding.TARGET] = target
    header[sliding.HOUSE] = setup[rounds_.house_at(setup, number)]
    header[sliding.ROUNDS :] = 1, 0, 0
    single = np.where(cells, cells | bounds << sliding.BOUND_SHIFT, 0)
    return np.concatenate([header, single]), state[:extra].copy()
