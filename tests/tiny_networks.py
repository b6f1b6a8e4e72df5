"""Networks of a few numbers, made with the package onnx alone, and what can be wrong with them."""

import json

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def stored(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def tiny_network(game, seed=0):
    """Return an ONNX model that fits a game whose policy head has the shape of its board.

    The policy is a random linear function of each cell, every value is 0.
    """
    planes, rows, columns = game.plane_shape
    heads = game.facts.policy[0]
    kernel = np.random.default_rng(seed).normal(size=(heads, planes, 1, 1)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["planes", "kernel"], ["cells"]),
        helper.make_node("Flatten", ["cells"], ["policy"], axis=1),
        helper.make_node("ReduceMean", ["planes", "board"], ["means"]),
        helper.make_node("Flatten", ["means"], ["flat"], axis=1),
        helper.make_node("MatMul", ["flat", "zeros"], ["values"]),
    ]
    weights = [
        stored("kernel", kernel),
        stored("board", np.array([2, 3])),
        stored("zeros", np.zeros((planes, game.facts.players), np.float32)),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("planes", FLOAT, ["batch", planes, "rows", "columns"])],
        [
            helper.make_tensor_value_info("policy", FLOAT, ["batch", "entries"]),
            helper.make_tensor_value_info("values", FLOAT, ["batch", "players"]),
        ],
        weights,
    )
    opsets = [helper.make_opsetid("", 18)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    about = {"shape": {"planes": [planes, rows, columns]}}
    helper.set_model_props(model, {"plyground": json.dumps(about)})
    return model


def save(model, path):
    path.write_bytes(model.SerializeToString())
    return str(path)


# Forgeries: each changes a network that would be accepted -----------------------------------------


def wrong_input(model):
    model.graph.input[0].name = model.graph.node[0].input[0] = "image"
    model.graph.node[2].input[0] = "image"


def wrong_output(model):
    model.graph.output[1].name = model.graph.node[4].output[0] = "value"


def wrong_shape(model):
    model.graph.node[1].attribute[0].i = 0


def external_data(model):
    """Weights that are to be read from a file of the system."""
    kernel = model.graph.initializer[0]
    kernel.ClearField("raw_data")
    kernel.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "/etc/passwd"), ("offset", "0"), ("length", "64")):
        entry = kernel.external_data.add()
        entry.key, entry.value = key, value


def absurd_weights(model):
    """An array of petabytes, without its content."""
    kernel = model.graph.initializer[0]
    kernel.dims[0] = 2**50


def doubling(model):
    """Arrays that double with each operator, at last exabytes."""
    model.graph.node.append(helper.make_node("Identity", ["planes"], ["more0"]))
    for number in range(48):
        inputs = [f"more{number}"] * 2
        model.graph.node.append(helper.make_node("Concat", inputs, [f"more{number + 1}"], axis=1))


def products(model):
    """Products of numbers that lie in the file: the runtime would compute them as it reads it."""
    model.graph.initializer.append(stored("square", np.zeros((64, 64), np.float32)))
    for number in range(30):
        inputs = [f"square{number}" if number else "square", "square"]
        model.graph.node.append(helper.make_node("MatMul", inputs, [f"square{number + 1}"]))


def wide_layers(model):
    """Few numbers in the file, which make many of every position: gigabytes for a batch."""
    planes = model.graph.initializer[0].dims[1]
    wide = np.zeros((65_000, planes, 1, 1), np.float32)
    model.graph.initializer.append(stored("wide", wide))
    model.graph.node.append(helper.make_node("Conv", ["planes", "wide"], ["wide0"]))
    for number in range(8):
        node = helper.make_node("Relu", [f"wide{number}"], [f"wide{number + 1}"])
        model.graph.node.append(node)


