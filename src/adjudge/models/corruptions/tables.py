"""Shift in tables of numbers: cells that are not known, measurements that are not exact."""

from collections.abc import Iterable

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.models.corruptions.chance import normal, uniform

MISSING = (0.05, 0.12, 0.22, 0.35, 0.50)  # of the cells
NOISE = (0.1, 0.25, 0.5, 0.9, 1.5)  # standard deviations of the column


def missing_values(rows: Array, severity: int, keys: Array, spread: FloatArray) -> Array:
    """Cells that become nan."""
    gone = uniform(keys, rows.shape[1]) < MISSING[severity - 1]
    return np.where(gone, np.nan, rows)


def feature_noise(rows: Array, severity: int, keys: Array, spread: FloatArray) -> Array:
    """Noise in each cell, in proportion to the spread of its column."""
    return np.asarray(rows + NOISE[severity - 1] * spread * normal(keys, rows.shape[1]))


def spread_of(batches: Iterable[Array], columns: int) -> FloatArray:
    """(columns,): the standard deviation of each, over all batches; 0 where a column has no two values."""
    count, mean, squares = np.zeros(columns), np.zeros(columns), np.zeros(columns)
    for rows in batches:
        known = ~np.isnan(rows)
        here = known.sum(axis=0)
        total = np.where(known, rows, 0.0).sum(axis=0)
        center = np.divide(total, here, out=np.zeros(columns), where=here > 0)
        away = center - mean
        both = np.maximum(count + here, 1)
        squares += (np.where(known, rows - center, 0.0) ** 2).sum(axis=0) + away**2 * count * here / both
        mean += away * here / both
        count += here
    return np.sqrt(squares / np.maximum(count, 1))
