"""Who is stronger, and how sure that is: Elo ratings with intervals from the results of games.

The expected score is Elo's logistic curve of the difference. Draws are Davidson's: the results 0,
1/2, 1 weigh 1, nu, 1, tilted until their mean is the expected score. So a score of 75% is 191 Elo
with draws or without, a difference means the same as in a sequential test, and who often draws but
never loses has a finite rating. On Davidson's own scale, or Rao and Kupper's, none of these holds.

A table of more than two is every pair at it that are no partners. These results hang together:
between equals, each tells 3 / (n + 1) of what a game of two does (the variance of a place is
(n * n - 1) / 12, that of n - 1 games (n - 1) / 4); between others a little more, so that intervals
are rather too wide. Where n teams of m play, all of a team have the same results: each tells
3 / (m (n + 1)).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import log
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from plyground.arena.frame import make_frame
from plyground.errors import BadOption, PlygroundError, UnknownName, shortened
from plyground.files import MARK

Reals = NDArray[np.float64]
Counts = NDArray[np.int64]
Table = tuple[list[int], Sequence[float]]
"""One game: the agents' numbers and the returns, both by seat."""

ELO = 400 / log(10)
"""So many Elo multiply the odds by e."""

PRIOR = 1000.0
"""Ratings lie about so many Elo from the middle, until games say more: none is infinite."""

POINTS = np.array([0.0, 0.5, 1.0])
"""What a loss, a draw and a win score."""


class Result(Protocol):
    """What a rating needs to know of a game; every `Record` is one.

    Where a result also has `identities`, by seat, these tell the agents apart. Where it has
    `names`, by seat, these are what the agents are called; else `agents` are.
    """

    @property
    def agents(self) -> Sequence[str]:
        """By seat."""

    @property
    def returns(self) -> Sequence[float]:
        """By seat; only their order counts."""


class Outcome(NamedTuple):
    """What ratings need of a record, and no more: a store may hold millions."""

    agents: tuple[str, ...]
    returns: tuple[float, ...]
    identities: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rating:
    """How strong one agent is."""

    agent: str
    """Its label, or its spec; with a digest or its identity where several have the same."""
    identity: str
    """The spec with digests of the files behind it: what tells agents apart."""
    elo: float
    deviation: float
    """How far off the rating may be: one standard deviation."""
    games: int
    score: float
    """The share of opponents it did better than, a draw being one half."""

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the bounds between which the true rating lies with this probability."""
        reach = NormalDist().inv_cdf((1 + confidence) / 2) * self.deviation
        return self.elo - reach, self.elo + reach


@dataclass(frozen=True)
class Ratings:
    """The agents of some games, the best first; rows and columns of the matrices follow them."""

    rows: tuple[Rating, ...]
    scores: Reals
    """The points of the row's agent against the column's."""
    games: Counts
    """How often the row's agent met the column's."""
    superiority: Reals
    """How likely the row's agent is stronger than the column's."""
    draws: float
    """How often equals draw."""
    first_seat: float
    """What moving first is worth in Elo; 0 where that was not asked."""

    def to_frame(self) -> Any:
        """Return the ratings as a `pandas.DataFrame`, the best agent first."""
        return make_frame(
            asdict(row) | dict(zip(("low", "high"), row.interval(), strict=True))
            for row in self.rows
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json`."""
        return {
            "agents": [
                asdict(row) | {"interval95": row.interval(), "interval99": row.interval(0.99)}
                for row in self.rows
            ],
            "scores": self.scores.tolist(),
            "games": self.games.tolist(),
            "superiority": self.superiority.tolist(),
            "draws": self.draws,
            "first_seat": self.first_seat,
        }


def rate(
    results: Iterable[Result],
    *,
    anchor: str | None = None,
    first_seat: bool = False,
    teams: Sequence[int] = (),
) -> Ratings:
    """Rate the agents of these games; the anchor's rating, or else the mean, is 0.

    The anchor is an agent's label or spec, or its identity where several have the same.

    Intervals are those of the difference to that 0. `first_seat` asks what moving first is worth;
    `teams` are those of the seats, where the game has any.
    """
    tables, names = _seated(results)
    identities, labels = list(names), unique_labels(names)
    zero = None if anchor is None else identities.index(_named(anchor, names, labels))
    players = len(tables[0][1])
    if first_seat and players > 2:
        raise BadOption(f"first_seat: only with two players, not {players}")
    teams = teams or range(players)
    meetings = _meetings(len(names), tables, teams)
    estimate, covariance, draws = _fit(meetings, _weight(teams), first_seat)
    centre = np.eye(len(names), len(estimate))
    if zero is None:
        centre[:, : len(names)] -= 1 / len(names)
    else:
        centre[:, zero] -= 1
    elo, covariance = centre @ estimate, centre @ covariance @ centre.T
    order = np.argsort(-elo, kind="stable")
    met = meetings + meetings.transpose(1, 0, 2)[:, :, ::-1]
    met[np.diag_indices(len(names))] = 0  # nobody is better than itself
    scores, games = met @ POINTS, met.sum(2)
    played = Counter(each for seats, _ in tables for each in set(seats))
    rows = tuple(
        Rating(
            agent=labels[identities[each]],
            identity=identities[each],
            elo=float(elo[each]),
            deviation=float(np.sqrt(covariance[each, each])),
            games=played[each],
            score=float(scores[each].sum() / max(1, games[each].sum())),
        )
        for each in order
    )
    table = np.ix_(order, order)
    likely = _superiority(elo, covariance)[table]
    worth = float(estimate[-1]) if first_seat else 0.0
    return Ratings(rows, scores[table], games[table], likely, draws, worth)


