"""What the experiments on Battle Sheep share: the four games, the table, and how it is counted."""

from __future__ import annotations

from dataclasses import dataclass

from plyground.arena.draw import rank_points
from plyground.arena.plan import Tournament
from plyground.arena.tournament import wilson
from plyground.experiments.experiment import Laboratory
from plyground.report import Cell

GAMES = {
    "game 1": "sheep",
    "game 2, 15 x 15": "sheep(size=15, cells=100, sheep=32)",
    "game 3, hidden": "sheep(hidden=True)",
    "game 4, teams": "sheep(teams=True)",
}
OPPONENTS = ("rule(by=spreading)", "rule(by=herding)", "random")
"""Who sits at the table with the player that is tried; the course's own bots are not public."""

MCTS = "mcts(simulations={}, exploration=1.41, choose_by=wins, reuse=False, unwise={})"
"""The seed's search, by its simulations and by what its tree leaves out."""

LIMITS = (("50 simulations", 50, None), ("0.02 s", 1_000_000, 0.02))
"""What a search has for a move, in words, in simulations and in seconds; first, the seed's."""


@dataclass(frozen=True)
class Evening:
    """How the first of the table's players did."""

    games: int
    wins: int
    """Games in which nobody but its partner got as much."""
    points: float
    """By rank, 5, 3, 2 and 1, a game."""

    def cells(self) -> tuple[Cell, ...]:
        """Give wins, their interval, and points a game."""
        low, high = wilson(self.wins / self.games, self.games)
        return f"{self.wins} of {self.games}", f"{low:.0%} to {high:.0%}", self.points


def spend_evening(
    laboratory: Laboratory, game: str, table: tuple[str, ...], games: int, seed: int,
    seconds: float | None = None,
) -> Evening:  # fmt: skip
    """Let four play; every start comes with every rotation of the seats."""
    plan = {"game": game, "agents": list(table), "games": games, "seed": seed, "opening": 0}
    limits = {} if seconds is None else {"seconds": seconds}
    wins, points = 0, 0.0
    for record in laboratory.play(Tournament.make(plan | limits)):
        seat = record.entrants.index(0)
        partners = {seat, (seat + 2) % 4} if "teams" in game else {seat}
        best = max(gained for other, gained in enumerate(record.returns) if other not in partners)
        wins += record.returns[seat] > best
        points += rank_points(record.returns)[seat]
    return Evening(games, wins, points / games)
