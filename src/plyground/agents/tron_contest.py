"""Programs of the Google AI Challenge of 2010: the map on standard input every turn."""

from __future__ import annotations

from plyground.agents._course import Course
from plyground.agents._guest import split_command
from plyground.errors import CannotPlay
from plyground.game import Game
from plyground.options import option


class TronContest(Course):
    """Tron: a program that reads the map every turn, and answers 1 (up), 2, 3 or 4 (left)."""

    name = "tron_contest"
    plays = "tron"
    command: str = option("", help="the program and its arguments, as in a shell")

    def arguments(self) -> list[str]:
        return split_command(self.name, self.command)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if game.facts.hidden and not game.facts.simultaneous:
            raise CannotPlay(f"{self.name} knows no power-ups, and so not {game}")
