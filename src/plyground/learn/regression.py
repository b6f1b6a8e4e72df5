"""Linear regression by gradient descent: predicts the winner from a position's features.

The mean squared error and its gradient depend on the examples only by three averages. With these, a
step takes the same time for a million examples as for ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

Vector = Any
"""An array of float64."""

View = tuple[Any, Any, int]
"""A symmetry of examples: the order of the features, the sign of each, and the label's sign.

A label's sign is 1 or -1.
"""

BATCH = 4096
"""Examples averaged at a time."""


@dataclass(frozen=True)
class Averages:
    """Averages of examples `x` with labels `y` that determine a linear model's squared error."""

    examples: int
    squares: Any
    """The mean of x times x transposed."""
    products: Vector
    """The mean of x times y."""
    labels: float
    """The mean of y squared."""

    @classmethod
    def of(cls, examples: Any, labels: Any) -> Self:
        """Return the averages of examples, one per row."""
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
        """Return the averages over all symmetric views of each example."""
        squares, products = np.zeros_like(self.squares), np.zeros_like(self.products)
        count = 0
        for order, signs, label in views:
            squares += self.squares[np.ix_(order, order)] * np.outer(signs, signs)
            products += self.products[order] * signs * label
            count += 1
        return replace(self, examples=count * self.examples, squares=squares / count,
                       products=products / count)  # fmt: skip

    @property
    def fastest(self) -> float:
        """The learning rate above which gradient descent diverges."""
        return 2 / float(np.linalg.eigvalsh(self.squares)[-1])


def descend(averages: Averages, rate: float, epochs: int) -> Iterator[Vector]:
    """Yield the weights before the first epoch, all 0, and after every epoch."""
    weights = np.zeros(len(averages.products))
    for _ in range(epochs):
        yield weights
        weights = weights - rate * (averages.squares @ weights - averages.products)
    yield weights
