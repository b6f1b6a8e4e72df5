"""What a rider senses: a few hundred situations, for players that learn by a table."""

from __future__ import annotations

from plyground.game import Position
from plyground.games.tron.layout import BOARD, HEADS, STEPS, WIDTH

BLOCKED, DEAD_END, ALONG, OPEN = range(4)
"""What lies in one direction: nothing to enter, no way on, a wall beside, or none."""
BY_WAYS = (DEAD_END, ALONG, ALONG, OPEN)

Senses = tuple[int, ...]


def senses(position: Position) -> Senses:
    """Return what lies in each direction, and where the other is: up or down, left or right."""
    setup, state = position.setup.tolist(), position.state.tolist()
    own, other = (state[HEADS + (position.player ^ turn)] for turn in (0, 1))
    width = setup[WIDTH]

    def taken(cell: int) -> int:
        return int(state[BOARD + (cell >> 6)] >> (cell & 63) & 1)

    def ahead(cell: int) -> int:
        if taken(cell):
            return BLOCKED
        return BY_WAYS[4 - sum(taken(cell + step) for step in setup[STEPS : STEPS + 4])]

    down, across = other // width - own // width, other % width - own % width
    found = (ahead(own + step) for step in setup[STEPS : STEPS + 4])
    return (*found, (down > 0) - (down < 0), (across > 0) - (across < 0))
