"""Names for array types, and the lock that keeps shared arrays from being changed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def locked(array: Array) -> Array:
    """A read-only view: no copy, so that memory maps stay on disk."""
    view = array.view()
    view.flags.writeable = False
    return view


def smallest_code_type(classes: int) -> np.dtype[Any]:
    """The smallest signed integer type that holds the codes 0 .. classes - 1 and -1."""
    return np.dtype(np.int8 if classes <= 2**7 else np.int16 if classes <= 2**15 else np.int32)
