"""Trained networks as ONNX files: data that plays without the training framework."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, checker, helper, load_model_from_string, numpy_helper, save_model

from plyground.errors import OptionError
from plyground.game import Game
from plyground.inference import find_weights
from plyground.inference.file import NetworkFile
from plyground.learn.network import EPSILON, Network, Norm, Shape
from plyground.text import one_line

OPSET = 18
IR_VERSION = 9
HALF = TensorProto.FLOAT16


class _Graph:
    """Nodes and weights of a graph under construction; values are known by their names."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def apply(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node; return the name of its output."""
        name = f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def weight(self, array: Any) -> str:
        """Add trained numbers, in half precision: half the file, and the session widens them."""
        return self.apply(
            "Cast", self._constant(np.asarray(array, np.float16)), to=TensorProto.FLOAT
        )

    def number(self, value: float) -> str:
        """Add one number."""
        return self._constant(np.array(value, np.float32))

    def axes(self, *values: int) -> str:
        """Add a list of axes or sizes."""
        return self._constant(np.array(values, np.int64))

    def _constant(self, array: NDArray[Any]) -> str:
        name = f"constant_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    # The parts of the network

    def relu(self, x: str) -> str:
        return self.apply("Relu", x)

    def norm(self, norm: Norm, x: str) -> str:
        """Divide by the root of the mean square over channels."""
        mean = self.apply("ReduceMean", self.apply("Mul", x, x), self.axes(1))
        root = self.apply("Sqrt", self.apply("Add", mean, self.number(EPSILON)))
        scale = self.weight(np.reshape(norm.scale[...], (1, -1, 1, 1)))
        return self.apply("Mul", self.apply("Div", x, root), scale)

    def conv(self, conv: Any, x: str) -> str:
        """Convolve 3 x 3; the kernel's axes are rows, columns, inputs, outputs."""
        kernel = self.weight(np.transpose(conv.kernel[...], (3, 2, 0, 1)))
        return self.apply("Conv", x, kernel, pads=[1, 1, 1, 1])

    def cells(self, linear: Any, x: str) -> str:
        """Apply a linear layer to every cell."""
        kernel = self.weight(np.transpose(linear.kernel[...])[:, :, None, None])
        bias = [] if linear.bias is None else [self.weight(linear.bias[...])]
        return self.apply("Conv", x, kernel, *bias)

    def linear(self, linear: Any, x: str) -> str:
        """Apply a linear layer to a vector."""
        return self.apply("Gemm", x, self.weight(linear.kernel[...]), self.weight(linear.bias[...]))

    def block(self, block: Any, x: str) -> str:
        y = self.conv(block.conv1, self.relu(self.norm(block.norm1, x)))
        row = self.cells(block.row, self.apply("ReduceMax", y, self.axes(3)))
        column = self.cells(block.column, self.apply("ReduceMax", y, self.axes(2)))
        board = self.cells(block.board, self.apply("ReduceMean", y, self.axes(2, 3)))
        for part in (row, column, board):
            y = self.apply("Add", y, part)
        return self.apply("Add", x, self.conv(block.conv2, self.relu(self.norm(block.norm2, y))))


class _Places(_Graph):
    """Lists trained numbers as they are, in the order in which a file has them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[NDArray[np.int64]] = []

    def weight(self, array: Any) -> str:
        self.found.append(np.asarray(array))
        return ""


def save_onnx(network: Network, path: Path, about: dict[str, Any]) -> None:
    """Write the network; `about` is kept as text in the file, beside its shape.

    Input: `planes`. Outputs: `policy`, the flat head, and `values`, of the players from the one to
    move on.
    """
    graph = _Graph()
    _describe(network, graph)
    _write(graph, network.shape.planes, path, about | {"shape": network.shape.to_json()})


def weights_shape(game: Game, weights: str) -> Shape:
    """Return the shape of a network, a file or a name, with which a training can begin."""
    return _kept_shape(NetworkFile(find_weights(game, weights)))


def read_weights(numbered: Network, network: NetworkFile) -> NDArray[np.float32]:
    """Return the weights that a file holds, in the order of their numbers.

    The weights of `numbered`, a network of the same shape, are numbers from 0 on: where they go in
    a file shows where the file's weights belong. If only the points of the value differ, the
    weights of these are NaN.
    """
    shape = numbered.shape
    kept = _kept_shape(network)
    same_board = replace(kept.sized(*shape.planes[1:]), bins=shape.bins)
    if same_board != shape:
        differ = [
            f"{name} {_written(was)} where this training needs {_written(needed)}"
            for (name, was), needed in zip(
                same_board.to_json().items(), shape.to_json().values(), strict=True
            )
            if was != needed
        ]
        raise OptionError(f"weights: {network.path} has {', '.join(differ)}")
    places = _Places()
    _describe(numbered, places)
    arrays = _stored_weights(network)
    weights = np.full(sum(place.size for place in places.found), np.nan, np.float32)
    if len(arrays) != len(places.found):
        raise network.error("its arrays are not those of its shape")
    for place, array in zip(places.found, arrays, strict=True):
        if place.size == array.size:
            weights[place.reshape(-1)] = array.reshape(-1)
    return weights


def _kept_shape(network: NetworkFile) -> Shape:
    """Return the shape of a file's network; raise OptionError if the file cannot have it."""
    try:
        shape = Shape.from_json(network.about["shape"])
        numbers = (*shape.planes, *shape.policy, shape.players, shape.channels, shape.blocks)
        whole = all(type(each) is int and each > 0 for each in (*numbers, shape.bins))
    except (KeyError, TypeError):
        raise network.error("it does not say how large it is") from None
    least = 2 * shape.blocks * 18 * shape.channels**2 if whole else 0  # bytes of convolutions
    if not whole or type(shape.zero_sum) is not bool or least > len(network.content):
        raise network.error("it has not the size that it says")
    return shape


