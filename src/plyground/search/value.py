"""How searches that look a number of plies ahead count results.

A result r counts r; a sure win (r = 1) counts a hair more the sooner it comes, so that wins are
hurried and losses delayed, and always more than a heuristic, which stays strictly between -1 and 1.
"""

from __future__ import annotations

from plyground.compile import helper

HAIR = 2.0**-22
LONGEST = 4096


@helper
def settled(result, ply):
    """Return the value of a finished game `ply` plies below the root."""
    if result >= 1.0:
        return 1.0 + (LONGEST - ply) * HAIR
    if result <= -1.0:
        return -1.0 - (LONGEST - ply) * HAIR
    return result


@helper
def shifted(value, plies):
    """Count a sure win or loss as coming so many plies later."""
    if value > 1.0:
        return value - plies * HAIR
    if value < -1.0:
        return value + plies * HAIR
    return value


def plies_to_end(value: float) -> int | None:
    """Return how many plies away a sure win or loss is; None where nothing is sure."""
    return round(LONGEST - (abs(value) - 1.0) / HAIR) if abs(value) > 1.0 else None
