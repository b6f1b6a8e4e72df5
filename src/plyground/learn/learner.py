"""The learner: a network, its optimizer and the moving average of its weights, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from flax import nnx

from plyground.inference.file import NetworkFile
from plyground.learn.network import (
    NOT_LEGAL,
    Network,
    Shape,
    expectation,
    from_bits,
    logits_of,
    new_network,
    two_points,
)
from plyground.learn.onnx import read_weights
from plyground.learn.samples import Batch
from plyground.learn.transport import Packed, pack, unpack
from plyground.search.forest import Evaluate, Evaluation

DECAY = 0.999
"""What the moving average keeps of itself at each step; that average is what plays."""
WEIGHT_DECAY = 1e-4
CLIP = 1.0
OPTIMIZER = optax.chain(
    optax.clip_by_global_norm(CLIP),
    optax.scale_by_adam(),
    optax.add_decayed_weights(WEIGHT_DECAY),
)
"""AdamW but for the learning rate, which every step is given."""


Weights = list[jax.Array]
"""The weights of a network, in the order of its parts: as a list they pass to compiled code in a
tenth of the time that they take as a tree of the network's own classes."""


class State(NamedTuple):
    """Everything that training changes."""

    weights: Weights
    average: Weights
    optimizer: Any
    step: jax.Array


class Plan(NamedTuple):
    """What a network is made of, apart from its weights; `merge` puts the two together."""

    graph: Any
    tree: Any

    def merge(self, weights: Weights) -> Network:
        """Return the network."""
        return nnx.merge(self.graph, jax.tree.unflatten(self.tree, weights))  # type: ignore[no-any-return]


class Losses(NamedTuple):
    """What a step reports, as means over its batch."""

    policy: jax.Array
    value: jax.Array
    hits: jax.Array
    """The share of positions in which the likeliest action is one of the target's best."""


class Learner:
    """Trains one network, on boards of any size; `state` is all that has to be kept."""

    def __init__(self, shape: Shape, seed: int = 0) -> None:
        self.shape = shape
        self._on_cpu = jax.default_backend() == "cpu"
        self._unpacked: set[tuple[int, ...]] = set()
        """Shapes of planes that are sent as they are: they have several values, or are small."""
        network = new_network(shape, seed, jnp.float32 if self._on_cpu else jnp.bfloat16)
        graph, parts = nnx.split(network, nnx.Param)
        weights, tree = jax.tree.flatten(parts)
        self.plan = Plan(graph, tree)
        self._compiled: dict[tuple[int, ...], Compiled] = {}
        """Compiled functions by the sizes of boards."""
        copy = [jnp.array(each) for each in weights]  # the two are given away separately
        start = OPTIMIZER.init(weights)
        self.state = State(weights, copy, start, jnp.zeros((), jnp.int32))

    def start_from(self, network: NetworkFile) -> None:
        """Take over the weights of a network of the same shape, on a board of any size.

        Its value may have other points: the weights of these are then learned anew.
        """
        weights = self.state.weights
        ends = np.cumsum([each.size for each in weights]).tolist()
        firsts = [0, *ends[:-1]]
        numbers: list[Any] = [
            np.arange(first, end).reshape(each.shape)
            for first, end, each in zip(firsts, ends, weights, strict=True)
        ]
        read = read_weights(self.plan.merge(numbers), network)
        taken = [
            each if np.isnan(read[number]).any() else jnp.asarray(read[number], each.dtype)
            for number, each in zip(numbers, weights, strict=True)
        ]
        copy = [jnp.array(each) for each in taken]
        self.state = self.state._replace(weights=taken, average=copy)

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return int(self.state.step)

    def prepare(self, batches: Iterable[Batch]) -> None:
        """Compile the step for batches of such shapes, all at the same time."""

        def rehearse(batch: Batch) -> None:
            self._step(jax.tree.map(jnp.copy, self.state), batch, 0.0)

        with ThreadPoolExecutor() as pool:
            list(pool.map(rehearse, batches))

    def learn(self, batch: Batch, rate: float) -> Losses:
        """Make one step; the losses are not waited for."""
        self.state, losses = self._step(self.state, batch, rate)
        return losses

    def _step(self, state: State, batch: Batch, rate: float) -> tuple[State, Losses]:
        sent = batch._replace(planes=self._send(batch.planes))
        step = self._functions(batch.planes).step
        return step(state, sent, np.float32(rate))  # type: ignore[no-any-return]

    def _functions(self, planes: Any) -> Compiled:
        """Return the compiled functions for boards of the planes' size."""
        sizes = planes.shape[2:]
        if sizes not in self._compiled:  # to find them by what they depend on takes a millisecond
            self._compiled[sizes] = compiled(self.plan, self.shape.sized(*sizes))
        return self._compiled[sizes]

    def evaluate(self, planes: Any, entries: Any) -> Evaluation:
        """Return what the averaged network says; nothing is waited for.

        Planes come as the bits of bfloat16 numbers, entries are those of the legal actions.
        """
        return self._evaluate(self.state.average, planes, entries)

    def snapshot(self) -> Evaluate:
        """Return `evaluate` of the present network; it stays as it is while learning goes on."""
        return partial(self._evaluate, [jnp.copy(each) for each in self.state.average])

    def _evaluate(self, weights: Weights, planes: Any, entries: Any) -> Evaluation:
        answer = self._functions(planes).evaluate(weights, self._send(planes), entries)
        for each in answer:
            each.copy_to_host_async()  # not only when it is asked for
        return Evaluation(*answer)

    def _send(self, planes: Any) -> Any:
        """Return what is sent to the accelerator instead of planes."""
        sizes = planes.shape[1:]
        packed = None if self._on_cpu or sizes in self._unpacked else pack(planes)
        if packed is None:
            self._unpacked.add(sizes)
        return planes if packed is None else packed

    def network(self) -> Network:
        """Return the averaged network, which is the one that plays."""
        return self.plan.merge(self.state.average)


