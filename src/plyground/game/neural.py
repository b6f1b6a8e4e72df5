"""Small neural networks as heuristics: one hidden layer over sparse inputs, in a game's kernels.

Each input of a position has a row of weights. The hidden layer is the sum of the rows of those
inputs that are not 0, each times its amount, so that its cost grows with what is on the board, not
with all that could be. The first unit goes to the output as it is, which makes it a linear model;
the others are clipped to 0..1 and weighted. The output is the value for the player to move.

The weights are whole numbers of 16 bits, in units of 1 / SCALE: sums of them are exact.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from plyground.arrays import HEADER_SIZE, ArraysError, read_arrays
from plyground.compile import Function, Reals, helper
from plyground.errors import OptionError, PlygroundError
from plyground.game import Evaluator, Game
from plyground.options import Kind, option

SHIPPED = "neural.npz"
"""The file of weights beside the module of a game's evaluator."""

UNITS = 32
"""The width of the hidden layer, and of every row of weights."""

SCALE = 256
"""A weight of 1.0 in the file."""

OUTPUT, BIAS, ROWS = 0, UNITS, 2 * UNITS
"""Indices in a kernel's params: the weights of the output, the constant row, then all others."""

LARGEST = 12.0
"""Limit of the output before it is squashed: beyond it, values would be equal to proved ones."""


# Eight units at a time: the compiler keeps their sums in vector registers ------------------------


@helper
def eight(params, at):  # type: ignore[no-untyped-def]
    return (
        params[at], params[at + 1], params[at + 2], params[at + 3],
        params[at + 4], params[at + 5], params[at + 6], params[at + 7],
    )  # fmt: skip


@helper
def plus(sums, amount, row):  # type: ignore[no-untyped-def]
    """Return eight sums with a row of weights added, times an amount."""
    return (
        sums[0] + amount * row[0], sums[1] + amount * row[1],
        sums[2] + amount * row[2], sums[3] + amount * row[3],
        sums[4] + amount * row[4], sums[5] + amount * row[5],
        sums[6] + amount * row[6], sums[7] + amount * row[7],
    )  # fmt: skip


@helper
def clipped(total):  # type: ignore[no-untyped-def]
    return min(max(total, 0.0), 1.0)


@helper
def weighted(sums, row):  # type: ignore[no-untyped-def]
    """Return the sum of eight clipped units, each times its weight."""
    low = clipped(sums[0]) * row[0] + clipped(sums[1]) * row[1]
    low += clipped(sums[2]) * row[2] + clipped(sums[3]) * row[3]
    high = clipped(sums[4]) * row[4] + clipped(sums[5]) * row[5]
    return low + (high + clipped(sums[6]) * row[6] + clipped(sums[7]) * row[7])


@helper
def network_value(params, numbers, amounts, count):  # type: ignore[no-untyped-def]
    """Return the value for the player to move, from the numbers and amounts of `count` inputs."""
    output = 0.0
    for block in range(0, UNITS, 8):
        sums = eight(params, BIAS + block)
        for index in range(count):
            row = eight(params, ROWS + UNITS * numbers[index] + block)
            sums = plus(sums, amounts[index], row)
        if block == 0:
            output += sums[0]  # the linear unit; its clipped form has no weight
        output += weighted(sums, eight(params, OUTPUT + block))
    return np.tanh(min(max(output, -LARGEST), LARGEST))


class NeuralEvaluator(Evaluator):
    """A heuristic that is such a network; a game brings the kernels and the file of weights."""

    inputs: ClassVar[Function]
    """A kernel of the kind `encode`, which writes the inputs of a position, for training."""
    input_count: ClassVar[int]
    teacher: ClassVar[str]
    """The agent from whose games the network learns first, an `alphabeta` of few plies."""
    variants: ClassVar[tuple[str, ...]]
    """The games that it plays, in equal parts."""
    longest: ClassVar[int | None] = None
    """Plies after which such a game counts as a draw, if it could be longer."""

    weights: str = option(
        "", kind=Kind.FILE, help="file of weights; by default those that come with the game"
    )

    def params(self, game: Game) -> Sequence[float]:
        shipped = Path(inspect.getfile(type(self))).with_name(SHIPPED)
        path = Path(self.weights) if self.weights else shipped
        if not path.is_file():
            raise OptionError(f"weights: there is no file {str(path)!r}")
        return _load(self, path, path.stat().st_mtime_ns)  # type: ignore[return-value]

    def more_params(self) -> Sequence[float] | Reals:
        """Return what the kernel reads after the network."""
        return ()


@lru_cache(maxsize=8)
def _load(evaluator: NeuralEvaluator, path: Path, changed: int) -> Reals:
    """Return the numbers that a kernel reads, from a file of weights."""
    weights = load_weights(path, evaluator.input_count)
    params = np.concatenate([weights.reshape(-1), evaluator.more_params()])
    params.flags.writeable = False
    return params


def load_weights(path: Path, inputs: int) -> Reals:
    """Return the weights of a network with so many inputs: a matrix, as `save_weights` takes it."""
    shape = inputs + ROWS // UNITS, UNITS
    try:
        most = HEADER_SIZE + 2 * shape[0] * shape[1]
        weights = read_arrays(path, {"weights": np.int16}, most)["weights"]
    except ArraysError as error:
        raise OptionError(f"{path} is not a file of weights: {error}") from None
    if weights.shape != shape:
        raise OptionError(
            f"{path}: the weights must be int16 of shape {shape}, not int16 of shape "
            f"{weights.shape}"
        )
    return weights / SCALE


def save_weights(path: Path, weights: Reals) -> None:
    """Write the weights of a network, rounded: the output's, the constant row, and the inputs'."""
    whole = np.clip(np.rint(np.asarray(weights) * SCALE), -32768, 32767).astype(np.int16)
    try:
        with path.open("wb") as file:
            np.savez_compressed(file, weights=whole)
    except OSError as error:
        raise PlygroundError(f"{path} cannot be written: {error.strerror}") from None
