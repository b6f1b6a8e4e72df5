"""Heuristics: ratios of both sides' tokens, actions or components, scaled to -1..1.

A ratio (own + 1) / (other + 1) = r becomes (r - 1) / (r + 1), which keeps the order of positions,
lies strictly within -1..1, and changes only its sign between the sides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plyground.arithmetic import lowest, popcount
from plyground.compile import Reals, Words, helper, kernel
from plyground.game import Evaluator, Game
from plyground.games.expendibots.rules import HEIGHTS, STACKS, component, height
from plyground.options import option

FIRST_FILE, FIRST_RANK = 0x0101010101010101, 0xFF
MIDDLE = 7.5
"""The distance with the value 0: halfway between the least, 1, and the greatest, 14."""


@helper
def squashed_ratio(own, other):
    """Return (r - 1) / (r + 1) for the ratio r = (own + 1) / (other + 1)."""
    return (own - other) / (own + other + 2.0)


@helper
def tokens_within(state, squares):
    """Return the number of tokens on a set of squares."""
    tokens = 0
    for plane in range(4):
        tokens += popcount(state[HEIGHTS + plane] & squares) << plane
    return tokens


@helper
def count_actions(state, side):
    """Return the number of actions a side would have if it were to move."""
    own, free = state[STACKS + side], ~state[STACKS + 1 - side]
    count = popcount(own)
    while own != 0:
        square = lowest(own)
        own &= own - 1
        x, y = square & 7, square >> 3
        tokens = height(state, square)
        targets = 0
        for to_x in range(max(0, x - tokens), min(7, x + tokens) + 1):
            targets += (free >> (8 * y + to_x)) & 1
        for to_y in range(max(0, y - tokens), min(7, y + tokens) + 1):
            targets += (free >> (8 * to_y + x)) & 1
        count += tokens * (targets - 2)  # both lines counted the stack's own square
    return count


@helper
def count_components(state, side, alone):
    """Return the number of components that contain a side's stacks; with `alone`, no enemy's."""
    own, enemy = state[STACKS + side], state[STACKS + 1 - side]
    occupied = own | enemy
    count = 0
    while own != 0:
        exploding = component(own & -own, occupied)
        count += 0 if alone and exploding & enemy != 0 else 1
        own &= ~exploding
    return count


@helper
def distances_along(state, line, step):
    """Return the sum, over all pairs of enemy tokens, of their distance in files (or ranks).

    Every border between neighbouring lines counts once for each pair that it separates.
    """
    white = tokens_within(state, state[STACKS])
    black = tokens_within(state, state[STACKS + 1])
    white_passed = black_passed = total = 0
    for _ in range(7):
        white_passed += tokens_within(state, state[STACKS] & line)
        black_passed += tokens_within(state, state[STACKS + 1] & line)
        total += white_passed * (black - black_passed) + black_passed * (white - white_passed)
        line <<= step
    return total


@helper
def mean_distance(state):
    """Return the mean Manhattan distance between tokens of opposite sides."""
    white = tokens_within(state, state[STACKS])
    black = tokens_within(state, state[STACKS + 1])
    total = distances_along(state, np.int64(FIRST_FILE), 1)
    total += distances_along(state, np.int64(FIRST_RANK), 8)
    return total / max(1, white * black)


@kernel("evaluate")
def pieces(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    white = tokens_within(state, state[STACKS])
    black = tokens_within(state, state[STACKS + 1])
    out[0] = squashed_ratio(white, black)
    out[1] = 0.0 - out[0]  # never -0.0


@kernel("evaluate")
def mobility(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    out[0] = squashed_ratio(count_actions(state, 0), count_actions(state, 1))
    out[1] = 0.0 - out[0]  # never -0.0


@kernel("evaluate")
def components(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    """`params`: whether only components without an enemy count."""
    alone = params[0] != 0.0
    out[0] = squashed_ratio(count_components(state, 0, alone), count_components(state, 1, alone))
    out[1] = 0.0 - out[0]  # never -0.0


@kernel("evaluate")
def closeness(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    out[0] = out[1] = 1.0 - mean_distance(state) / MIDDLE


@kernel("evaluate")
def features(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    """`params`: the weights of pieces, mobility, components and closeness, which add up to 1."""
    value = closer = 0.0
    if params[0] != 0.0:
        white = tokens_within(state, state[STACKS])
        value += params[0] * squashed_ratio(white, tokens_within(state, state[STACKS + 1]))
    if params[1] != 0.0:
        value += params[1] * squashed_ratio(count_actions(state, 0), count_actions(state, 1))
    if params[2] != 0.0:
        value += params[2] * squashed_ratio(
            count_components(state, 0, False), count_components(state, 1, False)
        )
    if params[3] != 0.0:
        closer = params[3] * (1.0 - mean_distance(state) / MIDDLE)
    out[0] = closer + value
    out[1] = closer - value


class Pieces(Evaluator):
    """Compare tokens: (own + 1) / (the enemy's + 1)."""

    name = "pieces"
    kernel = pieces

    def params(self, game: Game) -> Sequence[float]:
        return []


class Mobility(Evaluator):
    """Compare the actions both sides would have if they were to move."""

    name = "mobility"
    kernel = mobility

    def params(self, game: Game) -> Sequence[float]:
        return []


class Components(Evaluator):
    """Compare the numbers of components: groups of stacks that explode together."""

    name = "components"
    kernel = components

    alone: bool = option(False, help="count only components without an enemy")

    def params(self, game: Game) -> Sequence[float]:
        return [float(self.alone)]


class Closeness(Evaluator):
    """Prefer short distances between own and enemy tokens; the same value for both sides."""

    name = "closeness"
    kernel = closeness

    def params(self, game: Game) -> Sequence[float]:
        return []


class Features(Evaluator):
    """The weighted mean of pieces, mobility, components and closeness."""

    name = "features"
    kernel = features

    pieces: float = option(20.0, low=0, high=1e6, help="weight of the tokens")
    mobility: float = option(1.0, low=0, high=1e6, help="weight of the actions")
    components: float = option(1.0, low=0, high=1e6, help="weight of the components")
    closeness: float = option(1.0, low=0, high=1e6, help="weight of the distance to the enemy")

    def params(self, game: Game) -> Sequence[float]:
        weights = [self.pieces, self.mobility, self.components, self.closeness]
        total = sum(weights) or 1.0
        return [weight / total for weight in weights]
