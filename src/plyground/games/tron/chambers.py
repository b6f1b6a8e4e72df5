"""The chamber heuristic: how many of the cells it reaches first a rider can fill.

See `regions` for chambers and doors. If no chamber is a front, the players are separated: then
`fill` values the position.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plyground.compile import Reals, Words, helper, kernel, pointer
from plyground.game import Evaluator, Game
from plyground.games.tron.evaluate import first_head
from plyground.games.tron.fill import separated_value
from plyground.games.tron.layout import HEIGHT, POWERS, SECOND_HEAD, WIDTH
from plyground.games.tron.regions import FIELDS, FIRST, SECOND, divide, explore
from plyground.options import option

CELL, WAY, CONTACT = range(3)
"""Indices of the options in params."""


@helper
def ahead(setup, state, params, first, second):
    """Return the lead of the first player as a share of the board."""
    cells = setup[WIDTH] * setup[HEIGHT]
    memory = np.empty(FIELDS * cells, np.int64)
    boards = pointer(memory)
    cell_worth, way_worth = np.int64(params[CELL]), np.int64(params[WAY])
    divide(setup, state, first, second, boards, cells)
    own, meets = explore(setup, boards, cells, first, FIRST, cell_worth, way_worth)
    other, _ = explore(setup, boards, cells, second, SECOND, cell_worth, way_worth)
    lead = (own - other) / (cells * (cell_worth + 4 * way_worth))
    if meets:
        return params[CONTACT] * lead
    if setup[POWERS]:  # a bomb or armor may open a way to the other
        return lead
    return separated_value(setup, state, boards, cells, first, second, lead)


@kernel("evaluate")
def chambers(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    out[0] = ahead(setup, state, params, first_head(setup, state), state[SECOND_HEAD])
    out[1] = -out[0]


class Chambers(Evaluator):
    """Cells that the player reaches first and can fill, chamber by chamber, less the other's."""

    name = "chambers"
    kernel = chambers

    cell: int = option(1, low=1, high=1000, help="weight of a cell")
    way: int = option(3, low=0, high=1000, help="weight of a step from one cell to the next")
    contact: float = option(
        0.15, low=0, high=1, help="weight of the lead while the players can meet; else it is 1"
    )

    def params(self, game: Game) -> Sequence[float]:
        return [self.cell, self.way, self.contact]
