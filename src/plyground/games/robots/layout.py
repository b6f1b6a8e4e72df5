"""Makes a setup from a board: slides, walls and bounds, packed into one word per cell."""

from __future__ import annotations

import numpy as np

from plyground.compile import Words, loop
from plyground.games.robots import rounds as rounds_
from plyground.games.robots import sliding
from plyground.games.robots.boards import CELLS_A_CORNER, LETTERS, STEPS, Board, Place

NO_HOUSE = -1
CELL_STEPS = np.array([across + sliding.STRIDE * down for across, down in STEPS])
"""The difference between a cell's number and its neighbours' in the north, east, south and west."""


def cell_of(place: Place) -> int:
    """Return the cell of a column and a row."""
    return sliding.STRIDE * place[1] + place[0]


def place_of(cell: int) -> Place:
    """Return the column and the row of a cell."""
    return cell % sliding.STRIDE, cell // sliding.STRIDE


def slides(board: Board) -> list[int]:
    """Return one word per cell with its walls and the ends of its slides, without bounds."""
    words = [0] * (sliding.STRIDE * board.height)
    places = [(column, row) for row in range(board.height) for column in range(board.width)]
    for direction, (across, down) in enumerate(STEPS):
        stops: dict[Place, int] = {}
        # In this order the next cell is done before: without a wall between, the ends are the same.
        for place in reversed(places) if across + down > 0 else places:
            column, row = place
            wall = board.walls[row][column] >> direction & 1
            stops[place] = cell_of(place) if wall else stops[column + across, row + down]
            words[cell_of(place)] |= (
                stops[place] << sliding.CELL_BITS * direction
                | wall << sliding.WALL_SHIFT + direction
            )  # fmt: skip
    return words


@loop("none(state, i8, words)")
def _bounds(cells, house, out):  # type: ignore[no-untyped-def]
    """Write each cell's fewest moves to the house if a robot could stop anywhere."""
    out[:] = sliding.UNREACHABLE
    queue = np.empty(len(cells), np.int64)
    queue[0], out[house] = house, 0
    seen, done = 1, 0
    while done < seen:
        start = queue[done]
        done += 1
        for direction in range(4):
            cell = start
            while cells[cell] >> (sliding.WALL_SHIFT + direction) & 1 == 0:
                cell += CELL_STEPS[direction]
                if out[cell] == sliding.UNREACHABLE:
                    out[cell] = out[start] + 1
                    queue[seen] = cell
                    seen += 1


def setup_of(
    board: Board, words: list[int], robots: int, target: int, house: int, cap: int
) -> Words:
    """Return the setup of a game of one round; `words` are the board's `slides`.

    Words of 0 fill rows up to STRIDE; they are no cells of the board.
    """
    header = board.width, board.height, robots, target, house, cap, 1, 0, 0
    cells = np.array(words, np.int64)
    bounds = np.empty_like(cells)
    _bounds(cells, house, bounds)
    return np.array([*header, *np.where(cells, cells | bounds << sliding.BOUND_SHIFT, 0)])


def room_for(width: int, height: int) -> int:
    """Return the largest number of houses on a board of this size."""
    return -(-width * height // CELLS_A_CORNER)


def setup_of_rounds(board: Board, words: list[int], robots: int, cap: int, rounds: int) -> Words:
    """Return the setup of a game of several rounds, with all houses of the board."""
    room, cells = room_for(board.width, board.height), np.array(words, np.int64)
    houses = np.full((room, 2), NO_HOUSE, np.int64)
    bounds = np.zeros((room, len(cells)), np.int64)
    for number, (place, owner) in enumerate(board.houses):
        houses[number] = cell_of(place), LETTERS.find(owner)  # -1, not found: any robot's
        _bounds(cells, houses[number, 0], bounds[number])
    none = NO_HOUSE, NO_HOUSE
    header = board.width, board.height, robots, *none, cap, rounds, room, len(board.houses)
    return np.concatenate([header, cells, houses.ravel(), bounds.ravel()])


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
