"""The network: planes of a position in, a policy over its actions and each player's value out.

A residual trunk whose blocks also see the maximum of their row and of their column and the mean of
the board, so that what happens at the other end of a line arrives in one block. The heads read the
trunk's features where the input planes are set, for instance at a target's cell. No weight depends
on the size of the board where the policy head has the board's shape.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

if TYPE_CHECKING:
    from plyground.game import Game

EPSILON = 1e-6
NOT_LEGAL = -1e9
"""The logit of what is no legal action."""


@dataclass(frozen=True)
class Shape:
    """Everything that decides a network's form: the game's side and the network's own size."""

    planes: tuple[int, int, int]
    policy: tuple[int, int, int]
    players: int
    zero_sum: bool
    channels: int = 64
    blocks: int = 6
    bins: int = 3
    """The value is a distribution over so many points from -1 to 1."""

    @classmethod
    def of(cls, game: Game, channels: int = 64, blocks: int = 6) -> Self:
        """Return the shape of a network for a game.

        A puzzle's value has a point for each number of moves up to 20, that of two players as many,
        as a win may count less the longer it takes; of more players one for a loss, a draw and a
        win.
        """
        facts = game.facts
        bins = 21 if facts.players <= 2 else 3
        sides = game.plane_shape, facts.policy, facts.players, facts.zero_sum
        return cls(*sides, channels=channels, blocks=blocks, bins=bins)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the shape that `to_json` described."""
        sides = {name: tuple(data[name]) for name in ("planes", "policy")}
        return cls(**data | sides)

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def sized(self, rows: int, columns: int) -> Self:
        """Return the shape of the same network on a board of another size, if it can have one."""
        if not self.on_board:
            return self
        kinds = self.planes[0], self.policy[0]
        planes, policy = ((kind, rows, columns) for kind in kinds)
        return replace(self, planes=planes, policy=policy)

    @property
    def on_board(self) -> bool:
        """Return whether the policy head has the shape of the board, cell by cell."""
        return self.policy[1:] == self.planes[1:] and self.planes[1] * self.planes[2] > 1

    @property
    def outlooks(self) -> int:
        """Return how many players get a value of their own; of two with zero sum one does."""
        return 1 if self.players == 2 and self.zero_sum else self.players


class Norm(nnx.Module):
    """Divide by the root of the mean square over channels."""

    def __init__(self, channels: int) -> None:
        self.scale = nnx.Param(jnp.ones(channels))

    def __call__(self, x: jax.Array) -> jax.Array:
        wide = x.astype(jnp.float32)
        spread = jax.lax.rsqrt(jnp.mean(wide * wide, axis=-1, keepdims=True) + EPSILON)
        return (wide * spread * self.scale[...]).astype(x.dtype)


class Block(nnx.Module):
    """Two convolutions, the second of which also sees rows, columns and the whole board."""

    def __init__(self, channels: int, dtype: Any, rngs: nnx.Rngs) -> None:
        conv = {"kernel_size": (3, 3), "use_bias": False, "dtype": dtype, "rngs": rngs}
        line = {"use_bias": False, "dtype": dtype, "rngs": rngs}
        self.norm1, self.norm2 = Norm(channels), Norm(channels)
        self.conv1 = nnx.Conv(channels, channels, **conv)
        self.conv2 = nnx.Conv(channels, channels, **conv)
        self.row = nnx.Linear(channels, channels, **line)
        self.column = nnx.Linear(channels, channels, **line)
        self.board = nnx.Linear(channels, channels, **line)

    def __call__(self, x: jax.Array) -> jax.Array:
        y = jax.nn.relu(self.norm1(x))
        y = self.conv1(y)
        y = (
            y
            + self.row(y.max(axis=2, keepdims=True))
            + self.column(y.max(axis=1, keepdims=True))
            + self.board(y.mean(axis=(1, 2), keepdims=True))
        )
        y = jax.nn.relu(self.norm2(y))
        return x + self.conv2(y)


class Network(nnx.Module):
    """The whole network; planes are (batch, rows, columns, planes) within it."""

    def __init__(self, shape: Shape, key: jax.Array, dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype
        rngs, channels = nnx.Rngs(key), shape.channels
        planes, rows, columns = shape.planes
        line = {"dtype": dtype, "rngs": rngs}
        self.stem = nnx.Conv(planes, channels, (3, 3), use_bias=False, **line)
        blocks = (Block(channels, dtype, rngs) for _ in range(shape.blocks))
        self.trunk = nnx.Sequential(*blocks)
        self.norm = Norm(channels)
        self.read = nnx.Linear((planes + 1) * channels, channels, **line)
        self.policy_cells = nnx.Linear(channels, channels, use_bias=False, **line)
        if shape.on_board:
            self.policy = nnx.Linear(channels, shape.policy[0], **line)
        else:
            outputs = shape.policy[0] * shape.policy[1] * shape.policy[2]
            self.policy = nnx.Linear(rows * columns * channels, outputs, **line)
        self.value_hidden = nnx.Linear(channels, channels, **line)
        self.value = nnx.Linear(channels, shape.outlooks * shape.bins, **line)

    def __call__(self, planes: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the flat policy head and the logits of the value's points, (outlooks, bins).

        `planes` are (batch, planes, rows, columns).
        """
        shape, batch = self.shape, planes.shape[0]
        inputs = jnp.transpose(planes, (0, 2, 3, 1)).astype(self.dtype)
        features = jax.nn.relu(self.norm(self.trunk(self.stem(inputs))))
        context = jax.nn.relu(self.read(self._readings(inputs, features)))
        cells = jax.nn.relu(self.policy_cells(features) + context[:, None, None, :])
        if shape.on_board:
            head = jnp.transpose(self.policy(cells), (0, 3, 1, 2)).reshape(batch, -1)
        else:
            head = self.policy(cells.reshape(batch, -1))
        values = self.value(jax.nn.relu(self.value_hidden(context)))
        points = values.reshape(batch, shape.outlooks, shape.bins)
        return head.astype(jnp.float32), points.astype(jnp.float32)

    def _readings(self, inputs: jax.Array, features: jax.Array) -> jax.Array:
        """Return the mean of the features where each input plane is set, and over the board."""
        batch, cells = inputs.shape[0], inputs.shape[1] * inputs.shape[2]
        flat = features.reshape(batch, cells, -1)
        weights = jnp.abs(inputs.reshape(batch, cells, -1))
        sums = jnp.einsum("bnp,bnc->bpc", weights, flat)
        total = weights.astype(jnp.float32).sum(axis=1)[:, :, None]
        places = (sums / (total + EPSILON)).astype(self.dtype)
        everywhere = flat.mean(axis=1, keepdims=True)
        return jnp.concatenate([places, everywhere], axis=1).reshape(batch, -1)


