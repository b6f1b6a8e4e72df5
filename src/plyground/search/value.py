"""The scale on which depth-limited searches value results.

A result r has the value r. A proved win (r = 1) is worth slightly more the sooner it comes, and a
loss slightly less, so that searches prefer quick wins and late losses. Both lie outside the range
of heuristics, which is strictly between -1 and 1.
"""

from __future__ import annotations

from plyground.compile import helper

PLY_VALUE = 2.0**-22
"""What a win is worth more for each ply that it comes sooner."""
LONGEST = 4096
"""More plies than any search looks ahead."""


@helper
def settled(result, ply):
    """Return the value of a finished game `ply` plies below the root."""
    if result >= 1.0:
        return 1.0 + (LONGEST - ply) * PLY_VALUE
    if result <= -1.0:
        return -1.0 - (LONGEST - ply) * PLY_VALUE
    return result


@helper
def shifted(value, plies):
    """Return the value if a proved win or loss comes so many plies later; other values as is."""
    if value > 1.0:
        return value - plies * PLY_VALUE
    if value < -1.0:
        return value + plies * PLY_VALUE
    return value


def plies_to_end(value: float) -> int | None:
    """Return how many plies away a proved win or loss is; None if the value proves neither."""
    return round(LONGEST - (abs(value) - 1.0) / PLY_VALUE) if abs(value) > 1.0 else None