def _received(planes: Any, shape: Shape) -> jax.Array:
    """Return planes as numbers, however they were sent."""
    return from_bits(unpack(planes, shape.planes) if isinstance(planes, Packed) else planes)


class Compiled(NamedTuple):
    """The functions of a network for boards of one size."""

    evaluate: Callable[..., Any]
    step: Callable[..., Any]


@cache
def compiled(plan: Plan, shape: Shape) -> Compiled:
    """Compile the functions of a network."""
    evaluate, step = partial(_evaluate, plan, shape), partial(_step, plan, shape)
    return Compiled(jax.jit(evaluate), jax.jit(step, donate_argnums=0))


def _evaluate(plan: Plan, shape: Shape, weights: Weights, planes: Any, entries: Any) -> Any:
    head, points = plan.merge(weights)(_received(planes, shape))
    return expectation(points, shape), logits_of(head, entries)


def _losses(plan: Plan, shape: Shape, weights: Weights, batch: Any) -> tuple[jax.Array, Losses]:
    head, points = plan.merge(weights)(_received(batch.planes, shape))
    logits = jnp.where(batch.legal, logits_of(head, batch.entries), NOT_LEGAL)
    policy = optax.softmax_cross_entropy(logits, batch.policy).mean()
    wanted = two_points(batch.values[:, : shape.outlooks], shape.bins)
    value = optax.softmax_cross_entropy(points, wanted).mean()
    share = jnp.take_along_axis(batch.policy, logits.argmax(1)[:, None], axis=1)[:, 0]
    hits = (share >= batch.policy.max(1) - 1e-6).mean()
    return policy + value, Losses(policy, value, hits)


def _step(
    plan: Plan, shape: Shape, state: State, batch: Batch, rate: jax.Array
) -> tuple[State, Losses]:
    loss: Callable[..., Any] = partial(_losses, plan, shape)
    gradients, losses = jax.grad(loss, has_aux=True)(state.weights, batch)
    updates, kept = OPTIMIZER.update(gradients, state.optimizer, state.weights)
    weights = jax.tree.map(lambda weight, update: weight - rate * update, state.weights, updates)
    # The first steps count less, or a short training would end near where it began.
    decay = jnp.minimum(DECAY, (1.0 + state.step) / (10.0 + state.step))
    average = jax.tree.map(
        lambda mean, weight: decay * mean + (1.0 - decay) * weight, state.average, weights
    )
    return State(weights, average, kept, state.step + 1), losses
