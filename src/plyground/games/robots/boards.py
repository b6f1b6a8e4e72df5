"""Boards as walls and houses: put together from quarters, or drawn at random."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from random import Random

import numpy as np
from numpy.typing import NDArray

from plyground.compile import Words, loop
from plyground.games.robots.quarters import CLASSIC, VELASQUEZ
from plyground.games.robots.sliding import (
    EAST,
    NORTH,
    SOUTH,
    STRIDE,
    UNREACHABLE,
    WALL_SHIFT,
    WEST,
)

LETTERS = "ygrbsopk"
"""The robots' letters: yellow, green, red, blue, silver, orange, purple, black."""
ANY = "*"
SIZE = 16
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""One cell to the north, east, south and west, as (column, row)."""
CELL_STEPS = np.array([across + STRIDE * down for across, down in STEPS])
"""The difference between a cell's number and its neighbours' in the north, east, south and west."""

Place = tuple[int, int]
"""A column and a row, from 0 in the north-west."""
House = tuple[Place, str]
"""A place, and the letter of the robot that lives there, or ANY."""


def cell_of(place: Place) -> int:
    """Return the cell of a column and a row."""
    return STRIDE * place[1] + place[0]


def place_of(cell: int) -> Place:
    """Return the column and the row of a cell."""
    return cell % STRIDE, cell // STRIDE


@loop("none(state, i8, words)")
def count_moves(cells, house, out):  # type: ignore[no-untyped-def]
    """Write each cell's fewest moves to the house if a robot could stop anywhere."""
    out[:] = UNREACHABLE
    queue = np.empty(len(cells), np.int64)
    queue[0], out[house] = house, 0
    seen, done = 1, 0
    while done < seen:
        start = queue[done]
        done += 1
        for direction in range(4):
            cell = start
            while cells[cell] >> (WALL_SHIFT + direction) & 1 == 0:
                cell += CELL_STEPS[direction]
                if out[cell] == UNREACHABLE:
                    out[cell] = out[start] + 1
                    queue[seen] = cell
                    seen += 1


@dataclass
class Board:
    """Walls as bits a cell (1 north, 2 east, 4 south, 8 west), told to both cells they part."""

    width: int
    height: int
    walls: list[list[int]] = field(default_factory=list)
    houses: list[House] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.walls:
            self.walls = [[0] * self.width for _ in range(self.height)]
            for column in range(self.width):
                self.add(column, 0, NORTH)
                self.add(column, self.height - 1, SOUTH)
            for row in range(self.height):
                self.add(0, row, WEST)
                self.add(self.width - 1, row, EAST)

    def has(self, column: int, row: int) -> bool:
        """Return whether a place is on the board."""
        return 0 <= column < self.width and 0 <= row < self.height

    def add(self, column: int, row: int, direction: int) -> None:
        """Build a wall on one side of a cell."""
        self.walls[row][column] |= 1 << direction
        across, down = STEPS[direction]
        if self.has(column + across, row + down):
            self.walls[row + down][column + across] |= 1 << (direction ^ 2)

    def words(self) -> Words:
        """Return one word per cell with its walls; words of 0 fill rows up to STRIDE."""
        words = np.zeros((self.height, STRIDE), np.int64)
        words[:, : self.width] = self.walls
        return (words << WALL_SHIFT).ravel()

    def region(self, place: Place) -> NDArray[np.bool_]:
        """Return for each row and column whether a walk from `place` reaches the cell."""
        words = self.words()
        moves = np.empty_like(words)
        count_moves(words, cell_of(place), moves)
        reached: NDArray[np.bool_] = moves.reshape(self.height, STRIDE) != UNREACHABLE
        return reached[:, : self.width]


def goes_on(houses: list[House], robots: int) -> bool:
    """Return whether some robot has two houses: then there is always one in which it is not."""
    owners = "".join(owner for _, owner in houses)
    return any(owners.count(letter) + owners.count(ANY) > 1 for letter in LETTERS[:robots])


# Boards of four quarters ------------------------------------------------------------------------

Turn = Callable[[Place, int], tuple[Place, int]]


def turned(times: int) -> Turn:
    """Turn a place and a direction clockwise so many times by 90 degrees."""

    def turn(place: Place, direction: int) -> tuple[Place, int]:
        for _ in range(times):
            place = SIZE - 1 - place[1], place[0]
        return place, (direction + times) % 4

    return turn


