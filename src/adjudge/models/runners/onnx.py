"""ONNX files, with their weights inside or in a side file."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io.files import parsing
from adjudge.models.extras import extra, version_of
from adjudge.models.runners.layers import Layer, chosen
from adjudge.models.runners.protocol import NO_HIDDEN, NoFeatures, Raw, Request, Takes

EXTRA = ("onnx", "running an ONNX model")
FOLDER = "session.model_external_initializers_file_folder_path"
PRODUCTS = ("Gemm", "MatMul")
WEIGHTED = (*PRODUCTS, "Conv", "LSTM", "GRU", "RNN", "Gather")
TYPES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(uint8)": "uint8",
    "tensor(int64)": "int64",
    "tensor(int32)": "int32",
    "tensor(string)": None,
}


def versions() -> Mapping[str, str]:
    return {"onnxruntime": version_of("onnxruntime", *EXTRA)}


def open_model(request: Request) -> "OnnxModel":
    assert request.path is not None
    path, runtime = request.path, _runtime()
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # what matters is raised
    providers = [each for each in runtime.get_available_providers() if not each.startswith("Azure")]  # one's own only
    with parsing(path, "it may be damaged, or its side file of weights may not lie next to it"):
        if not request.features:
            return OnnxModel(runtime.InferenceSession(path, options, providers=providers))
        content, outputs, hidden = _with_hidden(path, request.settings.layer)
        options.add_session_config_entry(FOLDER, str(path.resolve().parent))
        return OnnxModel(runtime.InferenceSession(content, options, providers=providers), outputs, hidden)


class OnnxModel:
    """An ONNX graph with one input."""

    def __init__(self, session: Any, outputs: list[str] | None = None, hidden: str | None = None) -> None:
        self.classes: tuple[str, ...] | None = None
        inputs = session.get_inputs()
        if len(inputs) != 1:
            names = ", ".join(repr(each.name) for each in inputs)
            raise InputError(f"it has {len(inputs)} inputs ({names}); only models with one can be run")
        if inputs[0].type not in TYPES:
            raise InputError(f"its input is a {inputs[0].type}; only models that take {', '.join(TYPES)} are run")
        batch, *shape = [each if isinstance(each, int) else None for each in inputs[0].shape] or [None]
        self.takes = Takes(tuple(shape), TYPES[inputs[0].type], batch, channels="first")
        self._session, self._input, self._hidden = session, inputs[0].name, hidden
        self._outputs = outputs or [each.name for each in session.get_outputs()]

    def run(self, inputs: Array) -> Raw:
        wanted = self._outputs if self._hidden in (None, *self._outputs) else [*self._outputs, self._hidden]
        made = dict(zip(wanted, self._session.run(wanted, {self._input: inputs}), strict=True))
        features = None if self._hidden is None else made[self._hidden]
        given = [made[name] for name in self._outputs]
        labels = next((each for each in given if np.ndim(each) == 1 and np.asarray(each).dtype.kind in "iOU"), None)
        scores = [each for each in given if each is not labels]
        if not scores:
            return Raw(labels, features)
        if not isinstance(scores[0], list):
            return Raw(scores[0], features, labels)
        names = list(scores[0][0])  # scikit-learn's converter gives a dictionary for each sample
        self.classes = tuple(map(str, names))
        return Raw(np.array([list(each.values()) for each in scores[0]], dtype=np.float32), features)


def side_files(path: Path) -> list[Path]:
    """The files next to the graph that hold its weights."""
    with parsing(path):
        graph = extra("onnx", *EXTRA).load(path, load_external_data=False).graph
    stored = [entry.value for each in graph.initializer for entry in each.external_data if entry.key == "location"]
    return [path.parent / name for name in sorted(set(stored))]


def _with_hidden(path: Path, layer: Layer | None) -> tuple[bytes, list[str], str]:
    """The graph with one more output: what goes into its last matrix product, or a value that was named."""
    onnx = extra("onnx", *EXTRA)
    model = onnx.load(path, load_external_data=False)
    outputs = [each.name for each in model.graph.output]
    hidden = _hidden(model.graph) if layer is None else _named(model.graph, layer)
    if hidden not in outputs:
        model.graph.output.append(onnx.helper.make_empty_tensor_value_info(hidden))
    return model.SerializeToString(), outputs, hidden


def _hidden(graph: Any) -> str:
    constant = {each.name for each in graph.initializer}
    weighted = [node for node in graph.node if node.op_type in WEIGHTED]
    products = [node for node in weighted[1:] if node.op_type in PRODUCTS]
    found = [name for name in products[-1].input if name not in constant] if products else []
    if not found:
        raise NoFeatures(NO_HIDDEN)
    return str(found[0])


def _named(graph: Any, layer: Layer) -> str:
    """A value by its own name or that of the node which computes it; constants are not counted."""
    nodes = {node.name: node.output[0] for node in graph.node if node.name}
    values = {name: name for node in graph.node for name in node.output if name}
    counted = {node.output[0]: node.output[0] for node in graph.node if node.op_type != "Constant"}
    return str(chosen(layer, nodes | values, counted))


def _runtime() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return extra("onnxruntime", *EXTRA)
