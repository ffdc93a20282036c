"""Frames of pandas and polars: what may be given as one, and rows handed back as one."""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, TypeAlias

from adjudge.errors import InputError

LIBRARIES = ("pandas", "polars")


class ArrowFrame(Protocol):
    """A frame of pandas or polars, or an Arrow table: what Arrow can read."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Frame: TypeAlias = Mapping[str, Any] | ArrowFrame  # a mapping holds one list for each column


def frame_of(columns: Mapping[str, Sequence[object]]) -> Any:
    """A frame of the library that is imported already, or else of the one that is installed; pandas comes first.

    >>> frame_of({"model": ["net"], "rank": [1]}).shape
    (1, 2)
    """
    for library in (*(name for name in LIBRARIES if name in sys.modules), *LIBRARIES):
        if find_spec(library) is not None:
            return import_module(library).DataFrame(dict(columns))
    raise InputError("a frame needs pandas or polars, and neither is installed; get one: pip install pandas")
