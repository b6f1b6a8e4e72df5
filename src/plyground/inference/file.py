"""ONNX files as data from outside: read without running them, and refused if they are not safe.

ONNX Runtime does what a file says: it reads other files that the file names, calls operators that
are installed beside it, and allocates arrays of any size. So the file is read here first. It may
use only the operators in OPERATORS; its weights must lie in it; and the size of every array that it
would compute, and how many multiplications they take, are known before anything is allocated.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from plyground.errors import OptionError
from plyground.inference.messages import (
    RefusedFileError,
    allow_only,
    contents,
    fields,
    integers,
    text,
)
from plyground.inference.shapes import MOST_AXES, OPERATORS, Graph, Node, Shape, quoted

LARGEST_FILE = 256 * 2**20
"""Bytes of a file that is read as a network."""

LARGEST_STRUCTURE = 2**20
"""Bytes of a file beside its stored arrays."""

MOST_NODES = 2**11
"""Operators of a network, and arrays that it stores."""

MOST_ARRAY_FIELDS = 32
"""Fields of a stored array: its sizes, its type, its name and its numbers."""

CELLS = 4096
"""Cells of the boards that are evaluated at once: what a layer computes then stays in the
processor's cache."""

LARGEST_BATCH = 256
"""Positions that are evaluated at once, however small a board is."""

MOST_NUMBERS = 2**29
"""Numbers that a network may compute at once, in all of its arrays together: 2 GiB."""

MOST_PRODUCTS = 2**37
"""Multiplications that these may take: some seconds of one core."""

UNFIT = (ArithmeticError, IndexError, RecursionError, ValueError)
"""What reading parts that do not fit together raises."""

ELEMENTS: dict[int, np.dtype[Any]] = {1: np.dtype("<f4"), 7: np.dtype("<i8"), 10: np.dtype("<f2")}
"""Element types of stored arrays, by ONNX's numbers."""


class NetworkFile:
    """The content of a network's file, which has been found safe to run."""

    def __init__(self, path: Path) -> None:
        """Read a file; raise OptionError, with the reason, if it is not a network."""
        self.path = path
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise RefusedFileError(f"it is larger than {LARGEST_FILE >> 20} MiB")
            self.content = path.read_bytes()
            self._read()
        except OSError as error:
            raise OptionError(f"weights: {path} cannot be read: {error.strerror}") from None
        except RefusedFileError as refused:
            raise self.error(refused) from None
        except UNFIT:
            raise self.error("its parts do not fit together") from None

    def error(self, reason: object) -> OptionError:
        """Return the error that says why the file cannot be run."""
        return OptionError(f"weights: {self.path} is not a network that can be run: {reason}")

    def _read(self) -> None:
        model = memoryview(self.content)
        allow_only(model, (1, 2, 3, 4, 5, 6, 7, 8, 14), "the file")
        graphs = contents(model, 7)
        if len(graphs) != 1:
            raise RefusedFileError("it is not an ONNX file")
        (graph,) = graphs
        allow_only(graph, (1, 2, 5, 10, 11, 12, 13), "the graph")
        nodes, arrays = contents(graph, 1), contents(graph, 5)
        if max(len(nodes), len(arrays)) > MOST_NODES:
            raise RefusedFileError(f"it has more than {MOST_NODES:,} operators or stored arrays")
        self._stored = Graph()
        if len(model) - sum(_store(self._stored, each) for each in arrays) > LARGEST_STRUCTURE:
            raise RefusedFileError(
                f"it has more than {LARGEST_STRUCTURE:,} bytes beside its stored arrays"
            )
        for opset in contents(model, 8):
            if text(opset, 1) not in ("", "ai.onnx"):
                raise RefusedFileError(f"operators of {quoted(text(opset, 1))} are not allowed")
        self._nodes = [_node(each) for each in nodes]
        names = [[text(each, 1) for each in contents(graph, number)] for number in (11, 12)]
        if names != [["planes"], ["policy", "values"]]:
            raise RefusedFileError(
                "its input must be 'planes' and its outputs 'policy' and 'values', not "
                + quoted(" ".join(names[0] + names[1]))
            )
        self.about = self._about(model)
        """What its training wrote about it."""
        planes = self.about["shape"].get("planes")
        if not (isinstance(planes, list) and len(planes) == 3 and all(map(_is_size, planes))):
            raise RefusedFileError("it does not say what it was trained on")
        self.planes: Shape = tuple(planes)
        """The shape of the planes that it was trained on; others may fit too."""
        self.haste = self.about.get("haste", 0.0)
        """How much less its values count a win at the end of a longest game than a win at once."""
        if not isinstance(self.haste, float) or not 0.0 <= self.haste < 1.0:
            raise RefusedFileError("`haste` must be a number of at least 0 and below 1")
        self._outputs(self.planes)

    def _about(self, model: memoryview) -> dict[str, Any]:
        entries = {text(each, 1): text(each, 2) for each in contents(model, 14)}
        about = json.loads(entries.get("plyground", "null"))
        if not isinstance(about, dict) or not isinstance(about.get("shape"), dict):
            raise RefusedFileError("`plyground train` did not write it")
        return about

    def fits(self, planes: Shape, entries: int, players: int) -> bool:
        """Return whether planes of a shape lead to so many entries of the policy and values."""
        try:
            return self._outputs(planes) == (entries, players)
        except (RefusedFileError, *UNFIT):
            return False

    def _outputs(self, planes: Shape) -> tuple[int, int]:
        """Return the entries of the policy and the number of values for planes of a shape."""
        rows = batch_size(planes)
        shapes = dict(self._stored.shapes) | {"planes": (rows, *planes)}
        graph, numbers, products, fixed = Graph(shapes, self._stored.stored), 0, 0, set(shapes)
        fixed.remove("planes")
        for node in self._nodes:
            if len(node.outputs) != 1 or node.outputs[0] in shapes:
                raise RefusedFileError(f"{node.operator} must have one new output")
            shape, cost = OPERATORS[node.operator].apply(graph, node)
            numbers, products = numbers + cost.room, products + cost.products
            if len(shape) > MOST_AXES or numbers > MOST_NUMBERS:
                raise RefusedFileError(f"it computes more than {MOST_NUMBERS:,} numbers at once")
            if products > MOST_PRODUCTS:
                raise RefusedFileError(
                    f"it takes more than {MOST_PRODUCTS:,} multiplications at once"
                )
            if fixed.issuperset(node.inputs):  # the runtime would compute them as it reads the file
                if node.operator != "Cast":
                    raise RefusedFileError(f"{node.operator} does not depend on the position")
                fixed.add(node.outputs[0])
            shapes[node.outputs[0]] = shape
        policy, values = graph.shape("policy"), graph.shape("values")
        for shape in (policy, values):
            if len(shape) != 2 or shape[0] != rows:
                raise RefusedFileError("its outputs must have one row per position")
        return policy[1], values[1]


