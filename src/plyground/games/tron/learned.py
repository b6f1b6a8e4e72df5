"""Heuristics learned from games: territory, and what a regression made of who stood where.

The regression knows a board of 13 x 13 as two planes of numbers: what is taken, 1, and the heads,
1 for the first player's and -1 for the second's. Any other board is stretched over these planes.
The experiment `tron_regression` writes the weights: those of the heads alone, for what is taken is
taken from both and weighs nothing.
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
"""Where params hold the options; then comes each cell's weight for a head on it."""


def numbers(position: Position) -> Any:
    """Return the 338 numbers of a position; a larger board's many cells on one are averaged."""
    width, height = (int(position.setup[word]) for word in (WIDTH, HEIGHT))
    over = _stretched(width, height)
    words = position.state[BOARD : BOARD + position.setup[WORDS]].astype("<i8").view(np.uint8)
    taken = np.unpackbits(words, bitorder="little")[: width * height]
    found = np.zeros(2 * PLANE)
    np.add.at(found, over, taken * (PLANE / (width * height)))
    found[PLANE + over[position.state[HEADS]]] += 1
    found[PLANE + over[position.state[SECOND_HEAD]]] -= 1
    return found


@cache
def _stretched(width: int, height: int) -> Any:
    """Return each cell of a board the cell of the plane that it falls on."""
    rows, columns = np.arange(height) * SIDE // height, np.arange(width) * SIDE // width
    return (rows[:, None] * SIDE + columns).ravel()


@cache
def _shipped() -> Any:
    text = files(__package__).joinpath("learned.json").read_text(encoding="utf-8")
    return np.array(json.loads(text)["weights"])


@helper
def judged(setup, state, params, at, first, second):
    """Return what the regression expects for the first player, and walls beside the heads add.

    Its options and weights lie in params from `at` on.
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
    rooms = ahead(setup, state, params, first, second)
    out[0] = np.tanh(rooms + judged(setup, state, params, CONTACT + 1, first, second))
    out[1] = -out[0]


class Learned(Evaluator):
    """Voronoi, what a regression learned from games, and on maps with blocks the walls beside."""

    name = "learned"
    kernel = learned

    share: float = option(0.03, low=0, high=1, help="what the regression counts beside Voronoi")
    hug: float = option(
        0.001, low=0, high=0.2, help="what a wall beside the head counts on maps with blocks"
    )

    def params(self, game: Game) -> Sequence[float]:
        _, height, width = game.facts.planes
        hug = self.hug if has_blocks(game) else 0.0
        return [self.share, hug, *_shipped()[_stretched(width, height)]]


class LearnedChambers(Learned, Chambers):
    """The same, with chambers in place of Voronoi."""

    name = "learned_chambers"
    kernel = learned_chambers

    share: float = option(0.005, low=0, high=1, help="what the regression counts beside chambers")

    def params(self, game: Game) -> Sequence[float]:
        return [*Chambers.params(self, game), *Learned.params(self, game)]


@cache
def has_blocks(game: Game) -> bool:
    """Return whether a map has walls beside those all round."""
    setup = game.begin(0)[0]
    width, height = setup[WIDTH], setup[HEIGHT]
    walls = sum((word & 0xFFFFFFFFFFFFFFFF).bit_count() for word in setup[WALLS:])
    return walls > 2 * (width + height) - 4
