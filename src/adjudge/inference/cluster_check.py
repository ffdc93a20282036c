"""Labels that come in whole groups, such as all rows of a document, and are said to be drawn one by one."""

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions

SMALL = 0.05  # chance that two samples share a value, above which a column is a domain, not the name of a group
TIMES, AT_LEAST = 3.0, 10.0  # so many times the expected pairs, and so many more: plain draws do not come near


def drawn_by_group(predictions: Predictions, labels: Labels) -> str | None:
    """The column whose values the drawn samples share far more often than plain draws would; None if there is none.

    Intervals take every draw for a new one. Rows of one group resemble each other, so a few whole groups tell less
    than as many rows drawn one by one.
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