def new_network(shape: Shape, seed: int = 0, dtype: Any = jnp.float32) -> Network:
    """Return a network with random weights."""
    return _make(shape, jax.random.key(seed), dtype)  # type: ignore[no-any-return]


_make: Any = nnx.jit(Network, static_argnums=(0, 2))  # faster than to make layer by layer


def from_bits(bits: jax.Array) -> jax.Array:
    """Return bfloat16 numbers from their 16 bits."""
    return jax.lax.bitcast_convert_type(bits, jnp.bfloat16)


def logits_of(head: jax.Array, entries: jax.Array) -> jax.Array:
    """Return each action's logit: the sum of its entries, (batch, actions, parts), of the head."""
    batch, actions, parts = entries.shape
    read = jnp.take_along_axis(head, entries.reshape(batch, actions * parts), axis=1)
    return read.reshape(batch, actions, parts).sum(axis=2)


def expectation(points: jax.Array, shape: Shape) -> jax.Array:
    """Return the value of each player, the one to move first, from the logits of its points."""
    places = jnp.linspace(-1.0, 1.0, shape.bins)
    values = jax.nn.softmax(points, axis=-1) @ places
    return jnp.concatenate([values, -values], axis=1) if shape.outlooks < shape.players else values


def two_points(values: jax.Array, bins: int) -> jax.Array:
    """Return values from -1 to 1 as distributions over the two points next to each."""
    place = (jnp.clip(values, -1.0, 1.0) + 1.0) * 0.5 * (bins - 1)
    points = jnp.arange(bins)
    return jnp.maximum(0.0, 1.0 - jnp.abs(place[..., None] - points))


def count_parameters(network: Network) -> int:
    """Return how many numbers a network has."""
    return sum(int(np.prod(leaf.shape)) for leaf in jax.tree.leaves(nnx.state(network, nnx.Param)))
