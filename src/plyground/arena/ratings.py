"""Ratings: Elo with confidence intervals, from the results of games.

A game of n > 2 players counts as one result for every pair of opponents. These results are
correlated: between equals, each carries 3 / (n + 1) of the information of a two-player game (the
variance of a place is (n * n - 1) / 12, that of n - 1 games (n - 1) / 4). Between unequal players
it is a little more, so that intervals are rather too wide. With n teams of m players, all members
of a team have the same results, and each result carries 3 / (m (n + 1)).

An agent is known by its identity, under whatever name it plays. Only if one run has it under
several names, as when students hand in the same program, each of these names is an agent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

import numpy as np

from plyground.arena.elo import Counts, Pairs, Reals, fit, superiority
from plyground.arena.frame import make_frame
from plyground.arena.scores import count_sides, score, score_against
from plyground.errors import (
    OptionError,
    PlygroundError,
    TextError,
    UnknownNameError,
)
from plyground.files import MARK
from plyground.text import counted, shortened


class Result(Protocol):
    """The part of a game that ratings need; every `Record` is a `Result`.

    If a result also has `identities`, by seat, these distinguish the agents. If it has `names`, by
    seat, these are the agents' labels; otherwise `agents` are. If it has a number `run`, it was
    played in that run; all others count as one run.
    """

    @property
    def agents(self) -> Sequence[str]:
        """Return the agents' specs by seat."""

    @property
    def returns(self) -> Sequence[float]:
        """Return the result by seat, from -1 to 1."""


class Outcome(NamedTuple):
    """Only those fields of a record that ratings need, as a store may hold millions."""

    agents: tuple[str, ...]
    returns: tuple[float, ...]
    identities: tuple[str, ...]
    names: tuple[str, ...] = ()
    run: int = 0
    hash: int | None = None
    """What repeats of the game have in common (`Repeats.hash_of`)."""


