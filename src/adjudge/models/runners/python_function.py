"""Any function of Python: package.module:function, or file.py:function."""

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io.files import parsing
from adjudge.io.functions import function_of, imported
from adjudge.models.runners.protocol import NoFeatures, Raw, Request, Takes


def versions() -> Mapping[str, str]:
    return {"python": python_version(), "numpy": np.__version__}


def open_model(request: Request) -> "Function":
    if request.features:
        raise NoFeatures("a function shows no layers")
    if request.path is not None:
        return Function(from_file(request.path, request.entry))
    module, _, name = request.entry.rpartition(":")
    return Function(from_module(module, name))


class Function:
    """A function that takes a batch of raw samples and returns labels, numbers, or a row of probabilities each."""

    classes = None
    takes = Takes(dtype=None, raw=True)

    def __init__(self, function: Callable[[Array], Any]) -> None:
        self._function = function

    def run(self, inputs: Array) -> Raw:
        return Raw(np.asarray(self._function(inputs)))


def from_module(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that can be imported, from the folder of the call too."""
    return function_of(imported(module), name, module)


def source_of(module: str) -> Path | None:
    """The file of a module, if it has one."""
    file = getattr(imported(module), "__file__", None)
    return None if file is None else Path(file)


def from_file(path: Path, name: str) -> Callable[..., Any]:
    """A function of a file that need not be in a package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.exists():
        raise InputError(f"{path} is not a Python file; check the path")
    module = importlib.util.module_from_spec(spec)
    with parsing(path, "correct the file"):
        spec.loader.exec_module(module)
    return function_of(module, name, path.name)
