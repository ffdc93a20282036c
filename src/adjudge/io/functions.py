"""A function of Python by its name: package.module:function."""

import importlib
import sys
from collections.abc import Callable
from typing import Any

from adjudge.errors import InputError


def imported(module: str) -> Any:
    """A module that can be imported, from the folder of the call too."""
    if "" not in sys.path:
        sys.path.append("")  # last, so that no file of the folder stands in for a library
    try:
        return importlib.import_module(module)
    except Exception as problem:  # a module may raise anything
        raise InputError(f"the module {module!r} cannot be imported ({problem}); check its name and path") from problem


def function_of(module: Any, name: str, where: str) -> Callable[..., Any]:
    """A function of a module; `where` names the module for messages."""
    found = getattr(module, name, None)
    if not callable(found):
        raise InputError(f"{where} has no function {name!r}; check the name after the colon")
    function: Callable[..., Any] = found
    return function
