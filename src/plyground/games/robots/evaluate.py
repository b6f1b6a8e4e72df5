"""The lower bound on moves as a heuristic: an upper bound on the return."""

from __future__ import annotations

from collections.abc import Sequence

from plyground.compile import Reals, Words, kernel
from plyground.game import Evaluator, Game
from plyground.games.robots.rounds import bound_of, outcome
from plyground.games.robots.sliding import CAP, MOVES

LOWEST = -0.999
"""The value of a position that cannot be solved within the cap, above that of a lost game."""


@kernel("evaluate")
def bound(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    """In the last round this is an upper bound on the return, except for LOWEST.

    Later rounds count as lost, so that a solved round is worth more than an unsolved one.
    """
    moves = state[MOVES] + bound_of(setup, state)
    out[0] = max(outcome(setup, state, moves, moves <= setup[CAP]), LOWEST)


class Bound(Evaluator):
    """The moves to the house if the target robot could stop anywhere: a lower bound."""

    name = "bound"
    kernel = bound

    def params(self, game: Game) -> Sequence[float]:
        return []
