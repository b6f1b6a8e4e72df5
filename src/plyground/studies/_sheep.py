"""What the experiments on Battle Sheep share: the four games, the table, and how it is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from plyground.arena.pairing import rank_points
from plyground.arena.plan import Tournament
from plyground.export.report import Cell, Curve, Plot, Table
from plyground.games import load_game
from plyground.studies._findings import figures, leader, sentence
from plyground.studies._share import Share
from plyground.studies.study import Findings, Laboratory, Study

GAMES = {
    "game 1": "sheep",
    "game 2, 15 x 15": "sheep(size=15, cells=100, sheep=32)",
    "game 3, hidden": "sheep(hidden=True)",
    "game 4, teams": "sheep(teams=True)",
}
OPPONENTS = ("rule(by=spreading)", "rule(by=herding)", "random")
"""Who sits at the table with the player that is tried; the course's own bots are not public."""

MCTS = "mcts(simulations={{}}, exploration=1.41, choose_by=wins, reuse=False, unwise={})"
"""The study's search, by what its tree leaves out, and then by its simulations."""

LIMITS = (("50 simulations", 50, None), ("0.02 s", 1_000_000, 0.02))
"""What a search has for a move, in words, in simulations and in seconds; first, the study's."""


@dataclass(frozen=True)
class Evening:
    """How the first of the table's players did."""

    wins: Share
    """Games in which nobody but its partner got as much."""
    points: float
    """By place, a game."""

    def cells(self) -> tuple[Cell, ...]:
        """Return wins, their interval, and points a game."""
        return self.wins.told, self.wins.interval_told, self.points


def spend_evening(
    laboratory: Laboratory, game: str, table: tuple[str, ...], games: int, seed: int,
    seconds: float | None = None,
) -> Evening:  # fmt: skip
    """Let four play; every start comes with every rotation of the seats."""
    plan = {"game": game, "agents": list(table), "games": games, "seed": seed, "opening": 0}
    limits = {} if seconds is None else {"seconds": seconds}
    wins, points, facts = 0, 0.0, load_game(game).facts
    for record in laboratory.play(Tournament.make(plan | limits)):
        seat = record.entrants.index(0)
        side = facts.side(seat)
        best = max(gained for other, gained in enumerate(record.returns) if other not in side)
        wins += record.returns[seat] > best
        points += rank_points(record.returns, facts.places)[seat]
    return Evening(Share(wins, games), points / games)


class Entry(NamedTuple):
    """Who is tried in place of the study's player."""

    name: str
    agent: str
    """With {} for the simulations of its search, if it searches."""
    reported: str
    """The study's wins in game 1 at 50 simulations."""


class SheepTable(Study):
    """Players in place of the study's, on all four games and within all limits."""

    heading: ClassVar[str]
    entries: ClassVar[tuple[Entry, ...]]

    def measure(self, laboratory: Laboratory) -> Findings:
        games, labels = (4, list(GAMES)[:1]) if self.quick else (100, list(GAMES))
        tables, curves = [], []
        for label in labels:
            rows: list[tuple[Cell, ...]] = []
            shares: dict[str, Share] = {}
            for name, agent, reported in self.entries:
                for limit, simulations, seconds in LIMITS if "{}" in agent else LIMITS[:1]:
                    table = (agent.replace("{}", str(simulations)), *OPPONENTS)
                    evening = spend_evening(
                        laboratory, GAMES[label], table, games, self.seed, seconds
                    )
                    before = reported if label == "game 1" and seconds is None else None
                    rows.append((name, limit, before, *evening.cells()))
                    shares[f"{name}: {limit}"] = evening.wins
            headings = (self.heading, "a move", "original wins", "wins", "95% interval", "points")
            tables.append(Table(label, headings, tuple(rows)))
            curves.append(Curve.of(label, range(len(shares)), list(shares.values())))
        plot = Plot(self.title, "share of wins", "", tuple(curves), names=tuple(shares))
        return Findings(tables=tuple(tables), plots=(plot,))

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        told = []
        for table in tables:
            for limit, *_ in LIMITS:
                rows = tuple(row for row in table.rows if row[1] == limit)
                found = figures(replace(table, rows=rows), "wins")
                told.append(sentence(leader(found, f"{table.title}, {limit}")))
        return tuple(told)
