"""Positions that come again on a line, for the games that a repetition ends without a winner.

A search takes the first return to a position for a draw: whoever could force it once can again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.compile import Words, helper
from plyground.game import Position

SEEN = np.uint64(4095)
"""Keys are counted by these bits, so that most need not be looked for."""


@helper
def slot_of(key: Any) -> Any:
    """Return the place in `seen` where a key is counted."""
    return np.int64(np.uint64(key) & SEEN)


@helper
def is_repeated(keys: Any, seen: Any, last: Any, key: Any) -> Any:
    """Return whether a key occurs among keys[0..last - 1], all of which `seen` counts."""
    if seen[slot_of(key)] == 0:
        return False
    found = False
    for index in range(last):
        found |= keys[index] == np.int64(key)
    return found


def past_keys(position: Position, plies: int) -> tuple[int, Words, Words]:
    """Return how many positions came before, their keys with room for so many more, and `seen`.

    Games without repetition have no past.
    """
    earlier = position.line()[:-1] if position.game.facts.repetition else []
    keys = np.zeros(len(earlier) + plies, np.uint64)
    seen = np.zeros(int(SEEN) + 1, np.int64)
    for index, each in enumerate(earlier):
        keys[index] = each.key
        seen[each.key & int(SEEN)] += 1
    return len(earlier), keys.view(np.int64), seen
