"""Players of a course on AI (University of Melbourne, COMP30024): `Player(colour)`."""

from __future__ import annotations

from plyground.agents.course import CourseFile
from plyground.options import option


class UnimelbExpendibots(CourseFile):
    """Expendibots: a package whose class Player, or the one after a colon, has `action()`."""

    name = "unimelb_expendibots"
    plays = "expendibots"
    package = True
    budget: float = option(60.0, low=0.01, help="seconds of computing for the whole game")

    @property
    def location(self) -> str:
        return self.path.rpartition(":")[0] or self.path

    def arguments(self) -> list[str]:
        name = self.path[len(self.location) + 1 :] or "Player"
        return [*super().arguments(), name, str(self.budget)]
