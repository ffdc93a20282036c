"""A surrogate for the truth from the pool as a whole: shares of the vote, or mean probabilities."""

from collections.abc import Iterator

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.kernels import kernel
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.votes import codes_of

BLOCK = 4096  # samples computed together


def probability_right(predictions: Predictions, *, soft: bool) -> Iterator[tuple[slice, FloatArray]]:
    """Blocks of samples, each with (models, samples): the probability under the surrogate that a prediction is right.

    This is the share of models with the same prediction, or with `soft` the mean over models of the probability of that
    class, where probabilities are given. nan where a prediction is missing, or all probabilities are; 0 for an
    abstention, which is no vote either.

    >>> pool = Predictions(np.array([[0, 1], [0, 0], [0, 1]]), ("a", "b", "c"), range(2), ("x", "y"))
    >>> [share.round(2).tolist() for _, share in probability_right(pool, soft=True)]
    [[[1.0, 0.67], [1.0, 0.33], [1.0, 0.67]]]
    """
    codes, classes = codes_of(predictions), len(predictions.classes or ())
    for start in range(0, len(predictions.samples), BLOCK):
        block = slice(start, start + BLOCK)
        values = np.ascontiguousarray(codes[:, block])
        if soft and predictions.probabilities is not None:
            mean = mean_probabilities(predictions.probabilities[:, block])
            share = mean[np.arange(values.shape[1]), np.maximum(values, 0)]
        else:
            voters = np.maximum(np.count_nonzero(values >= 0, axis=0), 1)
            share = _co_voters(values, classes) / voters
        yield block, np.where(values == MISSING, np.nan, np.where(values < MISSING, 0.0, share))


def mean_probabilities(probabilities: Array) -> FloatArray:
    """(samples, classes): the mean over models that have any; nan where none has."""
    total, counted = np.zeros(probabilities.shape[1:]), np.zeros((probabilities.shape[1], 1))
    for rows in probabilities:
        known = ~np.isnan(rows).any(axis=1, keepdims=True)
        total += np.where(known, rows, 0.0)
        counted += known
    with np.errstate(invalid="ignore"):
        return np.asarray(total / counted)


@kernel
def _co_voters(rows: Array, classes: int) -> Array:
    """(models, samples): how many models have the same prediction as this one; 0 where it names no class."""
    models, samples = rows.shape
    company, count = np.zeros((models, samples), dtype=np.int32), np.zeros(classes, dtype=np.int32)
    for sample in range(samples):
        for model in range(models):
            if rows[model, sample] >= 0:
                count[rows[model, sample]] += 1
        for model in range(models):
            if rows[model, sample] >= 0:
                company[model, sample] = count[rows[model, sample]]
        for model in range(models):
            if rows[model, sample] >= 0:
                count[rows[model, sample]] = 0
    return company
