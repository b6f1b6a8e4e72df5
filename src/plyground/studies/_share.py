"""A share of games with its confidence interval, as tables and plots show it."""

from __future__ import annotations

from typing import NamedTuple

from plyground.arena.tournament import wilson


class Share(NamedTuple):
    """The number of games won, or puzzles solved, out of all."""

    won: int
    games: int

    @property
    def score(self) -> float:
        return self.won / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval."""
        return wilson(self.score, self.games)

    @property
    def count_text(self) -> str:
        """The count, such as `3 of 10`."""
        return f"{self.won} of {self.games}"

    @property
    def interval_text(self) -> str:
        """The interval, such as `11% to 60%`."""
        low, high = self.interval
        return f"{low:.0%} to {high:.0%}"
