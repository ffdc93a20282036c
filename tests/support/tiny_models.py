"""Tiny models of every kind, each saved as its own library saves it, and what that library itself says."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from adjudge.core.arrays import Array

SHAPE = (8, 8, 1)
CLASSES = 4
UNITS = 6


class Tiny(NamedTuple):
    """A saved model, and its own answers for `images()` scaled to 0 .. 1."""

    path: str
    probabilities: Array
    features: Array | None


def images(count: int = 50) -> Array:
    return np.random.default_rng(1).integers(0, 256, (count, *SHAPE), dtype=np.uint8)


def scaled() -> Array:
    return (images() / 255).astype(np.float32)


def need(module: str, extra: str) -> Any:
    return pytest.importorskip(module, reason=f"needs the extra {extra!r}: pip install 'adjudge[{extra}]'")


def weights() -> dict[str, Array]:
    """Two dense layers that tell samples apart."""
    draw = np.random.default_rng(2)
    return {
        "hidden": draw.normal(0, 1, (64, UNITS)).astype(np.float32),
        "shift": draw.normal(0, 1, UNITS).astype(np.float32),
        "last": draw.normal(0, 1, (UNITS, CLASSES)).astype(np.float32),
    }


def torch_net() -> Any:
    torch = need("torch", "torch")
    torch.manual_seed(0)
    net = torch_layers(torch)
    with torch.no_grad():
        net[-1].weight *= 20  # untrained, it would say the same for all samples
        net[-1].bias -= net(torch.from_numpy(np.moveaxis(scaled(), 3, 1))).mean(dim=0)
    return net


def torch_layers(torch: Any) -> Any:
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 3, 3),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(3 * 36, UNITS),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.5),
        torch.nn.Linear(UNITS, CLASSES),
    ).eval()


def torch_inputs() -> Any:
    return need("torch", "torch").from_numpy(np.ascontiguousarray(np.moveaxis(scaled(), 3, 1)))


def torch_answers(net: Any) -> tuple[Array, Array]:
    import torch

    inputs = torch_inputs()
    with torch.no_grad():
        return net(inputs).softmax(dim=1).numpy(), net[:5](inputs).numpy()


def exported(folder: Path, batch: int | None = None) -> Tiny:
    net = torch_net()
    import torch

    inputs = (torch.zeros(batch or 2, 1, 8, 8),)
    shapes = None if batch else ({0: torch.export.Dim("batch")},)
    torch.export.save(torch.export.export(net, inputs, dynamic_shapes=shapes), folder / "net.pt2")
    return Tiny(str(folder / "net.pt2"), *torch_answers(net))


def scripted(folder: Path) -> Tiny:
    net = torch_net()
    import warnings

    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(net, torch.zeros(2, 1, 8, 8)).save(folder / "net.pt")
    return Tiny(str(folder / "net.pt"), torch_answers(net)[0], None)


def built(folder: Path) -> Tiny:
    net = torch_net()
    from safetensors.torch import save_file

    source = Path(__file__).read_text(encoding="utf-8")
    body = source[source.index("    return torch.nn.Sequential(") : source.index(").eval()\n") + 1]
    body = body.replace("UNITS", str(UNITS)).replace("CLASSES", str(CLASSES))
    (folder / "net.py").write_text(f"import torch\n\n\ndef build():\n{body}\n")
    save_file(net.state_dict(), folder / "net.safetensors")
    return Tiny(f"{folder / 'net.py'}:build", *torch_answers(net))


def onnx_graph(path: Path, *, batch: int | str = "batch", side_file: bool = False, softmax: bool = True) -> Tiny:
    onnx = need("onnx", "onnx")
    runtime = need("onnxruntime", "onnx")
    make = onnx.helper.make_node
    nodes = [
        make("Flatten", ["input"], ["flat"]),
        make("Gemm", ["flat", "hidden", "shift"], ["summed"]),
        make("Relu", ["summed"], ["units"]),
        make("MatMul", ["units", "last"], ["scores"]),
        *([make("Softmax", ["scores"], ["output"], axis=1)] if softmax else []),
    ]
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        nodes,
        "tiny",
        [onnx.helper.make_tensor_value_info("input", kind, [batch, 1, 8, 8])],
        [onnx.helper.make_tensor_value_info("output" if softmax else "scores", kind, [batch, CLASSES])],
        [onnx.numpy_helper.from_array(value, name) for name, value in weights().items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path, save_as_external_data=side_file, location="weights.bin", size_threshold=0)
    inputs = np.ascontiguousarray(np.moveaxis(scaled(), 3, 1))
    size = batch if isinstance(batch, int) else len(inputs)
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    filled = np.concatenate([inputs, np.zeros((-len(inputs) % size, 1, 8, 8), np.float32)])
    parts = [session.run(None, {"input": filled[at : at + size]})[0] for at in range(0, len(filled), size)]
    values = weights()
    hidden = np.maximum(inputs.reshape(len(inputs), -1) @ values["hidden"] + values["shift"], 0)
    outputs = np.concatenate(parts)[: len(inputs)]
    if not softmax:
        powers = np.exp(outputs.astype(np.float64))
        outputs = powers / powers.sum(axis=1, keepdims=True)
    return Tiny(str(path), outputs, hidden)


def keras_file(path: Path) -> Tiny:
    need("openvino", "keras")
    import os

    os.environ.setdefault("KERAS_BACKEND", "openvino")
    keras = need("keras", "keras")
    keras.utils.set_random_seed(0)
    inputs = keras.Input(SHAPE)
    flat = keras.layers.Flatten()(keras.layers.Conv2D(3, 3, activation="relu")(inputs))
    hidden = keras.layers.Dropout(0.5)(keras.layers.Dense(UNITS, activation="relu")(flat))
    model = keras.Model(inputs, keras.layers.Activation("softmax")(keras.layers.Dense(CLASSES)(hidden)))
    model.save(path)
    # called, not asked to predict, which OpenVINO does in half precision where a processor has it
    said, features = (
        keras.ops.convert_to_numpy(each(scaled(), training=False)) for each in (model, keras.Model(inputs, hidden))
    )
    return Tiny(str(path), np.asarray(said), np.asarray(features))


def network(folder: Path, suffix: str = ".skops") -> Tiny:
    """A perceptron of scikit-learn, which is saved as its suffix says."""
    need("sklearn", "sklearn")
    import joblib
    from sklearn.neural_network import MLPClassifier

    draw = np.random.default_rng(3)
    flat = scaled().reshape(len(scaled()), -1)
    model = MLPClassifier((UNITS,), max_iter=5000, random_state=0, activation="tanh", tol=1e-2)
    model.fit(flat, draw.integers(0, CLASSES, len(flat)))
    path = folder / f"net{suffix}"
    if suffix == ".skops":
        need("skops.io", "sklearn").dump(model, path)
    else:
        joblib.dump(model, path)
    hidden = np.tanh(flat @ model.coefs_[0] + model.intercepts_[0])
    return Tiny(str(path), model.predict_proba(flat), hidden)
