"""Samples with the same predictions of all models are one pattern to the consensus; their features, block by block."""

from collections.abc import Iterator

import numpy as np

from adjudge.core.arrays import Array, IntArray
from adjudge.core.cache import cache
from adjudge.core.predictions import Predictions
from adjudge.methods.patterns import patterns
from adjudge.methods.pooled.design_matrix import DesignMatrix, design_matrix, with_confusion

BLOCK = 1 << 23  # predictions in a block
MIN_MODELS = 45  # a sample counts as at least this many predictions: its slots have up to 45 priors


def prediction_patterns(predictions: Predictions) -> tuple[IntArray, IntArray, IntArray]:
    """The first sample of each pattern, the pattern of each sample, and the number of samples of each pattern.

    Where models give probabilities, every sample is a pattern of its own.
    """

    def find() -> tuple[IntArray, IntArray, IntArray]:
        if predictions.probabilities is None:
            first, group = patterns(predictions)
        else:
            first = group = np.arange(predictions.values.shape[1])
        return first, group, np.bincount(group, minlength=len(first))

    return cache.get(predictions, "answer patterns", find)


def design_blocks(part: Predictions, confusion: Array) -> Iterator[tuple[int, DesignMatrix]]:
    """The features of all patterns of a pool, or of a part of one that has these confusion matrices.

    They come in blocks of bounded size, each with the place of its first pattern. If one is enough, it is cached.
    """
    columns, _, _ = prediction_patterns(part)
    size = max(1, BLOCK // max(len(part.models), MIN_MODELS))
    with_confusion(part, confusion)
    if len(columns) <= size:
        yield 0, cache.get(part, "design matrix", lambda: design_matrix(part, columns))
        return
    for start in range(0, len(columns), size):
        yield start, design_matrix(part, columns[start : start + size])
