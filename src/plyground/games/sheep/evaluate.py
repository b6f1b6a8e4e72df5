"""Heuristics: the score so far, the sheep that can still leave their stacks, and both together.

All are one kernel. A player's worth is `held` x its score + `spread` x its sheep that can leave
their stacks. Its value compares that with the mean of the others: (own - others) / (own + others
+ 1), which lies within -1..1. Partners' worths are added up and compared with the other team's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plyground.arithmetic import lowest
from plyground.compile import Reals, Words, helper, kernel
from plyground.game import Evaluator, Game
from plyground.games.sheep.layout import PLAYERS, TEAMS, UNIT, WORDS
from plyground.games.sheep.rules import count_at, owned, score, ways_out
from plyground.options import option

HELD, SPREAD, EXITS = range(3)


@helper
def leaving(setup, state, player, exits):
    """Return how many sheep can leave their stacks, at most `exits` per open direction."""
    total = 0.0
    for word in range(setup[WORDS]):
        left = state[owned(setup, player) + word]
        while left != 0:
            cell = (word << 6) + lowest(left)
            left &= left - 1
            spare = count_at(setup, state, cell) - 1
            if spare > 0:
                total += min(np.float64(spare), exits * ways_out(setup, state, cell))
    return total


@kernel("evaluate")
def worth(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    players = setup[PLAYERS]
    for player in range(players):
        out[player] = 0.0
        if params[HELD] > 0.0:
            out[player] += params[HELD] * (np.float64(score(setup, state, player)) / UNIT)
        if params[SPREAD] > 0.0:
            out[player] += params[SPREAD] * leaving(setup, state, player, params[EXITS])
    if setup[TEAMS] != 0:
        players = 2
        out[0] += out[2]
        out[1] += out[3]
    total = 0.0
    for player in range(players):
        total += out[player]
    for player in range(players):
        others = (total - out[player]) / (players - 1)
        out[player] = (out[player] - others) / (out[player] + others + 1.0)
    if setup[TEAMS] != 0:
        out[2] = out[0]
        out[3] = out[1]


class Outlook(Evaluator):
    """The score so far, plus a weight for each sheep that can still leave its stack."""

    name = "outlook"
    kernel = worth

    spread: float = option(2.0, low=0, high=100, help="weight of a sheep that can leave its stack")
    exits: float = option(1.0, low=0, high=100, help="most sheep to count per open direction")

    def params(self, game: Game) -> Sequence[float]:
        return [1.0, self.spread, self.exits]


class Regions(Evaluator):
    """The score so far: regions by size ** 1.25, or on hexagons cells and the largest region."""

    name = "regions"
    kernel = worth

    def params(self, game: Game) -> Sequence[float]:
        return [1.0, 0.0, 0.0]


class Freedom(Evaluator):
    """The number of sheep that can still leave their stacks."""

    name = "freedom"
    kernel = worth

    exits: float = option(2.0, low=0, high=100, help="most sheep to count per open direction")

    def params(self, game: Game) -> Sequence[float]:
        return [0.0, 1.0, self.exits]
