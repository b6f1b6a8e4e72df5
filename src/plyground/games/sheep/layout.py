"""Maps, random or given, and the tables of a setup that are made from them.

A map is a square of rows of `.` (pasture) and `#` (wall); x counts columns from the left, y rows
from the top. In the hexagonal form every row lies half a cell further right than the one above it,
so that a cell touches those below it and below to the left, but not those in directions 1 and 9.
"""

from __future__ import annotations

from itertools import count, product
from math import isqrt
from random import Random

from plyground.arithmetic import split
from plyground.errors import OptionError, TextError

LARGEST = 16
PASTURE, WALL = ".", "#"
CHANCE = 0.7
"""Probability that a cell beside the pasture joins it while a random map grows."""

UNIT = 1 << 40
"""A score of 1 in fixed point; integers have the same sum in any order of addition."""

DIRECTIONS = tuple((d % 3 - 1, d // 3 - 1) for d in range(9) if d != 4)
"""The steps (dx, dy) of directions 1, 2, 3, 4, 6, 7, 8, 9, placed like the keys of a telephone."""

(
    SIZE, PLAYERS, SHEEP, CELLS, WORDS, TEAMS, HIDDEN, HEX,
    COUNTS, HERD, POWERS, BORDER, TABLE, STRIDE, RANKS,
) = range(15)  # fmt: skip
"""The words of a setup before its tables; see `rules`."""

Place = tuple[int, int]


def moves_of(hexagonal: bool) -> list[int]:
    """Return the directions of moves, as indices of DIRECTIONS: 8, or 6 on hexagons."""
    return [d for d, (dx, dy) in enumerate(DIRECTIONS) if not (hexagonal and dx == dy)]


def sides_of(hexagonal: bool) -> list[int]:
    """Return the directions in which cells share a side: 4, or 6 on hexagons."""
    return [d for d in moves_of(hexagonal) if hexagonal or 0 in DIRECTIONS[d]]


def neighbours(place: Place, directions: list[int], size: int) -> list[Place]:
    """Return the places of the grid one step away in some directions."""
    steps = ((place[0] + DIRECTIONS[d][0], place[1] + DIRECTIONS[d][1]) for d in directions)
    return [(x, y) for x, y in steps if 0 <= x < size and 0 <= y < size]


def grow(size: int, cells: int, hexagonal: bool, random: Random) -> list[str]:
    """Return a random map, grown from the middle: neighbours of random edge cells join by CHANCE.

    If a map stays too small, another is grown with a higher chance, until one is large enough.
    """
    sides = sides_of(hexagonal)
    middle = size // 2, size // 2
    for attempt in count():
        chance = 1.0 - (1.0 - CHANCE) * 0.9**attempt
        decided, pasture, edge = {middle}, {middle}, [middle]
        while edge and len(pasture) < cells:
            chosen = edge.pop(random.randrange(len(edge)))
            around = neighbours(chosen, sides, size)
            random.shuffle(around)
            for place in around:
                if place not in decided and len(pasture) < cells:
                    decided.add(place)
                    if random.random() < chance:
                        pasture.add(place)
                        edge.append(place)
        if len(pasture) == cells:
            break
    grid = range(size)
    return ["".join(PASTURE if (x, y) in pasture else WALL for x in grid) for y in grid]


def squared(rows: list[str]) -> list[str]:
    """Return a map filled up with walls to a square, which does not change the game."""
    size = max(len(rows), len(rows[0]))
    return [row.ljust(size, WALL) for row in rows] + [WALL * size] * (size - len(rows))


def pasture_of(rows: list[str]) -> list[Place]:
    """Return the playable cells in reading order; a cell's number is its index here."""
    return [(x, y) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == PASTURE]


def check_connected(rows: list[str], hexagonal: bool) -> None:
    """Raise TextError unless the pasture is connected; the error names a cell that is cut off."""
    pasture = set(pasture_of(rows))
    if not pasture:
        raise TextError("sheep: the map has no playable cell")
    sides = sides_of(hexagonal)
    reached = {pasture_of(rows)[0]}
    edge = list(reached)
    while edge:
        for place in neighbours(edge.pop(), sides, len(rows)):
            if place in pasture and place not in reached:
                reached.add(place)
                edge.append(place)
    for x, y in sorted(pasture - reached, key=lambda place: place[::-1]):
        where = f"row {y + 1}, column {x + 1}"
        raise TextError(f"sheep: the map is not connected: the cell at {where} is cut off")


def check_options(players: int, cells: int, size: int, teams: bool) -> None:
    """Raise OptionError if options contradict each other."""
    if cells > size * size:
        raise OptionError(f"sheep: cells={cells} do not fit on a grid of {size} x {size}")
    if cells < players:
        raise OptionError(f"sheep: {cells} cells are too few for {players} players")
    if teams and players != 4:
        raise OptionError(f"sheep: teams need players=4, not {players}")


def power(size: int) -> int:
    """Return size ** 1.25 in fixed point, rounded down, computed with integers only."""
    return isqrt(isqrt(size**5 * UNIT**4))


def layout(
    rows: list[str], players: int, sheep: int, *, teams: bool, hidden: bool, hexagonal: bool
) -> list[int]:
    """Return the setup of a map; `rules` describes its words."""
    size, pasture = len(rows), pasture_of(rows)
    number = {place: cell for cell, place in enumerate(pasture)}
    cells, words = len(pasture), -(-len(pasture) // 64)
    moves, sides = moves_of(hexagonal), sides_of(hexagonal)
    ranks = [number.get((x, y), -1) for y, x in product(range(size), repeat=2)]
    powers = [region * UNIT if hexagonal else power(region) for region in range(sheep + 1)]
    table: list[int] = []
    border = 0
    for cell, (x, y) in enumerate(pasture):
        near = []
        for d, (dx, dy) in enumerate(DIRECTIONS):
            near.append(number.get((x + dx, y + dy), cell) if d in moves else cell)
        beside = [near[d] for d in sides]
        border |= (cell in beside) << cell
        table += [y * LARGEST + x, *split(sum(other << 8 * d for d, other in enumerate(near)), 1)]
        table += split(sum({1 << other for other in near} - {1 << cell}), words)
        table += split(sum({1 << other for other in beside} - {1 << cell}), words)
    setup = [0] * RANKS + ranks
    setup[SIZE], setup[PLAYERS], setup[SHEEP], setup[CELLS] = size, players, sheep, cells
    setup[WORDS], setup[TEAMS], setup[HIDDEN], setup[HEX] = words, teams, hidden, hexagonal
    setup[COUNTS] = 1 + words * (1 + players)
    setup[HERD] = UNIT >> 10 if hexagonal else 0
    setup[POWERS] = len(setup)
    setup += powers
    setup[BORDER] = len(setup)
    setup += split(border, words)
    setup[TABLE], setup[STRIDE] = len(setup), 2 + 2 * words
    return setup + table
