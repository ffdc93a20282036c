"""Tiers: a leader and all models down to the last one that is not clearly worse than it; and the order of models."""

from collections.abc import Callable
from heapq import heapify, heappop, heappush

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray

UNKNOWN = 0  # the tier of a model about which nothing is known


def tiers(value: FloatArray, clearly_worse: Callable[[IntArray, int], BoolArray]) -> IntArray:
    """A tier reaches down to the last model that is not clearly worse than its leader.

    So every model below a tier is clearly worse than its leader. A model inside a tier may be clearly worse too, if one
    with a lower value is not. A model about which nothing is known (nan) has no tier.

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


def topological_places(key: FloatArray, worse: BoolArray) -> IntArray:
    """(models,): places of a topological sort by key, lowest first: each model comes after those clearly better.

    `worse` is (models, models) and acyclic. Equal keys that become ready together share a place.

    >>> worse = np.array([[False, False, True], [False, False, False], [False, False, False]])
    >>> topological_places(np.array([0.1, 0.2, 0.3]), worse)
    array([2, 0, 1])
    """
    place, turn, waits = np.zeros(len(key), dtype=np.int64), 0, worse.sum(axis=1)
    ready = [(key[model], model) for model in np.flatnonzero(waits == 0).tolist()]
    heapify(ready)
    while ready:
        lowest, first = heappop(ready)
        together = [first]
        while ready and ready[0][0] == lowest:
            together.append(heappop(ready)[1])
        place[together] = turn
        turn += 1
        freed = worse[:, together].sum(axis=1)
        waits -= freed
        for model in np.flatnonzero((freed > 0) & (waits == 0)).tolist():
            heappush(ready, (key[model], model))
    return place
