"""Packages that are installed only by those who need them."""

from importlib import import_module
from typing import Any

from adjudge.errors import InputError


def extra(module: str, name: str, purpose: str) -> Any:
    """A module of an optional extra; where it is missing, one sentence with the command that installs it.

    >>> extra("json", "none", "reading settings").loads("[1]")
    [1]
    """
    try:
        return import_module(module)
    except ImportError as problem:
        missing = problem.name or module
        raise InputError(
            f'{purpose} needs {missing}, which is not installed; run: pip install "adjudge[{name}]"'
        ) from problem
