"""Bots written for an AI course (WPI, CS4341): `go(brd)`."""

from __future__ import annotations

from plyground.agents.course import CourseFile
from plyground.options import option


class WpiConnectN(CourseFile):
    """Connect-N: a package with `alpha_beta_agent.py`, whose THE_AGENT has `go(brd)`."""

    name = "wpi_connect_n"
    plays = "connect_n"
    package = True
    agent: str = option("THE_AGENT", help="name of the object that plays")

    def arguments(self) -> list[str]:
        return [*super().arguments(), self.agent]
