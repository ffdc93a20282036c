"""Optional packages, which are installed as extras."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
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
        raise _missing(problem.name or module, name, purpose) from problem


def version_of(module: str, name: str, purpose: str, package: str | None = None) -> str:
    """The version of an optional package, without the time that its import takes; empty where it does not say.

    >>> version_of("json", "none", "reading settings")
    ''
    """
    if find_spec(module) is None:
        raise _missing(module, name, purpose)
    try:
        return version(package or module)
    except PackageNotFoundError:  # part of another package, or installed without being packed
        return ""


def _missing(module: str, name: str, purpose: str) -> InputError:
    return InputError(f'{purpose} needs {module}, which is not installed; run: pip install "adjudge[{name}]"')
