"""Programs written for the Google AI Challenge of 2010, which read a map every turn."""

from __future__ import annotations

from dataclasses import replace

from plyground.agents.agent import Limit
from plyground.agents.course import Course
from plyground.agents.program import split_command
from plyground.errors import CannotPlayError
from plyground.game import Game
from plyground.options import Kind, option


class TronContest(Course):
    """Tron: a program that reads the map every turn and answers 1 (up), 2, 3 or 4 (left)."""

    name = "tron_contest"
    plays = "tron"
    command: str = option("", kind=Kind.COMMAND, help="program and its arguments")
    seconds: float = option(1.0, low=0.01, help="seconds per move, where the match sets no clock")
    first: float = option(3.0, low=0.01, help="seconds for the first move, if its limit is shorter")

    def arguments(self) -> list[str]:
        return split_command(self.name, self.command)

    def granted(self, limit: Limit, move: int) -> Limit:
        granted = super().granted(limit, move)
        if move == 0 and granted.seconds is not None:
            return replace(granted, seconds=max(granted.seconds, self.first))
        return granted

    def accept(self, game: Game) -> None:
        super().accept(game)
        if game.facts.hidden and not game.facts.simultaneous:
            raise CannotPlayError(f"{self.name} cannot play with power-ups, as in {game}")