def _stored_weights(network: NetworkFile) -> list[NDArray[Any]]:
    """Return the trained numbers of a file, in its order."""
    try:
        stored = load_model_from_string(network.content).graph.initializer
        arrays = [numpy_helper.to_array(each) for each in stored if each.data_type == HALF]
    except Exception as error:  # the package has exceptions of its own
        raise network.error(one_line(str(error), 200)) from None
    if not all(np.isfinite(array).all() for array in arrays):
        raise network.error("not all of its weights are finite numbers")
    return arrays


def _written(value: object) -> str:
    return " x ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _describe(network: Network, graph: _Graph) -> None:
    """Add a network's nodes and weights to a graph."""
    shape = network.shape
    x = graph.conv(network.stem, "planes")
    for block in network.trunk.layers:
        x = graph.block(block, x)
    features = graph.relu(graph.norm(network.norm, x))
    context = graph.relu(graph.linear(network.read, _readings(graph, features)))
    spread = graph.apply("Unsqueeze", context, graph.axes(2, 3))
    cells = graph.relu(graph.apply("Add", graph.cells(network.policy_cells, features), spread))
    if shape.on_board:
        head = graph.apply("Flatten", graph.cells(network.policy, cells), axis=1)
    else:  # the network flattens rows, columns, channels
        last = graph.apply("Transpose", cells, perm=[0, 2, 3, 1])
        head = graph.linear(network.policy, graph.apply("Flatten", last, axis=1))
    hidden = graph.relu(graph.linear(network.value_hidden, context))
    points = graph.linear(network.value, hidden)
    sizes = graph.axes(-1, shape.outlooks, shape.bins)
    points = graph.apply("Softmax", graph.apply("Reshape", points, sizes), axis=-1)
    places = graph._constant(np.linspace(-1, 1, shape.bins, dtype=np.float32))
    values = graph.apply("MatMul", points, places)
    if shape.outlooks < shape.players:
        values = graph.apply("Concat", values, graph.apply("Neg", values), axis=1)
    graph.nodes.append(helper.make_node("Identity", [head], ["policy"]))
    graph.nodes.append(helper.make_node("Identity", [values], ["values"]))


def _readings(graph: _Graph, features: str) -> str:
    """Return the mean of the features where each input plane is set, and over the board."""
    flat = graph.apply("Reshape", features, graph.axes(0, 0, -1))
    cells = graph.apply("Transpose", flat, perm=[0, 2, 1])
    planes = graph.apply("Abs", graph.apply("Reshape", "planes", graph.axes(0, 0, -1)))
    sums = graph.apply("MatMul", planes, cells)
    total = graph.apply("ReduceSum", planes, graph.axes(2))
    places = graph.apply("Div", sums, graph.apply("Add", total, graph.number(EPSILON)))
    everywhere = graph.apply("ReduceMean", cells, graph.axes(1))
    return graph.apply("Flatten", graph.apply("Concat", places, everywhere, axis=1), axis=1)


def _write(graph: _Graph, planes: Sequence[int], path: Path, about: dict[str, Any]) -> None:
    kind = TensorProto.FLOAT
    made = helper.make_graph(
        graph.nodes,
        "plyground",
        [helper.make_tensor_value_info("planes", kind, ["batch", planes[0], "rows", "columns"])],
        [
            helper.make_tensor_value_info("policy", kind, ["batch", "entries"]),
            helper.make_tensor_value_info("values", kind, ["batch", "players"]),
        ],
        graph.weights,
    )
    opset = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(made, opset_imports=opset, ir_version=IR_VERSION)
    helper.set_model_props(model, {"plyground": json.dumps(about)})
    checker.check_model(model)
    save_model(model, path)
