"""Submissions to Kaggle's ConnectX: `agent(observation, configuration)`."""

from __future__ import annotations

from plyground.agents._course import CourseFile


class KaggleConnectX(CourseFile):
    """Connect-N: a file with a function `agent(observation, configuration)`."""

    name = "kaggle_connectx"
    plays = "connect_n"
    home = "/kaggle_simulations/agent"  # where submissions look for files that they brought
