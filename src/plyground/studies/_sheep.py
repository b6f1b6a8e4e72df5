"""Shared by the studies of Battle Sheep: the four games, the opponents, and counts of wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from plyground.arena.plan import Tournament
from plyground.arena.scores import rank_points
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
"""The other three players; the bots of the original study's course are not public."""

MCTS = (
    "mcts(simulations={{}}, exploration=1.41, select=ucb1, choose_by=wins, reuse=False, unwise={})"
)
"""The original search, to be formatted with the moves to prune, then with its simulations."""

LIMITS = (("50 simulations", 50, None), ("0.02 s", 1_000_000, 0.02))
"""Limits per move: label, simulations, seconds; the first is that of the original study."""


@dataclass(frozen=True)
class Score:
    """The result of the first of four players."""

    wins: Share
    """Games in which no player but its partner got as much."""
    points: float
    """Mean points by place."""

    def cells(self) -> tuple[Cell, ...]:
        """Return wins, their interval, and points per game."""
        return self.wins.count_text, self.wins.interval_text, self.points


def play_four(
    laboratory: Laboratory, game: str, players: tuple[str, ...], games: int, seed: int,
    seconds: float | None = None,
) -> Score:  # fmt: skip
    """Play games of four players, every start in every rotation of the seats."""
    plan = {"game": game, "agents": list(players), "games": games, "seed": seed, "opening": 0}
    limits = {} if seconds is None else {"seconds": seconds}
    wins, points, facts = 0, 0.0, load_game(game).facts
    for record in laboratory.play(Tournament.make(plan | limits)):
        seat = record.entrants.index(0)
        side = facts.side(seat)
        best = max(gained for other, gained in enumerate(record.returns) if other not in side)
        wins += record.returns[seat] > best
        points += rank_points(record.returns, facts.places)[seat]
    return Score(Share(wins, games), points / games)


class Entry(NamedTuple):
    """A variant of the original player."""

    name: str
    agent: str
    """Its spec, with {} for the simulations if it searches."""
    reported: str
    """Its wins in the original study, in game 1 at 50 simulations."""


class SheepTable(Study):
    """Variants of the original player on all four games, within all limits per move."""

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
                    players = (agent.replace("{}", str(simulations)), *OPPONENTS)
                    score = play_four(laboratory, GAMES[label], players, games, self.seed, seconds)
                    original = reported if label == "game 1" and seconds is None else None
                    rows.append((name, limit, original, *score.cells()))
                    shares[f"{name}: {limit}"] = score.wins
            headings = (self.heading, "per move", "original wins", "wins", "95% interval", "points")
            tables.append(Table(label, headings, tuple(rows)))
            curves.append(Curve.of(label, range(len(shares)), list(shares.values())))
        plot = Plot(self.title, "share of wins", "", tuple(curves), names=tuple(shares))
        return Findings(tables=tuple(tables), plots=(plot,))

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        remarks = []
        for table in tables:
            for limit, *_ in LIMITS:
                rows = tuple(row for row in table.rows if row[1] == limit)
                wins = figures(replace(table, rows=rows), "wins")
                remarks.append(sentence(leader(wins, f"{table.title}, {limit}")))
        return tuple(remarks)
