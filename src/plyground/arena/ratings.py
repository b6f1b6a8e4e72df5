"""Elo ratings with confidence intervals, from the results of games.

The expected score is Elo's logistic curve of the rating difference. Draws follow Davidson's model:
the results 0, 1/2 and 1 have the weights 1, nu and 1, tilted until their mean is the expected
score. So a score of 75% is 191 Elo with or without draws, a difference means the same as in a
sequential test, and an agent that often draws but never loses has a finite rating. On Davidson's
own scale, or Rao and Kupper's, none of these holds.

A game of n > 2 players counts as one result for every pair of opponents. These results are
correlated: between equals, each carries 3 / (n + 1) of the information of a two-player game (the
variance of a place is (n * n - 1) / 12, that of n - 1 games (n - 1) / 4). Between unequal players
it is a little more, so that intervals are rather too wide. With n teams of m players, all members
of a team have the same results, and each result carries 3 / (m (n + 1)).
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
"""Difference in Elo that multiplies the odds by e."""

PRIOR = 1000.0
"""Standard deviation of the prior on ratings, in Elo; it keeps every rating finite."""

POINTS = np.array([0.0, 0.5, 1.0])
"""Points for a loss, a draw and a win."""


class Result(Protocol):
    """The part of a game that ratings need; every `Record` is a `Result`.

    If a result also has `identities`, by seat, these distinguish the agents. If it has `names`, by
    seat, these are the agents' labels; otherwise `agents` are.
    """

    @property
    def agents(self) -> Sequence[str]:
        """Return the agents' specs by seat."""

    @property
    def returns(self) -> Sequence[float]:
        """Return the result by seat; only its order counts."""


