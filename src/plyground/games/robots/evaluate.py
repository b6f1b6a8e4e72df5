"""The bound as a heuristic: the best return that the walls alone do not rule out."""

from __future__ import annotations

from collections.abc import Sequence

from plyground.compile import Reals, Words, kernel
from plyground.game import Evaluator, Game
from plyground.games.robots.rules import CAP, MOVES, bound_of

LOWEST = -0.999
"""What a position is worth that cannot be solved in time: still more than a lost game."""


@kernel("evaluate")
def bound(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    """Law: no line from here returns more, LOWEST aside."""
    moves = state[MOVES] + bound_of(setup, state)
    out[0] = max(1.0 - 2.0 * moves / setup[CAP], LOWEST)


class Bound(Evaluator):
    """Count the moves to the house as if the target robot could stop wherever it likes."""

    name = "bound"
    kernel = bound

    def params(self, game: Game) -> Sequence[float]:
        return []
