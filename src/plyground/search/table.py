"""The transposition table: what a search found out about positions that it may meet again.

A position's entry lies in one of two neighbouring places. Entries of earlier searches stay where
they are and count as free: each search has a generation of its own.
"""

from __future__ import annotations

import numpy as np

from plyground.compile import helper
from plyground.workspace import Records

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.float64),
        ("action", np.int32),
        ("depth", np.int16),
        ("mark", np.uint16),  # generation * 8 + CUT or 0 + bound
    ]
)
EXACT, LOWER, UPPER = range(1, 4)
CUT = 4
"""Added to the bound of a value that rests on a heuristic: a deeper search may find another."""
GENERATIONS = 8192


class Table:
    """A table of 2**bits entries that serves search after search."""

    def __init__(self, bits: int) -> None:
        self.entries: Records = np.zeros(1 << bits, ENTRY)
        self._generation = 0

    def next_generation(self) -> int:
        """Begin another search, which does not see the entries of those before."""
        self._generation += 1
        if self._generation == GENERATIONS:
            self.entries[:] = 0
            self._generation = 1
        return self._generation


@helper
def find(table, key, generation):
    """Return the index of this search's entry for a key, or -1."""
    slot = np.int64(key & np.uint64(len(table) - 2))
    for index in range(slot, slot + 2):
        if table[index]["key"] == key and table[index]["mark"] >> 3 == generation:
            return index
    return np.int64(-1)


@helper
def store(table, key, generation, value, action, depth, bound):
    """Keep an entry: over its own, else over a stale one, else over the shallower of two."""
    slot = np.int64(key & np.uint64(len(table) - 2))
    victim = slot
    for index in range(slot, slot + 2):
        if table[index]["key"] == key:
            victim = index
            break
        stale = table[index]["mark"] >> 3 != generation
        if stale or table[index]["depth"] < table[victim]["depth"]:
            victim = index
            if stale:
                break
    table[victim]["key"] = key
    table[victim]["value"] = value
    table[victim]["action"] = action
    table[victim]["depth"] = depth
    table[victim]["mark"] = generation * 8 + bound
