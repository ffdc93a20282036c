"""What `predict` costs on top of the runtime: seconds as ratios to a bare loop with the same batch size.

Run with `make bench`. Times are wall seconds, best of three, opening the model included; the bare loop has its inputs
ready and keeps the labels only. PyTorch is left out where it is not installed.
"""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from timed import seconds

import adjudge
from adjudge.core.arrays import Array
from adjudge.models.datasets import from_array

BATCH, SAMPLES = 256, 4096
LIMIT = 1.3


def images() -> Array:
    return np.random.default_rng(0).integers(0, 256, (SAMPLES, 28, 28, 1), dtype=np.uint8)


def batches(inputs: Array) -> Iterator[Array]:
    for first in range(0, len(inputs), BATCH):
        yield inputs[first : first + BATCH]


def onnx_case(folder: Path) -> tuple[Path, Callable[[], object]]:
    import onnx
    import onnxruntime

    draw = np.random.default_rng(0)
    sizes = {"one": (32, 1, 3, 3), "two": (64, 32, 3, 3), "three": (64 * 24 * 24, 10)}
    make = onnx.helper.make_node
    graph = onnx.helper.make_graph(
        [
            make("Conv", ["input", "one"], ["a"]),
            make("Relu", ["a"], ["b"]),
            make("Conv", ["b", "two"], ["c"]),
            make("Relu", ["c"], ["d"]),
            make("Flatten", ["d"], ["e"]),
            make("MatMul", ["e", "three"], ["f"]),
            make("Softmax", ["f"], ["output"], axis=1),
        ],
        "net",
        [onnx.helper.make_tensor_value_info("input", onnx.TensorProto.FLOAT, ["batch", 1, 28, 28])],
        [onnx.helper.make_tensor_value_info("output", onnx.TensorProto.FLOAT, ["batch", 10])],
        [
            onnx.numpy_helper.from_array(draw.normal(0, 0.05, shape).astype(np.float32), name)
            for name, shape in sizes.items()
        ],
    )
    path = folder / "net.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), path)
    inputs = np.ascontiguousarray(np.moveaxis(images(), 3, 1), dtype=np.float32) / 255

    def bare() -> object:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        return [session.run(None, {"input": rows})[0].argmax(axis=1) for rows in batches(inputs)]

    return path, bare


def keras_case(folder: Path) -> tuple[Path, Callable[[], object]]:
    import os

    os.environ.setdefault("KERAS_BACKEND", "openvino")
    import keras

    layers: list[Any] = [
        keras.Input((28, 28, 1)),
        keras.layers.Conv2D(32, 3, activation="relu"),
        keras.layers.Conv2D(64, 3, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(10, activation="softmax"),
    ]
    path = folder / "net.keras"
    keras.Sequential(layers).save(path)
    inputs = images().astype(np.float32) / 255

    def bare() -> object:
        model = keras.models.load_model(path, compile=False)
        return [np.asarray(model.predict_on_batch(rows)).argmax(axis=1) for rows in batches(inputs)]

    return path, bare


def torch_case(folder: Path) -> tuple[Path, Callable[[], object]]:
    import torch

    conv, linear = torch.nn.Conv2d, torch.nn.Linear
    net = torch.nn.Sequential(
        conv(1, 32, 3), torch.nn.ReLU(), conv(32, 64, 3), torch.nn.ReLU(), torch.nn.Flatten(), linear(64 * 576, 10)
    ).eval()
    path = folder / "net.pt2"
    shapes = ({0: torch.export.Dim("batch")},)
    torch.export.save(torch.export.export(net, (torch.zeros(2, 1, 28, 28),), dynamic_shapes=shapes), path)
    inputs = np.ascontiguousarray(np.moveaxis(images(), 3, 1), dtype=np.float32) / 255

    def bare() -> object:
        model = torch.export.load(path).module()
        with torch.inference_mode():
            return [model(torch.from_numpy(rows)).numpy().argmax(axis=1) for rows in batches(inputs)]

    return path, bare


def sklearn_case(folder: Path) -> tuple[Path, Callable[[], object]]:
    import skops.io
    from sklearn.ensemble import RandomForestClassifier

    flat = images().reshape(SAMPLES, -1).astype(np.float32) / 255
    path = folder / "forest.skops"
    skops.io.dump(RandomForestClassifier(50, random_state=0).fit(flat[:500], np.arange(500) % 10), path)

    def bare() -> object:
        model = skops.io.load(path, trusted=["sklearn.tree._tree.Tree"])
        return [model.predict(rows) for rows in batches(flat)]

    return path, bare


def main() -> None:
    cases = {"onnxruntime": onnx_case, "keras": keras_case, "torch": torch_case, "skops": sklearn_case}
    data = from_array(images())
    print(f"{SAMPLES:,} images of 28 x 28, {BATCH} at a time")
    for library, case in cases.items():
        if find_spec(library) is None:
            print(f"{library:12s} is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            path, bare = case(Path(folder))
            runs = Path(folder) / "runs"
            reference = seconds(bare, clock=perf_counter)
            ours = partial(adjudge.predict, path, data, batch=BATCH, cache=runs, fresh=True, trust=True)
            spent = seconds(ours, clock=perf_counter)
            ratio = spent / reference
            print(f"{library:12s} bare {reference:6.2f} s   predict {spent:6.2f} s   {ratio:5.2f}", end="")
            print("" if ratio <= LIMIT else f"   more than {LIMIT}")


if __name__ == "__main__":
    main()
