"""Tournaments: the games of a plan are played, and a table says who did best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from plyground.agents import load_agent
from plyground.agents.agent import Agent
from plyground.arena.draw import rank_points
from plyground.arena.match import play_game
from plyground.arena.plan import Pairing, Tournament
from plyground.arena.record import Record
from plyground.game import Position
from plyground.games import load_game

Z = 1.96
"""A normal variable stays within so many deviations 95% of the time."""


class Referee:
    """Plays a tournament's games here: its game and agents are loaded and compiled."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.game = load_game(tournament.game)
        self.agents = [load_agent(spec) for spec in tournament.agents]
        for agent in self.agents:
            agent.prepare(self.game)

    def play(
        self, pairing: Pairing, watch: Callable[[Position], None] = lambda position: None
    ) -> Record:
        """Play one game."""
        return play_game(
            self.game,
            [self.agents[entrant] for entrant in pairing.entrants],
            self.tournament.limit,
            increment=self.tournament.increment,
            grace=self.tournament.grace,
            max_plies=self.tournament.max_plies,
            entrants=pairing.entrants,
            number=pairing.number,
            seed=pairing.seed,
            opening=self.tournament.opening,
            watch=watch,
        )


def play_tournament(tournament: Tournament) -> Iterator[Record]:
    """Play the games of a plan one after the other."""
    referee = Referee(tournament)
    results: list[Record] = []
    for stage in range(tournament.stages):
        for pairing in tournament.pairings(stage, results):
            results.append(referee.play(pairing))
            yield results[-1]


@dataclass
class Standing:
    """How one agent did."""

    agent: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    total: float = 0.0
    """The sum of returns."""
    points: float = 0.0
    """By rank: a win 1 and a draw one half where two play, else 5, 3, 2 and 1."""
    seconds: float = 0.0
    moves: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The mean return, moved to 0..1: a win 1, a draw one half."""
        return (self.total / self.games + 1) / 2 if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true score lies with 95%: Wilson's interval, honest about few games."""
        if not self.games:
            return 0.0, 1.0
        share = Z * Z / self.games
        middle = (self.score + share / 2) / (1 + share)
        spread = sqrt(self.score * (1 - self.score) * share + share * share / 4) / (1 + share)
        return max(0.0, middle - spread), min(1.0, middle + spread)


class Standings:
    """Adds records up as they come."""

    def __init__(self, agents: Sequence[str]) -> None:
        self.table = [Standing(agent) for agent in agents]

    def add(self, record: Record) -> None:
        """Count one game."""
        rows = [self.table[entrant] for entrant in record.entrants]
        points = rank_points(record.returns)
        for seat, row in enumerate(rows):
            gained = record.returns[seat]
            row.wins += gained > 0
            row.draws += gained == 0
            row.losses += gained < 0
            row.total += gained
            row.points += points[seat]
            row.forfeits += record.fault == seat
        for ply in range(record.opening, len(record.actions)):
            row = rows[record.players[ply]]
            row.seconds += record.seconds[ply]
            row.moves += 1

    def rows(self) -> list[Standing]:
        """Give the best agent first: by points a game, then by score."""
        return sorted(self.table, key=lambda row: (-row.points / max(1, row.games), -row.score))


def standings(agents: Sequence[Agent | str], records: Iterable[Record]) -> list[Standing]:
    """Add up the records of these agents' games; the best agent first."""
    table = Standings([str(agent) for agent in agents])
    for record in records:
        table.add(record)
    return table.rows()
