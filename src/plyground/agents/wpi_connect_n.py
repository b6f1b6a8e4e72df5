"""Bots written for an AI course (WPI, CS4341): `go(brd)`."""

from __future__ import annotations

from plyground.agents.course import CourseFile
from plyground.errors import OptionError
from plyground.options import option
from plyground.programs.courses.plyground_shim import read_call
from plyground.text import shortened


class WpiConnectN(CourseFile):
    """Connect-N: a package with `alpha_beta_agent.py`, whose THE_AGENT has `go(brd)`.

    For a package without that object, `agent` calls its class: `agent='AlphaBetaAgent("x", 4)'`.
    """

    name = "wpi_connect_n"
    plays = "connect_n"
    package = True
    agent: str = option(
        "THE_AGENT", help="name of the object that plays, or a call of its class with literals"
    )

    def arguments(self) -> list[str]:
        try:
            read_call(self.agent)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            wrong = (
                f"agent={shortened(self.agent)!r} is no name, and no call with literal arguments"
            )
            raise OptionError(f"{self.name}: {wrong}") from None
        return [*super().arguments(), self.agent]
