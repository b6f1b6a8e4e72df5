"""Tournaments: every group of agents meets, and a table says who did best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import sqrt

from plyground.agents.agent import Agent, Limit
from plyground.arena.match import FINISHED, Record, play_match
from plyground.errors import PlygroundError
from plyground.game import Game

Z = 1.96
"""A normal variable stays within so many deviations 95% of the time."""


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


def standings(agents: Sequence[Agent], records: Iterable[Record]) -> list[Standing]:
    """Add up the records of these agents' games; the best agent first."""
    table = [Standing(repr(agent)) for agent in agents]
    for record in records:
        for seat, entrant in enumerate(record.entrants):
            row = table[entrant]
            gained = record.returns[seat]
            row.wins += gained > 0
            row.draws += gained == 0
            row.losses += gained < 0
            row.forfeits += record.ending != FINISHED and gained == -1
            row.total += gained
            for ply in range(record.opening, len(record.actions)):
                if record.players[ply] == seat:
                    row.seconds += record.seconds[ply]
                    row.moves += 1
    return sorted(table, key=lambda row: -row.score)


def round_robin(
    game: Game,
    agents: Sequence[Agent],
    games: int,
    limit: Limit | None = None,
    *,
    seed: int = 0,
    opening: int = 2,
) -> tuple[int, Iterator[Record]]:
    """Let every group of agents that fills a table play `games` games; how many, and the games."""
    tables = list(combinations(range(len(agents)), game.facts.players))
    if not tables:
        raise PlygroundError(f"{game} is played by {game.facts.players}; give as many agents")
    matches = [
        play_match(
            game,
            [agents[each] for each in table],
            games,
            limit,
            entrants=table,
            seed=seed + number,
            opening=opening,
        )
        for number, table in enumerate(tables)
    ]
    return len(tables) * games, chain.from_iterable(matches)
