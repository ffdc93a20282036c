"""Networks as ONNX files, written from their weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.io import atomic_write
from adjudge.models.extras import extra

OPERATIONS = {"relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid"}  # by scikit-learn's names
OPSET, FORMAT = 17, 9  # old enough for any runtime in use
INPUT, OUTPUT = "images", "probabilities"


@dataclass(frozen=True, eq=False)
class Patches:
    """A fixed first layer: how much each small square looks like some that were seen, averaged over parts."""

    filters: Array  # (filters, 1, side, side)
    offset: Array  # (filters,)
    part: int  # pixels of the side of a part


@dataclass(frozen=True, eq=False)
class Network:
    """Layers of (weights, offset), with an activation between them; probabilities of classes come out."""

    layers: Sequence[tuple[Array, Array]]
    activation: str = "relu"
    patches: Patches | None = None


def write_graph(network: Network, side: int, path: Path) -> None:
    """Write a network that takes gray images of this side, from 0 to 1, as an ONNX file."""
    save(_graph(network, side), path)


def save(graph: Any, path: Path, *languages: tuple[str, int]) -> None:
    """Write a graph; languages are sets of operations beyond the usual one, with their versions."""
    with atomic_write(path) as file:
        file.write(_model(graph, *languages).SerializeToString())


def patch_features(patches: Patches, images: Array) -> Array:
    """(samples, filters x parts) float32: what the first layer gives, by the runtime that models run on."""
    session = extra("onnxruntime", "onnx", "training on patches").InferenceSession(
        _model(_graph(Network((), patches=patches), images.shape[1])).SerializeToString()
    )
    parts = [
        session.run(None, {INPUT: images[start : start + 1000, None].astype(np.float32)})[0]
        for start in range(0, len(images), 1000)
    ]
    return np.concatenate(parts)


def tools() -> tuple[Any, Any]:
    """What makes graphs, and what makes weights."""
    purpose = "writing ONNX files"
    return extra("onnx.helper", "onnx", purpose), extra("onnx.numpy_helper", "onnx", purpose)


def _model(graph: Any, *languages: tuple[str, int]) -> Any:
    helper, _ = tools()
    sets = [helper.make_opsetid(*each) for each in (("", OPSET), *languages)]
    model = helper.make_model(graph, opset_imports=sets, producer_name="adjudge")
    model.ir_version = FORMAT
    return model


def _graph(network: Network, side: int) -> Any:
    """Without layers, the graph ends at what the patches give."""
    helper, numpy_helper = tools()
    stored: dict[str, Array] = {}
    nodes, last = [], INPUT
    if network.patches is not None:
        stored |= {"filters": network.patches.filters, "filter_offset": network.patches.offset}
        square = [network.patches.part] * 2
        nodes += [
            helper.make_node("Conv", [INPUT, "filters", "filter_offset"], ["likeness"]),
            helper.make_node("Relu", ["likeness"], ["similar"]),
            helper.make_node("AveragePool", ["similar"], ["parts"], kernel_shape=square, strides=square),
            helper.make_node("Flatten", ["parts"], ["patches"]),
        ]
        last = "patches"
    for number, (weights, offset) in enumerate(network.layers, start=1):
        stored |= {f"weights_{number}": weights, f"offset_{number}": offset}
        final = number == len(network.layers)
        nodes.append(helper.make_node("Gemm", [last, f"weights_{number}", f"offset_{number}"], [f"sum_{number}"]))
        operation, last = ("Softmax", OUTPUT) if final else (OPERATIONS[network.activation], f"hidden_{number}")
        nodes.append(helper.make_node(operation, [f"sum_{number}"], [last]))
    shape = ["samples", 1, side, side] if network.patches is not None else ["samples", side * side]
    given = helper.make_tensor_value_info(INPUT, helper.TensorProto.FLOAT, shape)
    made = helper.make_tensor_value_info(last, helper.TensorProto.FLOAT, ["samples", None])
    held = [numpy_helper.from_array(each.astype(np.float32), name) for name, each in stored.items()]
    return helper.make_graph(nodes, "network", [given], [made], held)
