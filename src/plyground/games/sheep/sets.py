"""Sets of up to 256 cells as tuples of four words, for kernels that compute with sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.arithmetic import lowest
from plyground.compile import Words, helper

NONE = (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
"""The empty set."""


@helper
def load(array: Words, at: int, words: int) -> Any:
    """Return the set of so many words that begins at `array[at]`."""
    none = np.int64(0)
    return (
        array[at],
        array[at + 1] if words > 1 else none,
        array[at + 2] if words > 2 else none,
        array[at + 3] if words > 3 else none,
    )


@helper
def only(cell: Any) -> Any:
    """Return the set of one cell."""
    bit, word, none = np.int64(1) << (cell & 63), cell >> 6, np.int64(0)
    return (
        bit if word == 0 else none,
        bit if word == 1 else none,
        bit if word == 2 else none,
        bit if word == 3 else none,
    )


@helper
def is_empty(cells: Any) -> Any:
    return (cells[0] | cells[1] | cells[2] | cells[3]) == 0


@helper
def first_cell(cells: Any) -> Any:
    """Return the lowest cell of a set; -1 if it is empty."""
    for word in range(4):
        if cells[word] != 0:
            return (word << 6) + lowest(cells[word])
    return np.int64(-1)


@helper
def both(cells: Any, others: Any) -> Any:
    return (
        cells[0] & others[0],
        cells[1] & others[1],
        cells[2] & others[2],
        cells[3] & others[3],
    )


@helper
def either(cells: Any, others: Any) -> Any:
    return (
        cells[0] | others[0],
        cells[1] | others[1],
        cells[2] | others[2],
        cells[3] | others[3],
    )


@helper
def without(cells: Any, others: Any) -> Any:
    return (
        cells[0] & ~others[0],
        cells[1] & ~others[1],
        cells[2] & ~others[2],
        cells[3] & ~others[3],
    )
