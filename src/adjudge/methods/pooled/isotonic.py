"""Isotonic regression of a few numbers, without scipy.optimize, which takes longer to import than all else here."""

import numpy as np

from adjudge.core.arrays import FloatArray


def nondecreasing(values: FloatArray) -> FloatArray:
    """The nearest numbers, in squares, that never fall: neighbors that do are replaced by their mean.

    References
    ----------
    F. M. T. A. Busing 2022, "Monotone Regression: A Simple and Fast O(n) PAVA Implementation". Algorithm 1, doi
    10.18637/jss.v102.c01

    Examples
    --------
    >>> nondecreasing(np.array([1.0, 3.0, 2.0, 4.0])).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    rest = values[::-1].tolist()  # the next one last
    mean: list[float] = []  # of each block
    size: list[int] = []
    while rest:
        mean.append(rest.pop())
        size.append(1)
        if len(mean) > 1 and mean[-2] >= mean[-1]:
            total = size[-2] * mean[-2] + mean[-1]
            _merge(mean, size, total)
            while rest and mean[-1] >= rest[-1]:
                total += rest.pop()
                size[-1] += 1
                mean[-1] = total / size[-1]
            while len(mean) > 1 and mean[-2] >= mean[-1]:
                total += size[-2] * mean[-2]
                _merge(mean, size, total)
    return np.repeat(mean, size)


def _merge(mean: list[float], size: list[int], total: float) -> None:
    """Make one block of the last two, whose numbers have this sum."""
    count = size.pop()
    mean.pop()
    size[-1] += count
    mean[-1] = total / size[-1]