def slow_layers(model):
    """Few numbers of every position, each of which takes hundreds of thousands of products."""
    planes = model.graph.initializer[0].dims[1]
    model.graph.initializer.append(stored("spread", np.zeros((512, planes, 1, 1), np.float32)))
    model.graph.initializer.append(stored("mix", np.zeros((512, 512, 5, 5), np.float32)))
    model.graph.node.append(helper.make_node("Conv", ["planes", "spread"], ["slow0"]))
    for number in range(8):
        names = [f"slow{number}", "mix"], [f"slow{number + 1}"]
        model.graph.node.append(helper.make_node("Conv", *names, pads=[2] * 4))


def large_kernel(model):
    """A product for which the runtime lays out a kernel's factors at every cell."""
    planes = model.graph.initializer[0].dims[1]
    model.graph.initializer.append(stored("kernel2", np.zeros((1, planes, 999, 999), np.float16)))
    model.graph.node.append(helper.make_node("Cast", ["kernel2"], ["kernel3"], to=FLOAT))
    names = ["planes", "kernel3"], ["laid_out"]
    model.graph.node.append(helper.make_node("Conv", *names, pads=[510] * 4))


def less_than_nothing(model):
    """Arrays of a negative size, which would make room for others."""
    pads = helper.make_attribute("pads", [-9, 0, 0, 0])
    model.graph.node[0].attribute.append(pads)


def texts(model):
    model.graph.node.append(helper.make_node("Cast", ["planes"], ["texts"], to=TensorProto.STRING))


def many_operators(model):
    for number in range(2100):
        model.graph.node.append(helper.make_node("Relu", ["planes"], [f"relu{number}"]))


def many_fields(model):
    model.graph.node[0].input.extend(["planes"] * 10_000)


def long_names(model):
    model.graph.node[0].name = "n" * 2**20


def powers_of_the_batch(model):
    """Arrays whose size is a power of the number of positions: small for one position only."""
    model.graph.initializer.append(stored("column", np.array([-1, 1])))
    model.graph.initializer.append(stored("row", np.array([1, -1])))
    name = "values"
    for number in range(4):
        for shape in ("column", "row"):
            outputs = [f"{shape}{number}"]
            model.graph.node.append(helper.make_node("Reshape", [name, shape], outputs))
        inputs, name = [f"column{number}", f"row{number}"], f"square{number}"
        model.graph.node.append(helper.make_node("MatMul", inputs, [name]))


def wide_border(model):
    pads = helper.make_attribute("pads", [2**20] * 4)
    model.graph.node[0].attribute.append(pads)


def foreign_operator(model):
    model.graph.node[0].domain = "com.example"
    model.opset_import.append(helper.make_opsetid("com.example", 1))


def filling_operator(model):
    model.graph.node.append(helper.make_node("ConstantOfShape", ["board"], ["filled"]))


def function(model):
    """An operator that is defined in the file itself."""
    body = [helper.make_node("Relu", ["x"], ["y"])]
    opsets = [helper.make_opsetid("", 18)]
    model.functions.append(helper.make_function("own", "Relu", ["x"], ["y"], body, opsets))


def endless_haste(model):
    about = json.loads(model.metadata_props[0].value) | {"haste": float("inf")}
    helper.set_model_props(model, {"plyground": json.dumps(about)})


def deep_metadata(model):
    helper.set_model_props(model, {"plyground": '{"shape":' * 100_000})


FORGERIES = {
    wrong_input: "'planes'",
    wrong_output: "'policy' and 'values'",
    wrong_shape: "one row per position",
    external_data: "in another file",
    absurd_weights: "size of its shape",
    doubling: "numbers at once",
    products: "does not depend on the position",
    wide_layers: "numbers at once",
    slow_layers: "multiplications at once",
    large_kernel: "at once",
    less_than_nothing: "does not fit its input",
    texts: "32-bit floats",
    many_operators: "more than 2,048 operators",
    many_fields: "more than 8,192 fields",
    long_names: "beside its stored arrays",
    powers_of_the_batch: "numbers at once",
    wide_border: "numbers at once",
    foreign_operator: "com.example",
    filling_operator: "ConstantOfShape",
    function: "not allowed",
    endless_haste: "`haste` must be a number",
    deep_metadata: "do not fit together",
}
"""By forgery: a part of the error that it must lead to."""
