"""The operators that a network may use: the shapes of the arrays that they make, and their cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

import numpy as np

from plyground.inference.messages import RefusedFileError
from plyground.text import cleaned, shortened

MOST_AXES = 8

FLOAT = 1
"""ONNX's number of 32-bit floats."""

ELEMENT = 64
"""A number that is read or written takes as long as so many multiplications of a product."""

Shape = tuple[int, ...]


def quoted(text: str) -> str:
    """Return a text of the file for a message."""
    return repr(shortened(cleaned(text)))


@dataclass(frozen=True)
class Node:
    """An operator that is applied to named arrays."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, tuple[int, ...]]

    def integers(self, name: str, default: tuple[int, ...]) -> tuple[int, ...]:
        """Return an attribute of integers."""
        return self.attributes.get(name, default)


@dataclass
class Graph:
    """Arrays by name, as far as they are known: their shapes, and values of stored integers."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    stored: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def shape(self, name: str) -> Shape:
        """Return the shape of an array that has been computed or stored."""
        if name not in self.shapes:
            raise RefusedFileError(f"the array {quoted(name)} is not defined where it is used")
        return self.shapes[name]

    def integers(self, node: Node, index: int) -> tuple[int, ...]:
        """Return an operator's input that must be stored integers: axes or sizes."""
        if len(node.inputs) <= index or node.inputs[index] not in self.stored:
            raise RefusedFileError(f"{node.operator}: axes and sizes must be stored in the file")
        return self.stored[node.inputs[index]]


class Cost(NamedTuple):
    """What an operator takes beside the numbers that it reads and writes."""

    products: int = 0
    room: int = 0
    """Numbers that it holds while it works."""


Rule = Callable[[Graph, Node], Shape]


@dataclass(frozen=True)
class Operator:
    """The shape of an operator's result, the attributes that it may have, and its cost."""

    result: Rule
    attributes: tuple[str, ...] = ()
    cost: Callable[[Graph, Node, Shape], Cost] = lambda graph, node, made: Cost()

    def apply(self, graph: Graph, node: Node) -> tuple[Shape, Cost]:
        """Return the shape of the result, and the whole cost."""
        made = self.result(graph, node)
        if min(made, default=0) < 0:
            raise RefusedFileError(f"{node.operator} does not fit its input")
        size, (products, room) = prod(made), self.cost(graph, node, made)
        touched = size + sum(prod(graph.shape(name)) for name in node.inputs)
        return made, Cost(products + ELEMENT * touched, room + size)


def _same(graph: Graph, node: Node) -> Shape:
    return graph.shape(node.inputs[0])


def _as_floats(graph: Graph, node: Node) -> Shape:
    if node.integers("to", ()) != (FLOAT,):
        raise RefusedFileError("Cast must make 32-bit floats")
    return _same(graph, node)


def _broadcast(graph: Graph, node: Node) -> Shape:
    return np.broadcast_shapes(*map(graph.shape, node.inputs))


def _reduced(graph: Graph, node: Node) -> Shape:
    shape, axes = graph.shape(node.inputs[0]), graph.integers(node, 1)
    if node.integers("keepdims", (1,)) != (1,):
        raise RefusedFileError(f"{node.operator} must keep its axes")
    dropped = {axis % len(shape) for axis in axes}
    return tuple(1 if axis in dropped else size for axis, size in enumerate(shape))


def _convolved(graph: Graph, node: Node) -> Shape:
    (rows, inputs, *board), (outputs, taken, *kernel) = map(graph.shape, node.inputs[:2])
    pads = node.integers("pads", (0,) * 2 * len(board))
    if taken != inputs or len(kernel) != len(board) or len(pads) != 2 * len(board):
        raise RefusedFileError("Conv does not fit its input")
    padded = (
        size + pads[axis] + pads[axis + len(board)] - kernel[axis] + 1
        for axis, size in enumerate(board)
    )
    return rows, outputs, *padded


