"""Samples with the same predictions of all models: methods look at each such group once."""

from functools import partial

import numpy as np

from adjudge.core.arrays import Array, IntArray
from adjudge.core.kernels import exact_kernel, kernel
from adjudge.core.predictions import Predictions
from adjudge.core.votes import codes_of, joined

MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying loses no bits (the golden ratio in 64 bits)


def patterns(predictions: Predictions) -> tuple[IntArray, IntArray]:
    """Group samples with equal predictions of all models.

    Returns the position of the first sample of each group, and the group of each sample.

    >>> pool = Predictions(np.array([[0, 1, 0], [1, 1, 1]]), ("a", "b"), range(3), ("x", "y"))
    >>> first, group = patterns(pool)
    >>> group[0] == group[2], group[0] == group[1], len(first)
    (np.True_, np.False_, 2)
    """
    return _patterns_in_parts(predictions) if predictions.in_parts else column_patterns(codes_of(predictions))


def column_patterns(values: Array) -> tuple[IntArray, IntArray]:
    """The same for any codes of (models, samples)."""
    seed = np.uint64(1)
    while True:
        _, first, group = np.unique(_hash_columns(values, seed), return_index=True, return_inverse=True)
        if _same_columns(values, first[group]):
            return first, group
        seed += np.uint64(1)  # a hash collision: hash again


def _patterns_in_parts(predictions: Predictions) -> tuple[IntArray, IntArray]:
    """The same groups in the same order; a second hash stands for the predictions, which are not at hand together."""
    seed = 1
    while True:
        found = list(predictions.over_parts(partial(_hashes, seed)))
        hashes, others = (joined((each[place],) for each in found) for place in range(2))
        _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
        if np.array_equal(others, others[first[group]]):
            return first, group
        seed += 1


def _hashes(seed: int, part: Predictions) -> tuple[Array, Array]:
    values = codes_of(part)
    return _hash_columns(values, np.uint64(seed)), _hash_columns(values, ~np.uint64(seed))


@kernel
def _hash_columns(values: Array, seed: np.uint64) -> Array:
    models, samples = values.shape
    hashes = np.full(samples, seed, dtype=np.uint64)
    for model in range(models):
        for sample in range(samples):
            mixed = (hashes[sample] ^ np.uint64(values[model, sample] + 1)) * MIX
            hashes[sample] = mixed ^ (mixed >> np.uint64(29))
    return hashes


@exact_kernel
def _same_columns(values: Array, other: Array) -> bool:
    models, samples = values.shape
    for model in range(models):
        for sample in range(samples):
            if values[model, sample] != values[model, other[sample]]:
                return False
    return True
