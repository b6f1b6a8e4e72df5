"""Heuristics with learned weights: territory, and a regression on the cells of the heads.

The regression sees a board of 13 x 13 as two planes of numbers: taken cells as 1, and the heads, 1
for the first player's and -1 for the second's. Boards of other sizes are scaled to these planes.
The study `tron_regression` writes the weights. Only those of the heads are used: taken cells are
the same for both players and have no weight.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from plyground.compile import Reals, Words, helper, kernel
from plyground.game import Evaluator, Game, Position
from plyground.games.tron.chambers import CONTACT, Chambers, ahead
from plyground.games.tron.evaluate import NOWHERE, first_head, territory
from plyground.games.tron.layout import BOARD, HEADS, HEIGHT, SECOND_HEAD, WALLS, WIDTH, WORDS
from plyground.games.tron.tactics import ways_on
from plyground.options import option

SIDE = 13
PLANE = SIDE * SIDE
SHARE, HUG, WEIGHTS = range(3)
"""Indices of the options in params; from WEIGHTS on, the weight of a head on each cell."""


def numbers(position: Position) -> Any:
    """Return a position's 338 inputs of the regression; cells that share an input are averaged."""
    width, height = (int(position.setup[word]) for word in (WIDTH, HEIGHT))
    input_of = _scaled(width, height)
    words = position.state[BOARD : BOARD + position.setup[WORDS]].astype("<i8").view(np.uint8)
    taken = np.unpackbits(words, bitorder="little")[: width * height]
    inputs = np.zeros(2 * PLANE)
    np.add.at(inputs, input_of, taken * (PLANE / (width * height)))
    inputs[PLANE + input_of[position.state[HEADS]]] += 1
    inputs[PLANE + input_of[position.state[SECOND_HEAD]]] -= 1
    return inputs


@cache
def _scaled(width: int, height: int) -> Any:
    """Return, for each cell of a board, the cell of the 13 x 13 plane that it falls on."""
    rows, columns = np.arange(height) * SIDE // height, np.arange(width) * SIDE // width
    return (rows[:, None] * SIDE + columns).ravel()


@cache
def _shipped() -> Any:
    text = files(__package__).joinpath("learned.json").read_text(encoding="utf-8")
    return np.array(json.loads(text)["weights"])


@helper
def judged(setup, state, params, at, first, second):
    """Return the regression's value for the first player, with the weight of walls beside heads.

    The options and weights begin at params[at].
    """
    expected = -params[at + WEIGHTS + second]
    hugged = ways_on(setup, state, second)
    if first != NOWHERE:
        expected += params[at + WEIGHTS + first]
        hugged -= ways_on(setup, state, first)
    return params[at + SHARE] * max(-1.0, min(1.0, expected)) + params[at + HUG] * hugged


@kernel("evaluate")
def learned(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    first, second = first_head(setup, state), state[SECOND_HEAD]
    both = territory(setup, state, first, second)
    cells = ((both >> 16) - (both & 0xFFFF)) / (setup[WIDTH] * setup[HEIGHT])
    out[0] = np.tanh(cells + judged(setup, state, params, 0, first, second))
    out[1] = -out[0]


@kernel("evaluate")
def learned_chambers(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    first, second = first_head(setup, state), state[SECOND_HEAD]
    filled = ahead(setup, state, params, first, second)
    out[0] = np.tanh(filled + judged(setup, state, params, CONTACT + 1, first, second))
    out[1] = -out[0]


class Learned(Evaluator):
    """Voronoi, a regression learned from games, and on maps with blocks walls beside the head."""

    name = "learned"
    kernel = learned

    share: float = option(0.03, low=0, high=1, help="weight of the regression")
    hug: float = option(
        0.001, low=0, high=0.2, help="weight of a wall beside the head, on maps with blocks"
    )

    def params(self, game: Game) -> Sequence[float]:
        _, height, width = game.facts.planes
        hug = self.hug if has_blocks(game) else 0.0
        return [self.share, hug, *_shipped()[_scaled(width, height)]]


class LearnedChambers(Learned, Chambers):
    """Chambers, a regression learned from games, and on maps with blocks walls beside the head."""

    name = "learned_chambers"
    kernel = learned_chambers

    share: float = option(0.005, low=0, high=1, help="weight of the regression")

    def params(self, game: Game) -> Sequence[float]:
        return [*Chambers.params(self, game), *Learned.params(self, game)]


@cache
def has_blocks(game: Game) -> bool:
    """Return whether a map has walls other than its border."""
    setup = game.begin(0)[0]
    width, height = setup[WIDTH], setup[HEIGHT]
    walls = sum((word & 0xFFFFFFFFFFFFFFFF).bit_count() for word in setup[WALLS:])
    return walls > 2 * (width + height) - 4
