"""Sequential test (SPRT): play only until it is clear whether A is stronger than B.

This is the generalised sequential probability ratio test on pairs of games, which have the same
start and swapped seats. A pair scores 0, 1/4, 1/2, 3/4 or 1 for A; as these five are counted, no
model of draws or of the seats' advantages is needed. Where returns are graded, pairs are counted on
a finer scale. H0: A is `elo0` Elo stronger than B; H1: A is `elo1` Elo stronger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import expm1, inf, isfinite, log, log10, sqrt
from statistics import fmean
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from plyground.arena.scores import score_against
from plyground.errors import OptionError

Reals = NDArray[np.float64]
Counts = NDArray[Any]

SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""The possible scores of a pair of games that are won, drawn or lost."""

FINER = 64
"""Steps into which the distance between two of SCORES is divided for graded returns."""

UNSEEN = 1e-3
"""Count of a score that has not occurred yet, so that no probability is 0."""

FAIR = np.array([0.25, 0.0, 0.5, 0.0, 0.25])
"""Expected counts of one pair of coin tosses, added so that few pairs have some variance."""

USED_UP = 50
"""Fewest pairs of repeats in a row after which no new pair is expected and the test ends."""

Z = 1.96
"""Standard deviations of a normal variable that contain 95%."""


@dataclass(frozen=True)
class Sprt:
    """The two hypotheses, elo0 and elo1, and the error rates."""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    """Probability of accepting H1 if H0 is true."""
    beta: float = 0.05
    """Probability of accepting H0 if H1 is true."""

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise OptionError(
                f"elo0 ({self.elo0}) must be below elo1 ({self.elo1}), both within -1000 and 1000"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise OptionError(f"{name} must be between 0 and 0.5, not {getattr(self, name)}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Return Wald's bounds: H0 is accepted at the lower one, H1 at the upper one."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def ratio(self, counts: Counts) -> Reals:
        """Return the log-likelihood ratio of H1 to H0.

        Counts of pairs have the shape (..., 5) or, on the finer scale, (..., 4 * FINER + 1).
        """
        means = [expected(self.elo0), expected(self.elo1)]
        unseen = UNSEEN * len(SCORES) / counts.shape[-1]
        likelihoods = _likelihood(np.maximum(counts, unseen), means)
        return np.asarray(likelihoods[..., 1] - likelihoods[..., 0])

    def verdict(self, ratio: float) -> str | None:
        """Return the hypothesis that is accepted, "H0" or "H1"; None if more games are needed."""
        lower, upper = self.bounds
        return "H1" if ratio >= upper else "H0" if ratio <= lower else None

    def expected_pairs(self, score: float, variance: float, ratio: float = 0.0) -> float:
        """Return the expected number of pairs still to play, given a pair's mean and variance.

        Wald's approximation: the ratio is a Brownian motion with drift until it reaches a bound.
        """
        (lower, upper), score0, score1 = self.bounds, expected(self.elo0), expected(self.elo1)
        spread = (score1 - score0) ** 2 / variance
        drift = (score1 - score0) * (score - (score0 + score1) / 2) / variance
        pull = 2 * abs(drift) / spread
        if pull * (upper - lower) < 1e-6:
            return max(0.0, (upper - ratio) * (ratio - lower) / spread)
        ahead, behind = (upper, lower) if drift > 0 else (lower, upper)
        reached = expm1(-pull * abs(ratio - behind)) / expm1(-pull * (upper - lower))
        return max(0.0, (reached * ahead + (1 - reached) * behind - ratio) / drift)


def expected(elo: float) -> float:
    """Return the expected score at a difference in Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def difference(score: float) -> float:
    """Return the difference in Elo at which a score is expected; infinite at 0 and 1."""
    return 400 * log10(score / (1 - score)) if 0 < score < 1 else inf if score > 0.5 else -inf


def _scale(counts: Counts) -> Reals:
    """Return the score of each count."""
    return np.linspace(0.0, 1.0, counts.shape[-1])


def _finer(counts: Reals) -> Reals:
    """Return the counts of SCORES on the finer scale."""
    finer = np.zeros(FINER * (len(SCORES) - 1) + 1)
    finer[::FINER] = counts
    return finer


def _likelihood(counts: Reals, means: Sequence[float]) -> Reals:
    """Return the log-likelihood of counts for each mean score, minus that of the observed shares.

    Shapes (..., k) and (n,) give (..., n). The likeliest probabilities with a given mean are
    share / (1 + t * (score - mean)), with the t for which they add up to 1: the root of a function
    that decreases between two poles. The likelihood is flat in t there, so that 25 bisections are
    exact enough.
    """
    deviations = _scale(counts) - np.array(means)[:, None]
    counts = counts[..., None, :]
    low = np.broadcast_to(-1 / deviations[:, -1], (*counts.shape[:-2], len(means)))
    high = np.broadcast_to(-1 / deviations[:, 0], low.shape)
    for _ in range(25):
        middle = (low + high) / 2
        rising = np.sum(counts * deviations / (1 + middle[..., None] * deviations), axis=-1) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return np.asarray(-np.sum(counts * np.log1p(middle[..., None] * deviations), axis=-1))


class Numbered(Protocol):
    """The part of a game that the test needs; every `Record` is `Numbered`."""

    @property
    def number(self) -> int:
        """Return the game's number; games 0 and 1 are a pair, 2 and 3 the next one, and so on."""

    @property
    def entrants(self) -> Sequence[int]:
        """Return the agents by seat: 0 is A, 1 is B."""

    @property
    def returns(self) -> Sequence[float]:
        """Return the result by seat, from -1 to 1."""


Game = TypeVar("Game", bound=Numbered)


@dataclass(frozen=True)
class Trial:
    """The state of a test."""

    sprt: Sprt
    counts: tuple[float, ...]
    """Number of pairs with each of SCORES or, on the finer scale, with each score on it."""
    repeats: int = 0
    """Number of games that were not counted because they repeat others."""

    @property
    def pairs(self) -> int:
        return round(sum(self.counts))

    @property
    def quarters(self) -> tuple[int, ...]:
        """The number of pairs about each of SCORES."""
        nearest = np.rint(_scale(np.array(self.counts)) * (len(SCORES) - 1)).astype(int)
        return tuple(map(round, np.bincount(nearest, self.counts).tolist()))

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio."""
        return float(self.sprt.ratio(np.array(self.counts)))

    @property
    def verdict(self) -> str | None:
        return self.sprt.verdict(self.ratio)

    @property
    def score(self) -> float:
        """A's mean score."""
        counts = np.array(self.counts)
        return float(counts @ _scale(counts)) / self.pairs if self.pairs else 0.5

    @property
    def variance(self) -> float:
        """Variance of a pair's score."""
        counts = np.array(self.counts)
        counts = counts + (FAIR if len(counts) == len(FAIR) else _finer(FAIR))
        shares, scores = counts / counts.sum(), _scale(counts)
        return float(shares @ scores**2 - (shares @ scores) ** 2)

    @property
    def elo(self) -> tuple[float, float, float]:
        """The difference in Elo: lower bound of the 95% interval, estimate, upper bound."""
        margin = Z * sqrt(self.variance / max(1, self.pairs))
        return (
            difference(self.score - margin),
            difference(self.score),
            difference(self.score + margin),
        )

    @property
    def games_left(self) -> int:
        """Expected number of games still to play."""
        if self.verdict is not None:
            return 0
        return round(2 * self.sprt.expected_pairs(self.score, self.variance, self.ratio))

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json`."""
        return vars(self.sprt) | {
            "bounds": self.sprt.bounds,
            "games": 2 * self.pairs,
            "pairs": self.quarters,
            "score": self.score,
            "elo": [bound if isfinite(bound) else None for bound in self.elo],
            "ratio": self.ratio,
            "verdict": self.verdict,
            "repeats": self.repeats,
        }


def run_trial(
    sprt: Sprt, games: Iterable[Game], is_new: Callable[[Game], bool] = lambda game: True
) -> Iterator[Trial]:
    """Yield the trial after each pair, until a hypothesis is accepted or no game is left.

    Games may come in any order. Pairs are counted in the order of their numbers, so that the
    verdict does not depend on which games finish first. A pair of two repeats is not counted; after
    many such pairs in a row, the starts are used up and the trial ends.
    """
    counts = np.zeros(len(SCORES))
    waiting: dict[int, Game] = {}
    pairs = stale = repeats = 0
    for game in games:
        waiting[game.number] = game
        while {2 * pairs, 2 * pairs + 1} <= waiting.keys():
            pair = waiting.pop(2 * pairs), waiting.pop(2 * pairs + 1)
            pairs += 1
            new = [is_new(member) for member in pair]
            if any(new):
                counts = _counted(counts, fmean(map(_score, pair)))
                stale = 0
            else:
                repeats += len(pair)
                stale += 1
            trial = Trial(sprt, tuple(counts.tolist()), repeats)
            yield trial
            if trial.verdict is not None or stale >= max(USED_UP, trial.pairs):
                return


def _counted(counts: Reals, score: float) -> Reals:
    """Return the counts with one more pair.

    A score between two on the scale counts in part as either, so that the mean is kept.
    """
    if len(counts) == len(SCORES) and score not in SCORES:
        counts = _finer(counts)
    place, part = divmod(score * (len(counts) - 1), 1)
    counts[int(place)] += 1 - part
    if part:
        counts[int(place) + 1] += part
    return counts


def _score(game: Numbered) -> float:
    """Return A's score."""
    own, other = (game.returns[game.entrants.index(entrant)] for entrant in (0, 1))
    return score_against(own, other, sides=2)
