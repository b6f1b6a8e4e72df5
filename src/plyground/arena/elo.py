"""Elo from pair counts: the likeliest ratings, their covariance, and the draws between equals.

The expected score is Elo's logistic curve of the rating difference. Draws follow Davidson's model:
the results 0, 1/2 and 1 have the weights 1, nu and 1, tilted until their mean is the expected
score. So a score of 75% is 191 Elo with or without draws, a difference means the same as in a
sequential test, and an agent that often draws but never loses has a finite rating. On Davidson's
own scale, or Rao and Kupper's, none of these holds.

A graded score s counts as 4 s (1 - s) of a draw, which is 1 for a draw and 0 for a win or a loss:
a score has the variance p (1 - p) - d / 4, where p is its mean and d the mean of these.
"""

from __future__ import annotations

from math import erf, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Counts = NDArray[np.int64]

ELO = 400 / log(10)
"""Difference in Elo that multiplies the odds by e."""

PRIOR = 1000.0
"""Standard deviation of the prior on ratings, in Elo; it keeps every rating finite."""


class Pairs(NamedTuple):
    """The games of each two agents that met, the first of them in the earlier seat."""

    first: Counts
    """Number of the agent."""
    second: Counts
    games: Reals
    points: Reals
    """Sum of the first one's scores."""
    drawn: Reals
    """Number of draws; a graded score s counts as 4 s (1 - s)."""


def fit(
    pairs: Pairs, agents: int, weight: float = 1.0, first_seat: bool = False
) -> tuple[Reals, Reals, float]:
    """Return the likeliest Elo of agents and first seat, its covariance, and the draws of equals.

    Scores determine the ratings, by Newton's method; each game has the weight. The equations are
    assembled from the pairs, of which there are far fewer than games.
    """
    first, second = pairs.first, pairs.second
    games, points, drawn = (weight * counts for counts in pairs[2:])
    size = agents + first_seat
    prior = (ELO / PRIOR) ** 2
    strengths: Reals = np.zeros(size)
    step: NDArray[Any] = np.ones(size)
    while np.abs(step).max() > 1e-9:
        lead = strengths[first] - strengths[second]
        expected = 1 / (1 + np.exp(-(lead + strengths[-1] if first_seat else lead)))
        curvature = _information(pairs, games * expected * (1 - expected), agents, first_seat)
        missed = points - games * expected
        gradient = np.bincount(first, missed, size) - np.bincount(second, missed, size)
        if first_seat:
            gradient[-1] = missed.sum()
        step = np.linalg.solve(curvature, gradient - prior * strengths)
        strengths += step / max(1.0, np.abs(step).max())
    likely, equals = _draws(expected, games, drawn.sum())
    spread = games * (expected * (1 - expected) - likely / 4)
    variance = _information(pairs, spread, agents, first_seat)
    inverse = np.linalg.inv(curvature)
    return strengths * ELO, inverse @ variance @ inverse * ELO**2, equals


def _information(pairs: Pairs, weights: Reals, agents: int, first_seat: bool) -> Reals:
    """Return the matrix D' W D + prior: a row of D has 1 for the first agent and -1 for the second.

    The column of the first seat, if there is one, is all 1.
    """
    met = np.zeros((agents, agents))
    met[pairs.first, pairs.second] = weights
    matrix = np.zeros((agents + first_seat, agents + first_seat))
    matrix[:agents, :agents] = -met - met.T
    np.fill_diagonal(matrix[:agents, :agents], matrix.diagonal()[:agents] - matrix.sum(1)[:agents])
    if first_seat:
        matrix[-1, :agents] = matrix[:agents, -1] = met.sum(1) - met.sum(0)
        matrix[-1, -1] = weights.sum()
    np.fill_diagonal(matrix, matrix.diagonal() + (ELO / PRIOR) ** 2)
    return matrix


def _draws(expected: Reals, games: Reals, seen: float) -> tuple[Reals, float]:
    """Return the probability of a draw in each meeting and between equals, by the likeliest nu.

    Half a draw and half a decision between equals are added, so that no probability is 0 or 1.
    """
    low, high = -20.0, 20.0  # bounds of the log odds of a draw between equals
    while high - low > 1e-9:
        odds = np.exp((low + high) / 2)
        drawn, equals = _drawn(expected, 2 * odds), odds / (1 + odds)
        if games @ drawn + equals < seen + 0.5:
            low = (low + high) / 2
        else:
            high = (low + high) / 2
    return drawn, float(equals)


def _drawn(expected: Reals, nu: float) -> Reals:
    """Return the probability of a draw, by weights 1, nu, 1 tilted to the expected score."""
    weaker = np.minimum(expected, 1 - expected)
    lean = nu * (0.5 - weaker)
    tilt = 2 * weaker / (lean + np.sqrt(lean**2 + 4 * weaker * (1 - weaker)))
    return np.asarray(nu * tilt / (1 + nu * tilt + tilt**2))


def superiority(elo: Reals, covariance: Reals) -> Reals:
    """Return the probability that each agent is stronger than each other agent."""
    own = np.diag(covariance)
    spread = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 1e-12))
    deviations = (elo[:, None] - elo) / (sqrt(2) * spread)
    return 0.5 + 0.5 * np.vectorize(erf, otypes=[float])(deviations)  # type: ignore[no-any-return]