@dataclass(frozen=True)
class Rating:
    """The rating of one agent."""

    agent: str
    """Its label or spec, followed by a digest or its identity if several agents share that."""
    identity: str
    """The spec with digests of the agent's files; agents that share it are the same program."""
    elo: float
    deviation: float
    """Standard deviation of the rating."""
    games: int
    score: float
    """Mean score of its games, as in standings; those against itself do not count."""

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the bounds between which the true rating lies with this probability."""
        margin = NormalDist().inv_cdf((1 + confidence) / 2) * self.deviation
        return self.elo - margin, self.elo + margin


@dataclass(frozen=True)
class Ratings:
    """Ratings of agents, the best first; the matrices have rows and columns in the same order."""

    rows: tuple[Rating, ...]
    scores: Reals
    """Sum of the scores of the row's agent against the column's."""
    games: Counts
    """How often the row's agent met the column's."""
    superiority: Reals
    """Probability that the row's agent is stronger than the column's."""
    draws: float
    """Probability of a draw between equals; a graded score s counts as 4 s (1 - s) of a draw."""
    first_seat: float
    """Advantage of moving first, in Elo; 0 if it was not estimated."""
    graded: bool = False
    """Whether some games between two sides were neither won, drawn nor lost."""

    def copies(self) -> list[list[str]]:
        """Return the agents that are the same program under several names, in groups."""
        groups: dict[str, list[str]] = {}
        for row in self.rows:
            groups.setdefault(row.identity, []).append(row.agent)
        return [agents for agents in groups.values() if len(agents) > 1]

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
            "graded": self.graded,
            "same_program": self.copies(),
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
    table, agents = _collect(results)
    labels = unique_labels([(agent.identity, agent.names) for agent in agents])
    anchored = None if anchor is None else _named(anchor, agents, labels)
    players = table.seats.shape[1]
    if first_seat and players > 2:
        raise OptionError(f"first_seat: needs games of two players, not {players}")
    pairs, graded = _pairs(table, len(agents), teams)
    estimate, covariance, draws = fit(pairs, len(agents), _weight(players, teams), first_seat)
    centre = np.eye(len(agents), len(estimate))
    if anchored is None:
        centre[:, : len(agents)] -= 1 / len(agents)
    else:
        centre[:, anchored] -= 1
    elo, covariance = centre @ estimate, centre @ covariance @ centre.T
    order = np.argsort(-elo, kind="stable")
    scores, games = _cross_table(pairs, len(agents))
    played, means = _own_scores(table, len(agents), teams)
    rows = tuple(
        Rating(
            agent=labels[agent],
            identity=agents[agent].identity,
            elo=float(elo[agent]),
            deviation=float(np.sqrt(covariance[agent, agent])),
            games=int(played[agent]),
            score=float(means[agent]),
        )
        for agent in order.tolist()
    )
    ordered = np.ix_(order, order)
    stronger = superiority(elo, covariance)[ordered]
    advantage = float(estimate[-1]) if first_seat else 0.0
    return Ratings(rows, scores[ordered], games[ordered], stronger, draws, advantage, graded)


# Who is who -------------------------------------------------------------------------------------


class Copies:
    """Finds the identities that one run has under several names."""

    def __init__(self) -> None:
        self.identities: set[str] = set()
        self._label_in: dict[tuple[int, str], str] = {}

    def note(self, run: int, identity: str, label: str) -> None:
        """Note who played in a run."""
        if self._label_in.setdefault((run, identity), label) != label:
            self.identities.add(identity)

    def key_of(self, identity: str, label: str) -> tuple[str, str]:
        """Return what distinguishes an agent from all others: its identity, if that is enough."""
        return identity, label if identity in self.identities else ""


class _Agent(NamedTuple):
    identity: str
    names: Collection[str]
    """Labels and specs that it played under, in the order of their last use."""


class _Table(NamedTuple):
    """All games, one a row."""

    seats: Counts
    """Numbers of the agents, by seat."""
    returns: Reals


@dataclass
class _Entry:
    """An identity under one name."""

    identity: str
    label: str
    number: int
    specs: dict[str, None] = field(default_factory=dict)
    last: int = 0
    """Number of the last game in which it was used."""


def _collect(results: Iterable[Result]) -> tuple[_Table, list[_Agent]]:
    """Return the games with agents numbered by first appearance, and the agents."""
    entries: dict[tuple[str, str], _Entry] = {}
    copies = Copies()
    seats: list[int] = []
    returns: list[float] = []
    sizes: dict[int, int] = {}
    for number, result in enumerate(results):
        run = getattr(result, "run", 0)
        identities = getattr(result, "identities", result.agents)
        labels = getattr(result, "names", ()) or result.agents
        for identity, spec, label in zip(identities, result.agents, labels, strict=True):
            entry = entries.get((identity, label))
            if entry is None:
                entry = entries[identity, label] = _Entry(identity, label, len(entries))
            entry.specs[spec] = None
            entry.last = number
            seats.append(entry.number)
            copies.note(run, identity, label)
        returns += result.returns
        sizes[len(result.returns)] = sizes.get(len(result.returns), 0) + 1
    agents, number_of = _agents(entries.values(), copies)
    if len(sizes) > 1:
        raise PlygroundError(f"ratings need games with equally many players, not {sorted(sizes)}")
    if len(agents) < 2 or 1 in sizes:
        available = f"{counted(sum(sizes.values()), 'game')} of {counted(len(agents), 'agent')}"
        raise PlygroundError(f"ratings need agents that play each other: there are {available}")
    (players,) = sizes
    gained = np.array(returns, np.float64).reshape(-1, players)
    if not (np.abs(gained) <= 1).all():
        raise TextError("ratings need returns from -1 to 1")
    return _Table(number_of[np.array(seats)].reshape(-1, players), gained), agents


def _agents(entries: Collection[_Entry], copies: Copies) -> tuple[list[_Agent], Counts]:
    """Return the agents, and the number of the agent of each entry."""
    numbers: dict[tuple[str, str], int] = {}
    number_of = []
    for entry in entries:
        key = copies.key_of(entry.identity, entry.label)
        number_of.append(numbers.setdefault(key, len(numbers)))
    names: list[dict[str, None]] = [{} for _ in numbers]
    for entry in sorted(entries, key=lambda entry: entry.last):
        known = names[number_of[entry.number]]
        for name in (*entry.specs, entry.label):
            known.pop(name, None)
            known[name] = None
    agents = [_Agent(identity, known) for (identity, _), known in zip(numbers, names, strict=True)]
    return agents, np.array(number_of, np.int64)


def unique_labels(known: Sequence[tuple[str, Collection[str]]]) -> list[str]:
    """Return a distinct label for each identity with the names that it has had.

    It is the last name; if others share it, followed by the digests of its files; if these are
    equal as well, followed by the identity.
    """
    labels = [list(names)[-1] for _, names in known]
    for distinction in (_digests, "({})".format):
        uses = Counter(labels)
        labels = [
            f"{label} {distinction(identity)}".rstrip() if uses[label] > 1 else label
            for label, (identity, _) in zip(labels, known, strict=True)
        ]
    return labels


def _digests(identity: str) -> str:
    return " ".join(MARK.findall(identity))


def _named(name: str, agents: Sequence[_Agent], labels: Sequence[str]) -> int:
    """Return the number of the agent with this identity, label or spec."""
    by_identity = [number for number, agent in enumerate(agents) if agent.identity == name]
    matches = by_identity or [
        number
        for number, (agent, label) in enumerate(zip(agents, labels, strict=True))
        if name in agent.names or name == label
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        listed = ", ".join(labels[number] for number in matches)
        raise OptionError(f"several agents are called {shortened(name)!r}: {listed}")
    raise UnknownNameError("agent", name, labels)


# Scores -----------------------------------------------------------------------------------------


def _weight(players: int, teams: Sequence[int]) -> float:
    """Return the weight of a result between two seats, relative to a game of two players."""
    sides = count_sides(players, teams)
    return 3 * sides / (players * (sides + 1))


def _opponents(players: int, teams: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of seats that are no partners, the earlier seat first."""
    sides = teams or range(players)
    pairs = combinations(range(players), 2)
    return [(one, other) for one, other in pairs if sides[one] != sides[other]]