def mirrored(east: bool, south: bool) -> Turn:
    """Mirror a place and a direction into the east, the south or both."""

    def turn(place: Place, direction: int) -> tuple[Place, int]:
        column, row = place
        flips = east if direction % 2 else south
        at = SIZE - 1 - column if east else column, SIZE - 1 - row if south else row
        return at, direction ^ 2 if flips else direction

    return turn


TILES = {"classic": CLASSIC, "velasquez": VELASQUEZ}
CORNERS: dict[str, tuple[Turn, ...]] = {
    "classic": (turned(0), turned(1), turned(2), turned(3)),
    "velasquez": (
        mirrored(False, False), mirrored(True, False), mirrored(True, True), mirrored(False, True),
    ),
}  # fmt: skip
"""How a quarter comes to the north-west, north-east, south-east and south-west."""


@cache
def quarters(kind: str) -> dict[str, tuple[str, str]]:
    """Return each quarter's walls and houses by its name."""
    lines = (line.split(" | ") for line in TILES[kind].strip().splitlines())
    return {name: (walls, houses) for name, walls, houses in lines}


def assembled(kind: str, names: Sequence[str]) -> Board:
    """Put four quarters together, clockwise from the north-west."""
    parts = [_turned_quarter(kind, name, corner) for corner, name in enumerate(names)]
    walls = [
        [north_west | north_east | south_east | south_west
         for north_west, north_east, south_east, south_west in zip(*rows, strict=True)]
        for rows in zip(*(part.walls for part in parts), strict=True)
    ]  # fmt: skip
    return Board(SIZE, SIZE, walls, [house for part in parts for house in part.houses])


@cache
def _turned_quarter(kind: str, name: str, corner: int) -> Board:
    """Return a board with only one quarter on it, turned to its corner."""
    board, turn = Board(SIZE, SIZE), CORNERS[kind][corner]
    walls, houses = quarters(kind)[name]
    for letter, number, sides in re.findall(r"([A-H])([1-8])([NESW]+)", walls):
        for side in sides:
            place, direction = turn(_place(letter, number), "NESW".index(side))
            board.add(*place, direction)
    for owner, letter, number in re.findall(r"([a-z*])([A-H])([1-8])", houses):
        board.houses.append((turn(_place(letter, number), NORTH)[0], owner))
    return board


def _place(letter: str, number: str) -> Place:
    return "ABCDEFGH".index(letter), int(number) - 1


def drawn(kind: str, random: Random) -> Board:
    """Draw four quarters: any four of the study's, or one side of each of the four tiles."""
    names = list(quarters(kind))
    if kind == "classic":
        chosen = [random.choice([name for name in names if name[0] == tile]) for tile in "1234"]
        random.shuffle(chosen)
    else:
        chosen = random.sample(names, 4)
    return assembled(kind, chosen)


# Random mazes -----------------------------------------------------------------------------------

CELLS_A_CORNER, CELLS_A_STUB = 15, 8
"""As many corners to the cell, and stubs to the cell of an edge, as the physical boards have."""


def maze(width: int, height: int, random: Random) -> Board:
    """Scatter corners, each with any robot's house in it, and stubs along the edges.

    No cell gets more than two walls, and every cell can be walked to.
    """
    while True:
        board = Board(width, height)
        inside = list(product(range(1, width - 1), range(1, height - 1)))
        random.shuffle(inside)
        for place in inside:
            if len(board.houses) * CELLS_A_CORNER >= width * height:
                break
            side = random.randrange(4)
            if _built(board, place, (side, (side + 1) % 4)):
                board.houses.append((place, ANY))
        for row in (0, height - 1):
            for column in random.sample(range(1, width - 2), width // CELLS_A_STUB):
                _built(board, (column, row), (EAST,))
        for column in (0, width - 1):
            for row in random.sample(range(1, height - 2), height // CELLS_A_STUB):
                _built(board, (column, row), (SOUTH,))
        if board.region((0, 0)).all():
            return board


def _built(board: Board, place: Place, sides: Sequence[int]) -> bool:
    """Build walls round a place unless some cell would get a third one."""
    column, row = place
    beside = [(column + STEPS[side][0], row + STEPS[side][1]) for side in sides]
    fits = board.walls[row][column].bit_count() + len(sides) <= 2 and all(
        board.walls[down][across].bit_count() < 2 for across, down in beside
    )
    if fits:
        for side in sides:
            board.add(column, row, side)
    return fits
