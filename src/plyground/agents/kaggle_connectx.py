"""Submissions to Kaggle's ConnectX: `agent(observation, configuration)`."""

from __future__ import annotations

from dataclasses import replace

from plyground.agents.agent import Limit
from plyground.agents.course import CourseFile
from plyground.options import option


class KaggleConnectX(CourseFile):
    """Connect-N: a file with a function `agent(observation, configuration)`."""

    name = "kaggle_connectx"
    plays = "connect_n"
    home = "/kaggle_simulations/agent"  # where submissions look for their own files
    seconds: float = option(2.0, low=0.01, help="seconds per move, where the match sets no clock")
    overage: float = option(60.0, low=0, help="extra seconds per game for moves over their limit")

    def granted(self, limit: Limit, move: int) -> Limit:
        return replace(super().granted(limit, move), overage=self.overage)
