"""The bound as a heuristic: the best return that the walls alone do not rule out."""

from __future__ import annotations

from collections.abc import Sequence

from plyground.compile import Reals, Words, kernel
from plyground.game import Evaluator, Game
from plyground.games.robots.rounds import bound_of, rounds_left, spent
from plyground.games.robots.sliding import CAP, MOVES, ROUNDS

LOWEST = -0.999
"""What a position is worth that cannot be solved in time: still more than a lost game."""


@kernel("evaluate")
def bound(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    """Law: in the last round no line from here returns more, LOWEST aside.

    Rounds to come count as lost: so one that is solved is worth more than one that goes on.
    """
    moves = state[MOVES] + bound_of(setup, state)
    if setup[ROUNDS] > 1:
        moves = min(moves, setup[CAP])
        moves += spent(setup, state) + setup[CAP] * rounds_left(setup, state)
    out[0] = max(1.0 - 2.0 * moves / (setup[CAP] * setup[ROUNDS]), LOWEST)


class Bound(Evaluator):
    """Count the moves to the house as if the target robot could stop wherever it likes."""

    name = "bound"
    kernel = bound

    def params(self, game: Game) -> Sequence[float]:
        return []
