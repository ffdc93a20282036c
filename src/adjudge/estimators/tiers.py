"""Tiers: groups of models that the labels cannot part from their leader."""

from collections.abc import Callable

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray

UNKNOWN = 0  # the tier of a model about which nothing is known


def tiers(value: FloatArray, clearly_worse: Callable[[IntArray, int], BoolArray]) -> IntArray:
    """A tier reaches down to the last model that is not clearly worse than its leader.

    So every model below a tier is clearly worse than that tier's leader. A model about which nothing is known belongs
    to none.

    >>> values = np.array([0.5, 0.9, 0.8, np.nan])
    >>> tiers(values, lambda below, leader: values[below] < values[leader] - 0.2)
    array([2, 1, 1, 0])
    """
    tier = np.where(np.isnan(value), UNKNOWN, 1)
    order = np.argsort(-value, kind="stable")[: np.count_nonzero(tier)]
    leader = 0
    while leader < len(order):
        same = np.flatnonzero(~clearly_worse(order[leader + 1 :], int(order[leader])))
        leader += 2 + int(same[-1]) if same.size else 1
        tier[order[leader:]] += 1
    return tier