def unique_labels(names: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Return what to call each of these identities, given the names that each had.

    It is the last name; where others have the same, with the digests of its files, and where these
    are the same as well, with the identity.
    """
    labels = {identity: list(known)[-1] for identity, known in names.items()}
    for distinction in (_digests, "({})".format):
        uses = Counter(labels.values())
        labels = {
            identity: f"{label} {distinction(identity)}".rstrip() if uses[label] > 1 else label
            for identity, label in labels.items()
        }
    return labels


def _digests(identity: str) -> str:
    return " ".join(MARK.findall(identity))


def _named(name: str, names: Mapping[str, Collection[str]], labels: Mapping[str, str]) -> str:
    """Return the identity of the agent with this label, spec or identity."""
    if name in names:
        return name
    found = [each for each, known in names.items() if name in known or labels[each] == name]
    if len(found) == 1:
        return found[0]
    called = [labels[each] for each in found]
    if called:
        raise BadOption(f"several agents are called {shortened(name)!r}: {', '.join(called)}")
    raise UnknownName("agent", name, labels.values())


def _seated(results: Iterable[Result]) -> tuple[list[Table], dict[str, dict[str, None]]]:
    """Number agents in the order of their first games; list what each was called."""
    numbers: dict[str, int] = {}
    names: dict[str, dict[str, None]] = {}
    tables: list[Table] = []
    for result in results:
        identities = getattr(result, "identities", result.agents)
        labels = getattr(result, "names", ()) or result.agents
        for identity, *called in zip(identities, result.agents, labels, strict=True):
            known = names.setdefault(identity, {})
            for name in called:
                known.pop(name, None)
                known[name] = None  # the last that was used is the last in order
        seats = [numbers.setdefault(identity, len(numbers)) for identity in identities]
        tables.append((seats, result.returns))
    sizes = {len(seats) for seats, _ in tables}
    if len(sizes) > 1:
        raise PlygroundError(f"ratings need tables of one size, not of {sorted(sizes)} players")
    if len(numbers) < 2 or sizes == {1}:
        found = f"{len(tables)} games of {len(numbers)} agents"
        raise PlygroundError(f"ratings need agents that play each other: there are {found}")
    return tables, names


def _weight(teams: Sequence[int]) -> float:
    """Return how much a result between two at a table counts, relative to a game of two."""
    sides = len(set(teams))
    return 3 * sides / (len(teams) * (sides + 1))


def _meetings(agents: int, tables: Iterable[Table], teams: Sequence[int]) -> Counts:
    """Count the row's losses, draws and wins against the column, who sat after it.

    Partners do not play each other.
    """
    meetings = np.zeros((agents, agents, 3), np.int64)
    for seats, returns in tables:
        for later in range(len(seats)):
            for earlier in range(later):
                if teams[earlier] == teams[later]:
                    continue
                one, other = returns[earlier], returns[later]
                meetings[seats[earlier], seats[later], 1 + (one > other) - (one < other)] += 1
    return meetings


def _fit(meetings: Counts, weight: float, first_seat: bool) -> tuple[Reals, Reals, float]:
    """Find the likeliest Elo of every agent, and of the first seat; covariance; draws of equals.

    Scores give the ratings, by Newton's method, and draws say how much a score can stray: by
    p (1 - p) - d / 4 where p is its mean and d the chance of a draw.
    """
    first, second = np.nonzero(meetings.sum(2))
    results = weight * meetings[first, second]
    games, scored = results.sum(1), results @ POINTS
    design = np.eye(len(meetings))[first] - np.eye(len(meetings))[second]
    if first_seat:
        design = np.column_stack([design, np.ones(len(first))])
    prior = np.eye(design.shape[1]) * (ELO / PRIOR) ** 2
    strengths, step = np.zeros(design.shape[1]), np.ones(1)
    while np.abs(step).max() > 1e-9:
        expected = 1 / (1 + np.exp(-design @ strengths))
        curvature = (design.T * (games * expected * (1 - expected))) @ design + prior
        surprise = design.T @ (scored - games * expected) - prior @ strengths
        step = np.linalg.solve(curvature, surprise)
        strengths += step / max(1.0, np.abs(step).max())
    drawn, equals = _draws(expected, games, results[:, 1].sum())
    strayed = (design.T * (games * (expected * (1 - expected) - drawn / 4))) @ design + prior
    inverse = np.linalg.inv(curvature)
    return strengths * ELO, inverse @ strayed @ inverse * ELO**2, equals


def _draws(expected: Reals, games: Reals, seen: float) -> tuple[Reals, float]:
    """Find the nu that explains the number of draws; return all probabilities, and that of equals.

    Half a draw and half a decision between equals are added, so that none is 0 or 1.
    """
    low, high = -20.0, 20.0  # of the log odds of a draw between equals
    while high - low > 1e-9:
        odds = np.exp((low + high) / 2)
        drawn, equals = _drawn(expected, 2 * odds), odds / (1 + odds)
        if games @ drawn + equals < seen + 0.5:
            low = (low + high) / 2
        else:
            high = (low + high) / 2
    return drawn, float(equals)


def _drawn(expected: Reals, nu: float) -> Reals:
    """Tilt the weights 1, nu, 1 of a loss, a draw and a win until they score as expected."""
    weaker = np.minimum(expected, 1 - expected)
    lean = nu * (0.5 - weaker)
    tilt = 2 * weaker / (lean + np.sqrt(lean**2 + 4 * weaker * (1 - weaker)))
    return np.asarray(nu * tilt / (1 + nu * tilt + tilt**2))


def _superiority(elo: Reals, covariance: Reals) -> Reals:
    """Return how likely each agent is stronger than each other, by the normal distribution."""
    own = np.diag(covariance)
    spread = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 1e-12))
    return np.vectorize(NormalDist().cdf)((elo[:, None] - elo) / spread)  # type: ignore[no-any-return]
