"""Cluster check: whether labels were drawn in whole clusters, such as all rows of a document, and not one by one."""

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions

SMALL = 0.05  # chance that two samples share a value; above it, the column is a domain, not the name of a cluster
TIMES, AT_LEAST = 3.0, 10.0  # times the expected pairs, and pairs more than expected: far beyond simple random draws


def clustered_by(predictions: Predictions, labels: Labels) -> str | None:
    """The column whose values the drawn samples share far more often than under simple random draws; None: no such.

    Intervals assume that rows are drawn one by one. Rows of one cluster resemble each other, so the effective sample
    size of a few whole clusters is smaller than the number of their rows.
    """
    drawn = labels.sample[labels.weight == 1]
    if predictions.columns is None or len(drawn) < 2:
        return None
    samples = len(predictions.samples)
    for name in predictions.columns.column_names:
        column = predictions.columns.column(name).combine_chunks()
        if column.null_count:
            continue
        group = np.asarray(column.dictionary_encode().indices)
        shared = _pairs(np.bincount(group)) / max(_pairs(np.array([samples])), 1.0)
        expected = shared * _pairs(np.array([len(drawn)]))
        found = _pairs(np.bincount(group[drawn]))
        if 0 < shared < SMALL and found > TIMES * expected + AT_LEAST:
            return str(name)
    return None


def _pairs(counts: IntArray) -> float:
    return float((counts * (counts - 1.0)).sum() / 2)
