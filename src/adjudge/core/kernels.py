"""Compiled functions."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def kernel(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compile at first use, keep the machine code on disk, and let other threads run."""
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder to write to, as in some containers
        compiled = numba.njit(nogil=True)(function)
    return cast(Callable[Arguments, Result], compiled)
