"""A table of a network's evaluations, so that equal inputs are evaluated once.

Games of self-play meet the same positions again: the part of a search below the move that was
played, transpositions, and, in games from one start, the first plies.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from plyground.search.forest import Evaluate, Evaluation
from plyground.workspace import Entries, Halves

MEMORY = 2**27
"""Bytes that a table may take."""
OVERHEAD = 320
"""Bytes of an evaluation in the table beside its numbers."""
KEY_SIZE = 16
"""Bytes of an input's digest: two inputs with the same one are not to be expected."""


class EvaluationCache:
    """A network with a table of its evaluations; called as the network's `evaluate` is.

    It is valid for as long as the network stays the same.
    """

    def __init__(self, evaluate: Evaluate, memory: int = MEMORY) -> None:
        self.evaluated = 0
        """The number of rows that the network evaluated."""
        self._evaluate, self._memory = evaluate, memory
        self._table: dict[bytes, NDArray[np.float32]] = {}

    def __call__(self, planes: Halves, entries: Entries) -> Evaluation:
        """Return the evaluations of a batch; the network evaluates those that are not known."""
        keys = _digests(planes, entries)
        missing = {key: row for row, key in enumerate(keys) if key not in self._table}
        if missing:
            rows = list(missing.values())
            answer = self._evaluate(planes[rows], entries[rows])
            numbers = np.concatenate([answer.values, answer.logits], axis=1)
            self._table.update(zip(missing, numbers, strict=True))
            self.evaluated += len(rows)
        found = np.array([self._table[key] for key in keys])
        if len(self._table) * (OVERHEAD + found[0].nbytes) > self._memory:
            self._table.clear()
        values, logits = np.split(found, [found.shape[1] - entries.shape[1]], axis=1)
        return Evaluation(values, logits)


def _digests(planes: Halves, entries: Entries) -> list[bytes]:
    """Return a digest of each row of a network's input."""
    parts = (each.reshape(len(each), -1).view(np.uint8) for each in (planes, entries))
    return [
        blake2b(row, digest_size=KEY_SIZE).digest() for row in np.concatenate(list(parts), axis=1)
    ]
