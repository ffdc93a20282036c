"""Keras files, .h5 and .keras, run by OpenVINO unless another backend is chosen."""

import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io.files import parsing
from adjudge.models.extras import extra, version_of
from adjudge.models.runners.layers import Layer, chosen
from adjudge.models.runners.protocol import NO_HIDDEN, NoFeatures, Raw, Request, Takes

EXTRA = ("keras", "running a Keras model")


def versions() -> Mapping[str, str]:
    return {name: version_of(name, *EXTRA) for name in ("h5py", "keras", _backend())}


def open_model(request: Request) -> "KerasModel":
    assert request.path is not None
    keras = _keras()
    with parsing(request.path), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old files say what new ones no longer do
        with _with_input_layer(request.path) as file:
            model = keras.models.load_model(file, compile=False, safe_mode=not request.trust)
    return KerasModel(model, request)


class KerasModel:
    """A Keras model with one input and one output."""

    classes = None

    def __init__(self, model: Any, request: Request) -> None:
        if len(model.inputs) != 1 or len(model.outputs) != 1:
            raise InputError(
                f"it has {len(model.inputs)} inputs and {len(model.outputs)} outputs; only models with one of each can "
                "be run"
            )
        batch, *shape = model.inputs[0].shape
        self.takes = Takes(tuple(shape), str(model.inputs[0].dtype), batch)
        outputs = [model.outputs[0]]
        if request.features:
            outputs.append(_hidden(model, request.settings.layer))
        self._model = _keras().Model(model.inputs, outputs)

    def run(self, inputs: Array) -> Raw:
        with _single_precision():
            given = self._model.predict_on_batch(inputs)
        outputs, *features = given if isinstance(given, list | tuple) else [given]
        return Raw(np.asarray(outputs), np.asarray(features[0]) if features else None)


@contextmanager
def _single_precision() -> Iterator[None]:
    """On processors that have bfloat16, OpenVINO would take it for all sums, and Keras has no way to say otherwise."""
    if _backend() != "openvino":
        yield
        return
    openvino = extra("openvino", *EXTRA)
    plain = openvino.compile_model
    openvino.compile_model = partial(plain, config={"INFERENCE_PRECISION_HINT": "f32"})
    try:
        yield
    finally:
        openvino.compile_model = plain


def _hidden(model: Any, layer: Layer | None) -> Any:
    """What goes into the last layer that has weights, or comes out of the layer that was named."""
    if layer is not None:
        return chosen(layer, {each.name: each for each in model.layers}).output
    weighted = [each for each in model.layers if each.weights]
    if len(weighted) < 2:
        raise NoFeatures(NO_HIDDEN)
    return weighted[-1].input


@contextmanager
def _with_input_layer(path: Path) -> Any:
    """An old Sequential begins with a layer that tells its own input shape: Keras 3 adds an axis to it.

    Such a file is copied, and the copy given an input layer.
    """
    config = _old_sequential(path) if path.suffix.lower() != ".keras" else None
    if config is None:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "model.h5"
        shutil.copyfile(path, copy)
        first = config["config"]["layers"][0]["config"]
        shape = first.pop("batch_input_shape")
        told = {"batch_shape": shape, "dtype": first.get("dtype", "float32"), "name": f"{first['name']}_input"}
        config["config"]["layers"].insert(0, {"class_name": "InputLayer", "config": told})
        with extra("h5py", *EXTRA).File(copy, "r+") as opened:
            opened.attrs["model_config"] = json.dumps(config)
        yield copy


def _old_sequential(path: Path) -> dict[str, Any] | None:
    with extra("h5py", *EXTRA).File(path, "r") as opened:
        stored = opened.attrs.get("model_config")
    if stored is None:
        raise InputError(f"{path.name} holds weights without a model; save the whole model")
    config: dict[str, Any] = json.loads(stored)
    if config["class_name"] != "Sequential":
        return None
    if isinstance(config["config"], list):  # the first versions stored the layers alone
        config["config"] = {"name": "sequential", "layers": config["config"]}
    first = config["config"]["layers"][0]
    return config if "batch_input_shape" in first["config"] and first["class_name"] != "InputLayer" else None


def _backend() -> str:
    return os.environ.get("KERAS_BACKEND", "openvino")


def _keras() -> Any:
    os.environ["KERAS_BACKEND"] = _backend()
    extra(_backend(), *EXTRA)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        extra("h5py", *EXTRA)
        return extra("keras", *EXTRA)
