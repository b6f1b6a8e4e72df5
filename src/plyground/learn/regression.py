"""Linear regression by gradient descent: who won, guessed from a position's numbers.

The mean squared error and its gradient need no more of the examples than three averages. With
them a step takes as long for a million examples as for ten, and is the same step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

Vector = Any
"""An array of float64."""

View = tuple[Any, Any, int]
"""How an example may also be seen: an order of its numbers, then a sign of each, and its label's.

Labels may only be left as they are, 1, or turned round, -1.
"""

BATCH = 4096
"""Examples that are averaged at once."""


@dataclass(frozen=True)
class Averages:
    """All that a linear model's squared error depends on, of examples `x` with labels `y`."""

    examples: int
    squares: Any
    """The mean of x times x transposed."""
    products: Vector
    """The mean of x times y."""
    labels: float
    """The mean of y squared."""

    @classmethod
    def of(cls, examples: Any, labels: Any) -> Self:
        """Average examples, a row each."""
        size = examples.shape[1]
        squares, products = np.zeros((size, size)), np.zeros(size)
        for begin in range(0, len(examples), BATCH):
            part = examples[begin : begin + BATCH].astype(np.float64)
            squares += part.T @ part
            products += part.T @ labels[begin : begin + BATCH]
        count = len(examples)
        mean = float(np.mean(np.square(labels, dtype=np.float64)))
        return cls(count, squares / count, products / count, mean)

    def error(self, weights: Vector) -> float:
        """Return the mean squared error of a model."""
        explained = weights @ (self.squares @ weights) - 2 * (self.products @ weights)
        return float(explained + self.labels)

    def seen_as(self, views: Iterable[View]) -> Self:
        """Average over all views of each example, without the examples."""
        squares, products = np.zeros_like(self.squares), np.zeros_like(self.products)
        seen = 0
        for order, signs, label in views:
            squares += self.squares[np.ix_(order, order)] * np.outer(signs, signs)
            products += self.products[order] * signs * label
            seen += 1
        return replace(self, examples=seen * self.examples, squares=squares / seen,
                       products=products / seen)  # fmt: skip

    @property
    def fastest(self) -> float:
        """The rate above which descent climbs instead."""
        return 2 / float(np.linalg.eigvalsh(self.squares)[-1])


def descend(averages: Averages, rate: float, epochs: int) -> Iterator[Vector]:
    """Return the weights before the first epoch, all 0, and after every epoch."""
    weights = np.zeros(len(averages.products))
    for _ in range(epochs):
        yield weights
        weights = weights - rate * (averages.squares @ weights - averages.products)
    yield weights
