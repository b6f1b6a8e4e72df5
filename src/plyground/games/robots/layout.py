"""From walls to the words of a setup: slides, walls and bounds, packed a word a cell."""

from __future__ import annotations

import numpy as np

from plyground.compile import Words
from plyground.games.robots import rules
from plyground.games.robots.boards import STEPS, Board, Place


def cell_of(place: Place) -> int:
    """Give the cell of a column and a row."""
    return rules.STRIDE * place[1] + place[0]


def place_of(cell: int) -> Place:
    """Give the column and the row of a cell."""
    return cell % rules.STRIDE, cell // rules.STRIDE


def slides(board: Board) -> list[int]:
    """Give a word a cell with its walls and where its slides end, without bounds."""
    words = [0] * (rules.STRIDE * board.height)
    places = [(column, row) for row in range(board.height) for column in range(board.width)]
    for direction, (across, down) in enumerate(STEPS):
        stops: dict[Place, int] = {}
        # The cell one step on comes first: its stop is ours as well, unless a wall is between.
        for place in reversed(places) if across + down > 0 else places:
            column, row = place
            wall = board.walls[row][column] >> direction & 1
            stops[place] = cell_of(place) if wall else stops[column + across, row + down]
            words[cell_of(place)] |= (
                stops[place] << rules.CELL_BITS * direction
                | wall << rules.WALL_SHIFT + direction
            )  # fmt: skip
    return words


def with_bounds(words: list[int], house: int) -> list[int]:
    """Add to each cell the fewest moves to the house if a robot could stop wherever it likes.

    Words of 0 are no cells of the board, only the rest of their row.
    Sets of cells are bits of one number: a whole set is moved a cell on by one shift.
    """
    open_sides = [
        sum(
            1 << cell
            for cell, word in enumerate(words)
            if word and not word >> rules.WALL_SHIFT + direction & 1
        )
        for direction in range(4)
    ]
    bounds = [rules.UNREACHABLE] * len(words)
    seen = fresh = 1 << house
    moves = 0
    while fresh:
        for cell in range(len(words)):
            if fresh >> cell & 1:
                bounds[cell] = moves
        reached = 0
        for direction, (across, down) in enumerate(STEPS):
            shift = across + rules.STRIDE * down
            ray = fresh
            while ray:
                ray &= open_sides[direction]
                ray = ray << shift if shift > 0 else ray >> -shift
                reached |= ray
        fresh = reached & ~seen
        seen |= fresh
        moves += 1
    return [
        word and word | bound << rules.BOUND_SHIFT
        for word, bound in zip(words, bounds, strict=True)
    ]


def setup_of(
    board: Board, words: list[int], robots: int, target: int, house: int, cap: int
) -> Words:
    """Give a setup; `words` are the board's slides."""
    sizes = board.width, board.height, robots, target, house, cap
    return np.array([*sizes, *with_bounds(words, house)], np.int64)
