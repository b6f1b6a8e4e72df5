"""A small description of a position, with a few hundred values, for tabular learning."""

from __future__ import annotations

from plyground.game import Position
from plyground.games.tron.layout import BOARD, HEADS, STEPS, WIDTH

BLOCKED, DEAD_END, ALONG, OPEN = range(4)
"""What lies in one direction: a taken cell, a dead end, a free cell beside a wall, or one in the
open."""
BY_EXITS = (DEAD_END, ALONG, ALONG, OPEN)
"""The kind of a free cell by its number of free neighbours."""

Senses = tuple[int, ...]


def senses(position: Position) -> Senses:
    """Return what lies in each direction, and the signs of the way down and right to the other."""
    setup, state = position.setup.tolist(), position.state.tolist()
    own, other = (state[HEADS + (position.player ^ turn)] for turn in (0, 1))
    width = setup[WIDTH]

    def taken(cell: int) -> int:
        return int(state[BOARD + (cell >> 6)] >> (cell & 63) & 1)

    def ahead(cell: int) -> int:
        if taken(cell):
            return BLOCKED
        return BY_EXITS[4 - sum(taken(cell + step) for step in setup[STEPS : STEPS + 4])]

    down, across = other // width - own // width, other % width - own % width
    cells = (ahead(own + step) for step in setup[STEPS : STEPS + 4])
    return (*cells, (down > 0) - (down < 0), (across > 0) - (across < 0))
