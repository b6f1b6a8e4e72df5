"""A share of games, as tables and plots show it."""

from __future__ import annotations

from typing import NamedTuple

from plyground.arena.tournament import wilson


class Share(NamedTuple):
    """Games won, or puzzles solved, of so many."""

    won: int
    games: int

    @property
    def score(self) -> float:
        return self.won / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies with 95%."""
        return wilson(self.score, self.games)

    @property
    def told(self) -> str:
        """Write the count."""
        return f"{self.won} of {self.games}"

    @property
    def interval_told(self) -> str:
        low, high = self.interval
        return f"{low:.0%} to {high:.0%}"
