"""The network of the original Robot Reboot study, its planes, and its training, in JAX.

An n x n maze is drawn on (2n - 1) x (2n - 1) cells, those between two cells of the maze being its
walls: 31 x 31 for 16 x 16. There is one plane of walls, then two for each robot: its place and its
house, empty for all robots but one. Three convolutions of 64 channels and 4 x 4 cells, each halved
by the maximum, and two dense layers of 128 with dropout lead to p, the chance to win after each
action, and v, the result from -1 (lost) to 1 (won). Planes are made on the device: only the robots'
cells travel there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import NDArray

from plyground.compile import Words
from plyground.games.robots import sliding

CHANNELS, WINDOW, CONVOLUTIONS, HIDDEN, DROPOUT = 64, 4, 3, 128, 0.35
ROBOTS = sliding.USUAL
ACTIONS = 4 * ROBOTS

RATE, EPOCHS, BATCH = 0.01, 100, 64
PLATEAU, REDUCTION, LEAST_GAIN = 10, 0.1, 1e-4
"""The rate is multiplied by REDUCTION after PLATEAU epochs in which the loss on the validation data
has not fallen by LEAST_GAIN: the defaults of Keras, which the study used."""

OPTIMIZER = optax.scale_by_adam()
ON_CPU = jax.default_backend() == "cpu"
FAST = jnp.float32 if ON_CPU else jnp.bfloat16
"""The type of numbers in which a network that plays computes."""
ROWS = 32 if ON_CPU else 1250
"""How many states it evaluates at a time at most."""

Weights = dict[str, tuple[jax.Array, jax.Array]]
"""The factors and the constants of each layer."""


# Planes -------------------------------------------------------------------------------------------


class Boards(NamedTuple):
    """What does not change in games, on the device: one row per game."""

    walls: jax.Array
    houses: jax.Array
    targets: jax.Array


def boards_of(setups: Words) -> Boards:
    """Return the boards of setups."""
    height, width = (int(setups[0, size]) for size in (sliding.HEIGHT, sliding.WIDTH))
    cells = setups[:, sliding.CELLS : sliding.CELLS + sliding.STRIDE * height]
    words = cells.reshape(-1, height, sliding.STRIDE)[:, :, :width] >> sliding.WALL_SHIFT
    walls = np.zeros((len(setups), 2 * height - 1, 2 * width - 1), np.uint8)
    walls[:, ::2, 1::2] = words[:, :, :-1] >> sliding.EAST & 1
    walls[:, 1::2, ::2] = words[:, :-1] >> sliding.SOUTH & 1
    goals = (setups[:, place].astype(np.int32) for place in (sliding.HOUSE, sliding.TARGET))
    return Boards(*map(jnp.asarray, (walls, *goals)))


def robots_of(states: Words) -> NDArray[np.int32]:
    """Return the cells of the robots in states."""
    return states[:, sliding.FIRST : sliding.FIRST + ROBOTS].astype(np.int32)


def planes_of(boards: Boards, games: jax.Array, robots: jax.Array) -> jax.Array:
    """Return the planes (batch, rows, columns, planes) of robots in some of the games."""
    walls = boards.walls[games]
    rows, columns = (jnp.arange(size) for size in walls.shape[1:])

    def marks(cells: jax.Array) -> jax.Array:
        """Return a plane for each column of cells, with a mark at that cell."""
        at_row = 2 * (cells // sliding.STRIDE)[:, None] == rows[:, None]
        at_column = 2 * (cells % sliding.STRIDE)[:, None] == columns[:, None]
        return at_row[:, :, None] & at_column[:, None, :]

    own = boards.targets[games][:, None] == jnp.arange(ROBOTS)
    houses = marks(boards.houses[games][:, None]) & own[:, None, None]
    pairs = jnp.stack([marks(robots), houses], axis=-1)
    both = pairs.reshape(*walls.shape, 2 * ROBOTS)
    return jnp.concatenate([walls.astype(bool)[..., None], both], axis=-1)


# The network --------------------------------------------------------------------------------------


def new_weights(seed: int, boards: Boards) -> Weights:
    """Return the weights of an untrained network for square boards of this size."""
    shapes: dict[str, tuple[int, ...]] = {}
    channels, side = 1 + 2 * ROBOTS, boards.walls.shape[1]
    for number in range(CONVOLUTIONS):
        shapes[f"conv_{number}"] = WINDOW, WINDOW, channels, CHANNELS
        channels, side = CHANNELS, side // 2
    shapes["dense_1"] = side * side * CHANNELS, HIDDEN
    shapes["dense_2"] = HIDDEN, HIDDEN
    shapes |= {"p": (HIDDEN, ACTIONS), "v": (HIDDEN, 1)}
    random = np.random.default_rng(seed)
    weights: Weights = {}
    for name, shape in shapes.items():
        window = int(np.prod(shape[:-2]))  # Glorot's uniform distribution, the default of Keras
        bound = np.sqrt(6 / (window * (shape[-2] + shape[-1])))
        factors = random.uniform(-bound, bound, shape).astype(np.float32)
        weights[name] = jnp.asarray(factors), jnp.zeros(shape[-1])
    return weights


def apply(
    weights: Weights, planes: jax.Array, dtype: Any, dropout: jax.Array | None = None
) -> tuple[jax.Array, jax.Array]:
    """Return the logits of p, and v; `dropout` is a random key for training."""
    x = planes.astype(dtype)
    for number in range(CONVOLUTIONS):
        factors, constants = (part.astype(dtype) for part in weights[f"conv_{number}"])
        x = jax.lax.conv_general_dilated(
            x, factors, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        x = jax.nn.relu(x + constants)
        half = x.shape[1] // 2
        x = x[:, : 2 * half, : 2 * half].reshape(-1, half, 2, half, 2, CHANNELS).max(axis=(2, 4))
    x = x.reshape(len(x), -1)
    for number in (1, 2):
        factors, constants = (part.astype(dtype) for part in weights[f"dense_{number}"])
        x = jax.nn.relu(x @ factors + constants)
        if dropout is not None:
            kept = jax.random.bernoulli(jax.random.fold_in(dropout, number), 1 - DROPOUT, x.shape)
            x = jnp.where(kept, x / (1 - DROPOUT), 0)
    x = x.astype(jnp.float32)
    heads = [x @ factors + constants for factors, constants in (weights["p"], weights["v"])]
    return heads[0], jnp.tanh(heads[1][:, 0])


@jax.jit
def predict(weights: Weights, boards: Boards, games: Any, robots: Any) -> jax.Array:
    """Return p for every action of robots in some of the games."""
    return jax.nn.sigmoid(apply(weights, planes_of(boards, games, robots), FAST)[0])


def evaluator(weights: Weights, setups: Words) -> Callable[[Words, Words], jax.Array]:
    """Return the function that predicts p for states of these games, without waiting for it."""
    boards = boards_of(setups)
    return lambda games, states: predict(weights, boards, games.astype(np.int32), robots_of(states))


def judge(
    weights: Weights, setups: Words, rows: int
) -> Callable[[Words, Words], NDArray[np.float32]]:
    """Return the function that predicts p for any number of states, `rows` of them at a time.

    They are filled up to that number: a network is compiled anew for each size of batch.
    """
    evaluate = evaluator(weights, setups)

    def predict_all(games: Words, states: Words) -> NDArray[np.float32]:
        filled = -len(games) % rows
        games = np.concatenate([games, np.zeros(filled, games.dtype)])
        states = np.concatenate([states, np.zeros((filled, states.shape[1]), np.int64)])
        parts = [
            evaluate(games[at : at + rows], states[at : at + rows])
            for at in range(0, len(games), rows)
        ]
        return np.concatenate([np.asarray(part) for part in parts])[: len(games) - filled]

    return predict_all


# Training -----------------------------------------------------------------------------------------


class Examples(NamedTuple):
    """Training data on the device, one row each."""

    boards: Boards
    robots: jax.Array
    p: jax.Array
    v: jax.Array


class Epoch(NamedTuple):
    """The losses of an epoch; that of the training data is with dropout, while they change."""

    training: float
    validation: float
    rate: float


def _losses(
    weights: Weights, examples: Examples, rows: jax.Array, dropout: jax.Array | None
) -> jax.Array:
    planes = planes_of(examples.boards, rows, examples.robots[rows])
    logits, v = apply(weights, planes, jnp.float32, dropout)
    p: jax.Array = optax.sigmoid_binary_cross_entropy(logits, examples.p[rows]).mean(axis=1)
    return p + (v - examples.v[rows]) ** 2


def _batches(rows: NDArray[np.intp], size: int) -> Iterator[tuple[Any, Any]]:
    """Yield rows in batches, with a weight for each: 0 for those that fill up the last batch."""
    filled = np.resize(rows, -(-len(rows) // size) * size).astype(np.int32)
    shares = (np.arange(len(filled)) < len(rows)).astype(np.float32)
    yield from zip(filled.reshape(-1, size), shares.reshape(-1, size), strict=True)


@jax.jit
def _learn(
    weights: Weights, moments: Any, examples: Examples, batch: Any, rate: Any, dropout: jax.Array
) -> tuple[Weights, Any, jax.Array]:
    """Take a step; return the sum of the losses too."""
    rows, shares = batch

    def loss(weights: Weights) -> jax.Array:
        losses = _losses(weights, examples, rows, dropout)
        return jnp.average(losses, weights=shares)

    value, gradients = jax.value_and_grad(loss)(weights)
    updates, moments = OPTIMIZER.update(gradients, moments)
    weights = jax.tree.map(lambda old, update: old - rate * update, weights, updates)
    return weights, moments, value * shares.sum()


@jax.jit
def _validate(weights: Weights, examples: Examples, batch: Any) -> jax.Array:
    """Return the sum of the losses, without dropout."""
    rows, shares = batch
    return jnp.sum(_losses(weights, examples, rows, None) * shares)


_no_moments = jax.jit(OPTIMIZER.init)


def train(
    weights: Weights,
    examples: Examples,
    training: NDArray[np.intp],
    validation: NDArray[np.intp],
    *,
    epochs: int = EPOCHS,
    batch: int = BATCH,
    reduce: bool = True,
    seed: int = 0,
) -> Iterator[tuple[Weights, Epoch]]:
    """Train a network on some rows of the examples; yield it with its losses after every epoch.

    Without `reduce` the rate stays the same.
    """
    moments = _no_moments(weights)
    key, random = jax.random.key(seed), np.random.default_rng(seed)
    rate, best, waited, steps = RATE, np.inf, 0, 0
    for _ in range(epochs):
        losses = []
        for rows in _batches(random.permutation(training), batch):
            dropout = jax.random.fold_in(key, steps)
            weights, moments, loss = _learn(
                weights, moments, examples, rows, np.float32(rate), dropout
            )
            losses.append(loss)
            steps += 1
        tested = [_validate(weights, examples, rows) for rows in _batches(validation, batch)]
        epoch = Epoch(_mean(losses, len(training)), _mean(tested, len(validation)), rate)
        yield weights, epoch
        waited += 1
        if epoch.validation < best - LEAST_GAIN:
            best, waited = epoch.validation, 0
        elif reduce and waited == PLATEAU:
            rate, waited = rate * REDUCTION, 0


def _mean(sums: list[jax.Array], count: int) -> float:
    return float(np.asarray(sums).sum()) / count
