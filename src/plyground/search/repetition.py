"""Repeated positions on a line of play, for games that end without a winner by repetition.

A search counts the first repetition as a draw: a player who can force it once can force it again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.compile import Words, helper
from plyground.game import Position

SEEN = np.uint64(4095)
"""Bit mask of a key's slot: a slot with count 0 spares the search through all keys."""


@helper
def slot_of(key: Any) -> Any:
    """Return the index in `seen` where a key is counted."""
    return np.int64(np.uint64(key) & SEEN)


@helper
def is_repeated(keys: Any, seen: Any, last: Any, key: Any) -> Any:
    """Return whether a key is one of keys[0..last - 1]; `seen` counts those by slot."""
    if seen[slot_of(key)] == 0:
        return False
    found = False
    for index in range(last):
        found |= keys[index] == np.int64(key)
    return found


def past_keys(position: Position, plies: int) -> tuple[int, Words, Words]:
    """Return the number of earlier positions, their keys with space for `plies` more, and `seen`.

    For games without repetition no earlier positions are counted.
    """
    earlier = position.line()[:-1] if position.game.facts.repetition else []
    keys = np.zeros(len(earlier) + plies, np.uint64)
    seen = np.zeros(int(SEEN) + 1, np.int64)
    for index, previous in enumerate(earlier):
        keys[index] = previous.key
        seen[previous.key & int(SEEN)] += 1
    return len(earlier), keys.view(np.int64), seen
