"""Positions of Connect Four whose scores other programs have proved, and values of whole boards."""

from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "data" / "connect_four_solved.txt"

FIRST_WIDTH = 4
VALUES = {
    4: "==-=-----", 5: "====++++", 6: "==-+--+", 7: "==+=++", 8: "==-+-", 9: "==+=+", 10: "==-+",
    11: "==+", 12: "==-", 13: "==",
}  # fmt: skip
"""By height: the first player's result on empty boards of width 4 and more (n = 4)."""


@cache
def solved_sets():
    """Return the sets by name: lists of (columns played, from 0; score)."""
    sets = {}
    for line in FILE.read_text().splitlines():
        if line.startswith("["):
            rows = sets[line.strip("[]")] = []
        elif not line.startswith("#"):
            columns, score = line.split()
            rows.append(([int(column) - 1 for column in columns], int(score)))
    return sets


def value_of(width, height):
    """Return the first player's result from an empty board with perfect play: 1, 0 or -1."""
    return "-=+".index(VALUES[height][width - FIRST_WIDTH]) - 1
