"""What the kinds of PyTorch models share."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.models.extras import extra, version_of

EXTRA = ("torch", "running a PyTorch model")
SAFER = "as ONNX or safetensors"


def torch() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return extra("torch", *EXTRA)


def versions() -> Mapping[str, str]:
    return {"torch": version_of("torch", *EXTRA)}


def as_tensor(inputs: Array) -> Any:
    """A tensor that shares the memory of an array."""
    return torch().from_numpy(np.require(inputs, requirements=["C", "W"]))


def as_array(outputs: Any) -> Array:
    """The one tensor that a model returned, also inside a tuple or a dictionary of one."""
    if isinstance(outputs, dict):
        outputs = tuple(outputs.values())
    if isinstance(outputs, tuple | list):
        if len(outputs) != 1:
            raise InputError(f"it returns {len(outputs)} values; only models that return one can be run")
        outputs = outputs[0]
    if not torch().is_tensor(outputs):
        raise InputError(f"it returns a {type(outputs).__name__}; only models that return a tensor can be run")
    found: Array = outputs.detach().cpu().float().numpy() if outputs.is_floating_point() else outputs.cpu().numpy()
    return found
