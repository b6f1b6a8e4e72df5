"""Bots written for an AI course (Brown University, CSCI 1410): `decide(asp)`."""

from __future__ import annotations

from plyground.agents.course import CourseFile
from plyground.errors import CannotPlayError
from plyground.game import Game
from plyground.options import option


class BrownTron(CourseFile):
    """Tron, by turns: a file with a class StudentBot that has `decide(asp)` and `cleanup()`."""

    name = "brown_tron"
    plays = "tron"
    handed_out = (
        "adversarialsearchproblem", "boardprinter", "gamerunner", "tronproblem", "trontypes",
    )  # fmt: skip
    bot: str = option("StudentBot", help="name of the bot's class")

    def arguments(self) -> list[str]:
        return [*super().arguments(), self.bot]

    def accept(self, game: Game) -> None:
        super().accept(game)
        if game.facts.simultaneous:
            raise CannotPlayError(f"{self.name} plays by turns, not {game}")