class Outcome(NamedTuple):
    """Only those fields of a record that ratings need, as a store may hold millions."""

    agents: tuple[str, ...]
    returns: tuple[float, ...]
    identities: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rating:
    """The rating of one agent."""

    agent: str
    """Its label or spec, followed by a digest or its identity if several agents share that."""
    identity: str
    """The spec with digests of the agent's files; it distinguishes agents."""
    elo: float
    deviation: float
    """Standard deviation of the rating."""
    games: int
    score: float
    """Share of opponents that it beat, a draw counting one half."""

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the bounds between which the true rating lies with this probability."""
        margin = NormalDist().inv_cdf((1 + confidence) / 2) * self.deviation
        return self.elo - margin, self.elo + margin


@dataclass(frozen=True)
class Ratings:
    """Ratings of agents, the best first; the matrices have rows and columns in the same order."""

    rows: tuple[Rating, ...]
    scores: Reals
    """Points of the row's agent against the column's."""
    games: Counts
    """How often the row's agent met the column's."""
    superiority: Reals
    """Probability that the row's agent is stronger than the column's."""
    draws: float
    """Probability of a draw between equals."""
    first_seat: float
    """Advantage of moving first, in Elo; 0 if it was not estimated."""

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
    """Return the ratings of the agents in these games; the anchor's rating, or the mean, is 0.

    The anchor is an agent's label or spec, or its identity if several agents share these.

    Intervals are of the difference from that 0. `first_seat` also estimates the advantage of moving
    first; `teams` is the team of each seat, if the game has teams.
    """
    tables, names = _numbered(results)
    identities, labels = list(names), unique_labels(names)
    anchored = None if anchor is None else identities.index(_named(anchor, names, labels))
    players = len(tables[0][1])
    if first_seat and players > 2:
        raise BadOption(f"first_seat: needs games of two players, not {players}")
    teams = teams or range(players)
    meetings = _meetings(len(names), tables, teams)
    estimate, covariance, draws = _fit(meetings, _weight(teams), first_seat)
    centre = np.eye(len(names), len(estimate))
    if anchored is None:
        centre[:, : len(names)] -= 1 / len(names)
    else:
        centre[:, anchored] -= 1
    elo, covariance = centre @ estimate, centre @ covariance @ centre.T
    order = np.argsort(-elo, kind="stable")
    met = meetings + meetings.transpose(1, 0, 2)[:, :, ::-1]
    met[np.diag_indices(len(names))] = 0  # an agent's games against itself do not count
    scores, games = met @ POINTS, met.sum(2)
    played = Counter(agent for seats, _ in tables for agent in set(seats))
    rows = tuple(
        Rating(
            agent=labels[identities[agent]],
            identity=identities[agent],
            elo=float(elo[agent]),
            deviation=float(np.sqrt(covariance[agent, agent])),
            games=played[agent],
            score=float(scores[agent].sum() / max(1, games[agent].sum())),
        )
        for agent in order
    )
    ordered = np.ix_(order, order)
    superiority = _superiority(elo, covariance)[ordered]
    advantage = float(estimate[-1]) if first_seat else 0.0
    return Ratings(rows, scores[ordered], games[ordered], superiority, draws, advantage)


def unique_labels(names: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Return a distinct label for each identity, given the names that each has had.

    It is the last name; if others share it, followed by the digests of its files; if these are
    equal as well, followed by the identity.
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
    matches = [
        identity for identity, known in names.items() if name in known or labels[identity] == name
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        listed = ", ".join(labels[identity] for identity in matches)
        raise BadOption(f"several agents are called {shortened(name)!r}: {listed}")
    raise UnknownName("agent", name, labels.values())


def _numbered(results: Iterable[Result]) -> tuple[list[Table], dict[str, dict[str, None]]]:
    """Return the games with agents numbered by first appearance, and the names of each agent."""
    numbers: dict[str, int] = {}
    names: dict[str, dict[str, None]] = {}
    tables: list[Table] = []
    for result in results:
        identities = getattr(result, "identities", result.agents)
        labels = getattr(result, "names", ()) or result.agents
        for identity, *used in zip(identities, result.agents, labels, strict=True):
            known = names.setdefault(identity, {})
            for name in used:
                known.pop(name, None)
                known[name] = None  # moved to the end: names are in order of their last use
        seats = [numbers.setdefault(identity, len(numbers)) for identity in identities]
        tables.append((seats, result.returns))
    sizes = {len(seats) for seats, _ in tables}
    if len(sizes) > 1:
        raise PlygroundError(f"ratings need games with equally many players, not {sorted(sizes)}")
    if len(numbers) < 2 or sizes == {1}:
        available = f"{len(tables)} games of {len(numbers)} agents"
        raise PlygroundError(f"ratings need agents that play each other: there are {available}")
    return tables, names


def _weight(teams: Sequence[int]) -> float:
    """Return the weight of a result between two seats, relative to a game of two players."""
    sides = len(set(teams))
    return 3 * sides / (len(teams) * (sides + 1))


def _meetings(agents: int, tables: Iterable[Table], teams: Sequence[int]) -> Counts:
    """Return counts of the row's losses, draws and wins against the column, in a later seat.

    Partners do not count as opponents.
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
    """Return the likeliest Elo of agents and first seat, its covariance, and the draws of equals.

    Scores determine the ratings, by Newton's method. Draws determine the variance of a score:
    p (1 - p) - d / 4, where p is its mean and d the probability of a draw.
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
        gradient = design.T @ (scored - games * expected) - prior @ strengths
        step = np.linalg.solve(curvature, gradient)
        strengths += step / max(1.0, np.abs(step).max())
    drawn, equals = _draws(expected, games, results[:, 1].sum())
    variance = (design.T * (games * (expected * (1 - expected) - drawn / 4))) @ design + prior
    inverse = np.linalg.inv(curvature)
    return strengths * ELO, inverse @ variance @ inverse * ELO**2, equals


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


def _superiority(elo: Reals, covariance: Reals) -> Reals:
    """Return the probability that each agent is stronger than each other agent."""
    own = np.diag(covariance)
    spread = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 1e-12))
    return np.vectorize(NormalDist().cdf)((elo[:, None] - elo) / spread)  # type: ignore[no-any-return]
