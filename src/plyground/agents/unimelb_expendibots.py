"""Players of a course on AI (University of Melbourne, COMP30024): `Player(colour)`."""

from __future__ import annotations

from plyground.agents._course import CourseFile
from plyground.options import option


class UnimelbExpendibots(CourseFile):
    """Expendibots: a package with a class Player that has `action()` and `update()`."""

    name = "unimelb_expendibots"
    plays = "expendibots"
    package = True
    budget: float = option(60.0, low=0.01, help="seconds of computing for the whole game")

    def arguments(self) -> list[str]:
        return [*super().arguments(), str(self.budget)]