def _convolution_cost(graph: Graph, node: Node, made: Shape) -> Cost:
    """Every number is a sum of products; for one position the runtime lays out all factors."""
    _, *factors = graph.shape(node.inputs[1])
    return Cost(prod(made) * prod(factors), prod(made[2:]) * prod(factors))


def _product_cost(graph: Graph, node: Node, made: Shape) -> Cost:
    return Cost(prod(made) * graph.shape(node.inputs[0])[-1])


def _product(graph: Graph, node: Node) -> Shape:
    first, second = map(graph.shape, node.inputs[:2])
    if len(second) == 1 and len(first) > 1 and first[-1] == second[0]:
        return first[:-1]
    if min(len(first), len(second)) < 2 or first[-1] != second[-2]:
        raise RefusedFileError(f"{node.operator} does not fit its input")
    return *np.broadcast_shapes(first[:-2], second[:-2]), first[-2], second[-1]


def _reshaped(graph: Graph, node: Node) -> Shape:
    shape, sizes = graph.shape(node.inputs[0]), graph.integers(node, 1)
    made = [shape[axis] if size == 0 else size for axis, size in enumerate(sizes)]
    if made.count(-1) == 1:
        rest = -prod(made)
        made[made.index(-1)] = prod(shape) // rest if rest else 0
    if min(made, default=1) < 0 or prod(made) != prod(shape):
        raise RefusedFileError(f"Reshape does not fit its input: {shape} to {sizes}")
    return tuple(made)


def _transposed(graph: Graph, node: Node) -> Shape:
    shape, order = graph.shape(node.inputs[0]), node.integers("perm", ())
    if sorted(order) != list(range(len(shape))):
        raise RefusedFileError(f"Transpose has the order {order[:MOST_AXES]}")
    return tuple(shape[axis] for axis in order)


def _flattened(graph: Graph, node: Node) -> Shape:
    shape, (axis,) = graph.shape(node.inputs[0]), node.integers("axis", (1,))
    return prod(shape[:axis]), prod(shape[axis:])


def _widened(graph: Graph, node: Node) -> Shape:
    made = list(graph.shape(node.inputs[0]))
    for axis in sorted(graph.integers(node, 1)):
        if not 0 <= axis <= len(made):
            raise RefusedFileError(f"Unsqueeze has the axis {axis}")
        made.insert(axis, 1)
    return tuple(made)


def _joined(graph: Graph, node: Node) -> Shape:
    shapes, (axis,) = [graph.shape(name) for name in node.inputs], node.integers("axis", (0,))
    rest = {(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}
    if len(rest) != 1 or not 0 <= axis < min(map(len, shapes)):
        raise RefusedFileError("Concat does not fit its input")
    return *shapes[0][:axis], sum(shape[axis] for shape in shapes), *shapes[0][axis + 1 :]


OPERATORS = {
    **dict.fromkeys(("Abs", "Identity", "Neg", "Relu", "Sqrt"), Operator(_same)),
    **dict.fromkeys(("Add", "Div", "Mul", "Sub"), Operator(_broadcast)),
    **dict.fromkeys(("ReduceMax", "ReduceMean", "ReduceSum"), Operator(_reduced, ("keepdims",))),
    "Cast": Operator(_as_floats, ("to",)),
    "Concat": Operator(_joined, ("axis",)),
    "Conv": Operator(_convolved, ("pads",), _convolution_cost),
    "Flatten": Operator(_flattened, ("axis",)),
    **dict.fromkeys(("Gemm", "MatMul"), Operator(_product, cost=_product_cost)),
    "Reshape": Operator(_reshaped),
    "Softmax": Operator(_same, ("axis",)),
    "Transpose": Operator(_transposed, ("perm",)),
    "Unsqueeze": Operator(_widened),
}
"""What a network may compute: all that `plyground train` writes."""
