"""The transposition table: results of positions that a search may reach again.

An entry lies in one of two neighbouring slots. Each search has a number, its generation; entries of
earlier generations are overwritten first, and read only as far back as a search asks for, so that
no search has to clear the table.
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
"""Added to the bound of a value that rests on a heuristic: a deeper search may change it."""
GENERATIONS = 8192

PAGE = 4096
"""Bytes that the system provides at once."""


def touched(items: int, kind: np.dtype[np.void]) -> Records:
    """Return zeroed records in memory that the system has provided.

    It does so when a page is written to first, which takes long: a search would be late if it had
    to wait for many pages between two looks at the clock.
    """
    records: Records = np.zeros(items, kind)
    records[:: max(1, PAGE // kind.itemsize)] = 0
    return records


class Table:
    """A table of 2**bits entries that many searches use, one after another."""

    def __init__(self, bits: int) -> None:
        self.entries = touched(1 << bits, ENTRY)
        self._generation = 0

    def next_generation(self) -> int:
        """Return the generation of a new search; now and then the table is cleared for it."""
        self._generation += 1
        if self._generation == GENERATIONS:
            self.entries[:] = 0
            self._generation = 1
        return self._generation


@helper
def find(table, key, since):
    """Return the index of the entry for a key, of the generation `since` or a later one, or -1."""
    slot = np.int64(key & np.uint64(len(table) - 2))
    for index in range(slot, slot + 2):
        if table[index]["key"] == key and table[index]["mark"] >> 3 >= since:
            return index
    return np.int64(-1)


@helper
def store(table, key, generation, value, action, depth, bound):
    """Store an entry in place of the key's own, else an old generation's, else the shallower."""
    slot = np.int64(key & np.uint64(len(table) - 2))
    replaced = slot
    for index in range(slot, slot + 2):
        if table[index]["key"] == key:
            replaced = index
            break
        old = table[index]["mark"] >> 3 != generation
        if old or table[index]["depth"] < table[replaced]["depth"]:
            replaced = index
            if old:
                break
    table[replaced]["key"] = key
    table[replaced]["value"] = value
    table[replaced]["action"] = action
    table[replaced]["depth"] = depth
    table[replaced]["mark"] = generation * 8 + bound
