"""Expansion weights: how many samples of the pool each row of a log stands for."""

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.inference.draws import draws_by_stratum


def expansion_weights(predictions: Predictions, labels: Labels) -> FloatArray:
    """(log rows,): weights w such that sum(w * x) over the log rows estimates the sum of x over the pool.

    The log has no pending rows. The estimate is the one behind every interval (`stratum_mean`): in a stratum, draw t
    with the share s_t, r_t open samples and the inverse-propensity weight w_t says that the sum is that of the rows
    known before it, plus r_t w_t times its own number. A row of a stratum without draws stands for itself.

    >>> from adjudge.core.labels import Pick
    >>> pool = Predictions(np.zeros((2, 6), dtype=int), ("a", "b"), range(6), ("x", "y"))
    >>> log = Labels.empty(6).add(Pick(0), 0).add(Pick(1, 1.0, seen=1), 0).add(Pick(2, 1.0, seen=2), 1)
    >>> expansion_weights(pool, log)
    array([1. , 2.5, 2.5])
    """
    weights = np.zeros(len(labels))
    for draws in draws_by_stratum(predictions, labels):
        weights[: draws.start] += draws.inside[: draws.start]
        # each later row of the stratum is known to the draws that were made when the log held it
        by_seen = np.zeros(len(labels) + 1)
        np.add.at(by_seen, draws.seen, draws.averaging_weight)
        known_to = by_seen[::-1].cumsum()[::-1][1:]
        weights[draws.start :] += np.where(draws.inside, known_to, 0.0)[draws.start :]
        weights[draws.rows] += draws.averaging_weight * draws.n_open * draws.weight
    return weights
