"""The majority vote without one of its voters, for each model."""

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.kernels import exact_kernel
from adjudge.core.predictions import Predictions
from adjudge.core.tally import counters
from adjudge.core.votes import Votes


def vote_without_a_backer(predictions: Predictions, counted: Votes) -> Array:
    """(samples,): the vote of the others, for a model that predicts the majority class; -1 if it is tied."""
    assert predictions.classes is not None
    values, counts = predictions.values, counters(predictions.values, len(predictions.classes))
    alone = np.where((counted.tied == 1) & (counted.top > 1), counted.majority, -1)
    _take_one_from_the_majority(values, counts, counted.top, counted.tied, counted.majority, alone)
    return alone


@exact_kernel
def _take_one_from_the_majority(
    values: Array, counts: Array, top: Array, tied: Array, majority: Array, left: Array
) -> None:
    models, samples = values.shape
    block = counts.shape[0]
    for start in range(0, samples, block):
        stop = min(start + block, samples)
        for model in range(models):
            for sample in range(start, stop):
                code = values[model, sample]
                if code >= 0:
                    counts[sample - start, code] += 1
        for model in range(models):
            for sample in range(start, stop):
                code = values[model, sample]
                if code >= 0 and code != majority[sample]:
                    count = counts[sample - start, code]
                    if tied[sample] == 2 and count == top[sample]:
                        left[sample] = code
                    elif tied[sample] == 1 and count == top[sample] - 1:
                        left[sample] = -1
        for model in range(models):
            for sample in range(start, stop):
                code = values[model, sample]
                if code >= 0:
                    counts[sample - start, code] = 0


@exact_kernel
def vote_of_others(row: Array, majority: Array, tied: Array, backers: Array) -> Array:
    """(samples,): the majority class of the other models; -1 if tied, or if this model has no prediction."""
    vote = np.full(row.size, -1, dtype=np.int32)
    for sample in range(row.size):
        code = row[sample]
        if code < 0:
            continue
        if code == majority[sample]:
            vote[sample] = backers[sample]
        elif tied[sample] == 1 or (tied[sample] == 2 and code == backers[sample]):
            vote[sample] = majority[sample]
    return vote
