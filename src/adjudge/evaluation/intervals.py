"""Coverage and width of intervals."""

from math import nan

import numpy as np
from numpy.typing import ArrayLike

from adjudge.core.arrays import TIE_DIGITS

ROUNDING = 10.0**-TIE_DIGITS  # an interval of width 0 covers a truth that was summed in another order


def coverage(low: ArrayLike, high: ArrayLike, truth: ArrayLike) -> float:
    """The share of models whose interval covers the truth, among those that have an interval.

    An unknown bound or truth (nan) leaves the model out; nan when none is left.

    >>> coverage(low=[0.4, 0.7, nan], high=[0.6, 0.9, nan], truth=[0.5, 0.6, 0.5])
    0.5
    """
    lower, upper, value = (np.asarray(each, dtype=np.float64) for each in (low, high, truth))
    known = ~(np.isnan(lower) | np.isnan(upper) | np.isnan(value))
    held = (lower <= value + ROUNDING) & (value <= upper + ROUNDING)
    return float(held[known].mean()) if known.any() else nan


def mean_width(low: ArrayLike, high: ArrayLike) -> float:
    """The mean of high - low over the models that have an interval; nan when none has.

    >>> mean_width(low=[0.25, 0.5], high=[0.5, 1.0])
    0.375
    """
    width = np.asarray(high, dtype=np.float64) - np.asarray(low, dtype=np.float64)
    known = ~np.isnan(width)
    return float(width[known].mean()) if known.any() else nan
