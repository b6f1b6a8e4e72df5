"""The opening book: exact scores of the first positions, made by the solver (see `book`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from plyground.game import Position
from plyground.games.connect_n.rules import HEIGHT, PLIES, STONES, WIDTH

SHIPPED = Path(__file__).parent / "book.npz"


@dataclass(frozen=True)
class Book:
    """Scores of all positions of a board of one word that are hard enough, up to a ply."""

    width: int
    height: int
    n: int
    plies: int
    keys: NDArray[np.uint64]
    """Ascending; see `key_of`."""
    scores: NDArray[np.int8]

    def find(self, position: Position) -> int | None:
        """Return a position's score; None where it is later than the book, or decided at once."""
        if position.state[PLIES] > self.plies:
            return None
        key = np.uint64(key_of(position))
        at = int(np.searchsorted(self.keys, key))
        return int(self.scores[at]) if at < len(self.keys) and self.keys[at] == key else None

    def save(self, path: Path) -> None:
        """Write a file of about three bytes a position."""
        steps = np.diff(self.keys, prepend=np.uint64(0))
        planes = np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 8).T)  # zeros together
        shape = np.array([self.width, self.height, self.n, self.plies], np.int64)
        np.savez_compressed(path, shape=shape, steps=planes, scores=self.scores)

    @classmethod
    def load(cls, path: Path) -> Book:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as file:
            steps = np.ascontiguousarray(file["steps"].T).view(np.uint64).reshape(-1)
            width, height, n, plies = file["shape"].tolist()
            keys, scores = np.cumsum(steps, dtype=np.uint64), file["scores"]
        return cls(width, height, n, plies, keys, scores)


def key_of(position: Position) -> int:
    """Return a number that a position shares with its mirror image alone; for boards of one word.

    Each column is a number of `height + 1` bits: its stones, those of the player to move as ones,
    under a one that marks the top.
    """
    width, height = int(position.setup[WIDTH]), int(position.setup[HEIGHT])
    first, second = (int(word) & (2**64 - 1) for word in position.state[STONES : STONES + 2])
    own, taken = (first, second)[position.player], first | second
    stride, column = height + 1, (1 << height + 1) - 1
    floor = sum(1 << at * stride for at in range(width))
    marks = own + taken + floor
    columns = [marks >> at * stride & column for at in range(width)]
    images = (columns, columns[::-1])
    return min(sum(each << at * stride for at, each in enumerate(image)) for image in images)


@cache
def shipped_book(width: int, height: int, n: int) -> Book | None:
    """Return the book that comes with the package, where there is one for this board."""
    if not SHIPPED.exists():
        return None
    book = Book.load(SHIPPED)
    return book if (book.width, book.height, book.n) == (width, height, n) else None
