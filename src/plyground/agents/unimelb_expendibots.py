"""Bots written for an AI course (University of Melbourne, COMP30024): `Player(colour)`."""

from __future__ import annotations

from plyground.agents.course import CourseFile
from plyground.options import option


class UnimelbExpendibots(CourseFile):
    """Expendibots: a package with a class Player; `path='package:Class'` names another class."""

    name = "unimelb_expendibots"
    plays = "expendibots"
    package = True
    budget: float = option(60.0, low=0.01, help="CPU seconds for the whole game")

    @property
    def location(self) -> str:
        return self.path.rpartition(":")[0] or self.path

    def arguments(self) -> list[str]:
        name = self.path[len(self.location) + 1 :] or "Player"
        return [*super().arguments(), name]

    @property
    def computing(self) -> float:
        return self.budget