def _pairs(table: _Table, agents: int, teams: Sequence[int]) -> tuple[Pairs, bool]:
    """Return what agents scored against each other, and whether results are graded."""
    seats, returns = table
    players = seats.shape[1]
    sides, opponents = count_sides(players, teams), _opponents(players, teams)
    met = np.concatenate([seats[:, one] * agents + seats[:, other] for one, other in opponents])
    scored = np.concatenate(
        [score_against(returns[:, one], returns[:, other], sides) for one, other in opponents]
    )
    drawn = 4 * scored * (1 - scored)
    codes, places = np.unique(met, return_inverse=True)
    games, points, draws = (
        np.bincount(places, each).astype(float) for each in (np.ones(len(met)), scored, drawn)
    )
    first, second = np.divmod(codes, agents)
    return Pairs(first, second, games, points, draws), not np.isin(drawn, (0, 1)).all()


def _cross_table(pairs: Pairs, agents: int) -> tuple[Reals, Counts]:
    """Return the sums of scores and the games of the row's agent against the column's."""
    scores, games = np.zeros((agents, agents)), np.zeros((agents, agents), np.int64)
    np.add.at(scores, (pairs.first, pairs.second), pairs.points)
    np.add.at(scores, (pairs.second, pairs.first), pairs.games - pairs.points)
    np.add.at(games, (pairs.first, pairs.second), pairs.games.astype(np.int64))
    games += games.T
    for matrix in (scores, games):
        np.fill_diagonal(matrix, 0)  # an agent's games against itself do not count
    return scores, games


def _own_scores(table: _Table, agents: int, teams: Sequence[int]) -> tuple[Counts, Reals]:
    """Return each agent's number of games, and the mean score of those not only against itself."""
    seats = table.seats
    players = seats.shape[1]
    counts = np.zeros_like(seats, bool)  # seats with another agent as opponent
    for one, other in _opponents(players, teams):
        differ = seats[:, one] != seats[:, other]
        counts[:, one] |= differ
        counts[:, other] |= differ
    first = np.ones_like(seats, bool)  # the first seat of each agent in a game
    for one, other in combinations(range(players), 2):
        first[:, other] &= seats[:, one] != seats[:, other]
    played = np.bincount(seats[first], minlength=agents)
    games = np.bincount(seats[counts], minlength=agents)
    total = np.bincount(seats[counts], score(table.returns)[counts], agents)
    return played, total / np.maximum(1, games)
