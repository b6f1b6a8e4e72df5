"""Scores: what the result of a game is worth to a player.

Tables, reports, ratings, sequential tests, tuning and the site all take it from here.

The *score* of a game is the player's return, from -1 to 1, scaled to 0 to 1. With two players a win
is 1, a draw 1/2 and a loss 0, and a return in between counts by its size. Agents are ranked by
their mean score. Players of one team have the same returns and form one *side*.

The score *against one opponent* is by size as well where two sides play: it is the score of the
game if what one side wins the other loses. Among more sides, whose returns depend on all of them,
it is 1, 1/2 or 0: who did better.

*Points* are for tables of more than two sides, and are by place; of two sides they are the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # ratings and tests need no game
    from plyground.game import Facts

Real = TypeVar("Real", float, NDArray[np.float64])
"""One number, or an array of them."""


def score(gained: Real) -> Real:
    """Return the score, from 0 to 1, of a return or of a mean of returns."""
    return (gained + 1) / 2


def count_sides(players: int, teams: Sequence[int]) -> int:
    """Return the number of teams, or of players if there are no teams."""
    return len(set(teams)) or players


def score_against(own: Real, other: Real, sides: int) -> Real:
    """Return the score against one opponent, from both returns."""
    if sides <= 2:
        return 0.5 + (own - other) / 4
    return 0.5 + 0.5 * ((own > other) * 1.0 - (own < other) * 1.0)


def first_shares(returns: Sequence[float], teams: Sequence[int] = ()) -> list[float]:
    """Return each seat's share of the first place, which the best sides divide among themselves."""
    best = max(returns)
    sides = teams or range(len(returns))
    winners = {side for side, gained in zip(sides, returns, strict=True) if gained == best}
    return [1 / len(winners) if gained == best else 0.0 for gained in returns]


def game_points(returns: Sequence[float], facts: Facts) -> list[float]:
    """Return each seat's points: by place among more than two sides, else its score."""
    if count_sides(len(returns), facts.teams) > 2:
        return rank_points(returns, facts.places)
    return [score(gained) for gained in returns]


def rank_points(returns: Sequence[float], places: Sequence[float] = ()) -> list[float]:
    """Return points by place, as in the game's `Facts.places`; ties share their points."""
    last = len(returns) - 1
    table = places or [1 - place / max(1, last) for place in range(len(returns))]
    shared = []
    for gained in returns:
        better = sum(other > gained for other in returns)
        level = returns.count(gained)
        shared.append(sum(table[better : better + level]) / level)
    return shared
