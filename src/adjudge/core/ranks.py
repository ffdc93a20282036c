"""Ranks from values: 1 is best, ties share a rank."""

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray

TIE_DIGITS = 12  # values that agree to this many decimals are tied: sums of floats differ in the last bits


def competition_rank(value: FloatArray) -> IntArray:
    """1 for the best; ties share the better rank; an unknown value (nan) comes last.

    >>> competition_rank(np.array([0.5, 0.9, 0.5, np.nan]))
    array([2, 1, 2, 4])
    """
    rounded = np.where(np.isnan(value), -np.inf, np.round(value, TIE_DIGITS))
    ascending = np.sort(rounded)
    return len(value) - np.searchsorted(ascending, rounded, side="right") + 1


def ranks_by_value(values: FloatArray) -> FloatArray:
    """(..., models): `competition_rank` along the last axis; nan where no model has a value.

    >>> ranks_by_value(np.array([[0.5, 0.9], [np.nan, np.nan]]))
    array([[ 2.,  1.],
           [nan, nan]])
    """
    ranks = np.apply_along_axis(competition_rank, -1, values).astype(np.float64)
    ranks[np.isnan(values).all(axis=-1)] = np.nan
    return ranks
