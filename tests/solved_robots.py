"""Reads data/robots_solved.txt: boards of known quarters, and puzzles with a shortest solution."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "data" / "robots_solved.txt"
SIZE = 16


class Puzzle(NamedTuple):
    kind: str
    text: str
    """The position as the game writes it."""
    fewest: int
    solution: list[str]


def walls_of(packed):
    """Unpack east and south walls, two cells per digit, into rows of N 1, E 2, S 4, W 8."""
    sides = [int(digit, 16) >> shift & 3 for digit in packed for shift in (0, 2)]
    rows = [[0] * SIZE for _ in range(SIZE)]
    for number, side in enumerate(sides):
        y, x = divmod(number, SIZE)
        rows[y][x] |= 2 * side
        rows[y][x] |= 8 if x == 0 else 8 * (sides[number - 1] & 1)
        rows[y][x] |= 1 if y == 0 else sides[number - SIZE] >> 1
    return rows


@cache
def boards():
    """Return the walls by (kind, quarters)."""
    lines = (line.split() for line in FILE.read_text().splitlines())
    return {
        (kind, names): walls_of(packed) for tag, kind, names, packed, *_ in lines if tag == "board"
    }


@cache
def puzzles():
    found = []
    for line in FILE.read_text().splitlines():
        tag, *parts = line.split()
        if tag == "puzzle":
            kind, names, yellow, green, red, blue, house, fewest, moves = parts
            walls = "/".join("".join(f"{cell:x}" for cell in row) for row in boards()[kind, names])
            text = f"{walls} y{yellow} g{green} r{red} b{blue} {house} 0"
            solution = [moves[at : at + 2] for at in range(0, len(moves), 2)]
            found.append(Puzzle(kind, text, int(fewest), solution))
    return found
