"""Any function of Python: package.module:function, or file.py:function."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io.files import parsing
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
    return _function(_imported(module), name, module)


def source_of(module: str) -> Path | None:
    """The file of a module, if it has one."""
    file = getattr(_imported(module), "__file__", None)
    return None if file is None else Path(file)


def _imported(module: str) -> Any:
    if "" not in sys.path:
        sys.path.append("")  # last, so that no file of the folder stands in for a library
    try:
        return importlib.import_module(module)
    except Exception as problem:  # a module may raise anything
        raise InputError(f"the module {module!r} cannot be imported ({problem}); check its name and path") from problem


def from_file(path: Path, name: str) -> Callable[..., Any]:
    """A function of a file that need not be in a package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.exists():
        raise InputError(f"{path} is not a Python file; check the path")
    module = importlib.util.module_from_spec(spec)
    with parsing(path, "correct the file"):
        spec.loader.exec_module(module)
    return _function(module, name, path.name)


def _function(module: Any, name: str, where: str) -> Callable[..., Any]:
    found = getattr(module, name, None)
    if not callable(found):
        raise InputError(f"{where} has no function {name!r}; check the name after the colon")
    function: Callable[..., Any] = found
    return function