def batch_size(planes: Sequence[int]) -> int:
    """Return how many positions with planes of a shape are evaluated at once."""
    return min(LARGEST_BATCH, max(1, CELLS // (planes[1] * planes[2])))


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 2**20


def _node(data: memoryview) -> Node:
    operator, domain = text(data, 4), text(data, 7)
    if domain not in ("", "ai.onnx") or operator not in OPERATORS:
        name = f"{domain}.{operator}" if domain else operator
        raise RefusedFileError(f"operator {quoted(name)} is not allowed")
    allow_only(data, (1, 2, 3, 4, 5, 6, 7), operator)
    attributes = {}
    for attribute in contents(data, 5):
        name = text(attribute, 1)
        if name not in OPERATORS[operator].attributes:
            raise RefusedFileError(
                f"{operator} has the attribute {quoted(name)}, which is not allowed"
            )
        allow_only(attribute, (1, 3, 8, 13, 20), f"{operator}: {name}")  # one integer, or several
        attributes[name] = integers(attribute, 3) + integers(attribute, 8)
        if not attributes[name]:
            attributes[name] = (0,)  # zeros are not written
    inputs, outputs = (
        tuple(bytes(each).decode(errors="replace") for each in contents(data, number))
        for number in (1, 2)
    )
    return Node(operator, inputs, outputs, attributes)


def _store(graph: Graph, data: memoryview) -> int:
    """Add a stored array; return its bytes."""
    for _ in fields(data, MOST_ARRAY_FIELDS):
        pass
    name, dims = text(data, 8), integers(data, 1)
    if any(number in (13, 14) for number, _ in fields(data)):
        raise RefusedFileError(f"the weights {quoted(name)} are in another file")
    allow_only(data, (1, 2, 8, 9, 12), f"the array {quoted(name)}")
    kind, raw = integers(data, 2)[-1:], contents(data, 9)
    if not kind or kind[0] not in ELEMENTS or len(raw) != 1:
        raise RefusedFileError(f"the array {quoted(name)} is not stored as raw numbers")
    element = ELEMENTS[kind[0]]
    if min(dims, default=1) < 0 or len(dims) > MOST_AXES:
        raise RefusedFileError(f"the array {quoted(name)} has the shape {dims[:MOST_AXES]}")
    if prod(dims) * element.itemsize != len(raw[0]):
        raise RefusedFileError(f"the array {quoted(name)} has not the size of its shape {dims}")
    graph.shapes[name] = dims
    if element.kind == "i" and prod(dims) <= MOST_AXES:
        graph.stored[name] = tuple(np.frombuffer(raw[0], element).tolist())
    return len(raw[0])
