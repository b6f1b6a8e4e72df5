"""Shared by the studies of Tron: the maps, the course's bots, and the searches compared."""

from __future__ import annotations

MAPS = ("empty_room", "center_block", "diagonal_blocks")
"""The maps of the original study's figures, all of 13 x 13."""

_PLAIN = "depth=3, step=3, unwise=crashes, table=False, killers=False, history=False, scout=False"
TA1, TA2 = (f"alphabeta({_PLAIN}, exact=True, evaluate={leaf})" for leaf in ("ta1", "ta2"))
WALL = "rule(by=wall, steady=True)"
BOTS = {"RandBot": "rule(by=safe)", "WallBot": WALL, "TA1": TA1, "TA2": TA2}


def searching(evaluate: str, depth: int = 4) -> str:
    """Return the original search to a depth, which prunes actions that crash at once."""
    return f"alphabeta(depth={depth}, unwise=crashes, evaluate={evaluate}, exact=True)"


DESCRIBED = searching("learned")
"""CountBOTula exactly as the original study describes it."""
COUNTBOTULA = searching("learned_chambers")
"""CountBOTula with chambers in place of Voronoi territory."""
