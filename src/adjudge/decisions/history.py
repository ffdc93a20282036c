"""The chance of being best as labels came in, computed again at some lengths of the log."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Likely
from adjudge.methods.pooled.expected_accuracy import expected_accuracy
from adjudge.methods.pooled.posterior import likely

LENGTHS = 20  # of the log that are looked at; the work grows with them


@dataclass(frozen=True, eq=False)
class ChanceHistory:
    """The chance of being best, and the number of labels it was computed from."""

    labels: IntArray  # (lengths,)
    chance: FloatArray  # (lengths, models)


def chance_history(
    predictions: Predictions,
    labels: Labels,
    now: Likely,
    lengths: int = LENGTHS,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ChanceHistory:
    """The chance of being best at some lengths of the log, recomputed for each; the last one is `now`.

    `progress` is told how many lengths of how many are done.

    >>> pool = Predictions(np.array([[0, 1, 1, 0], [0, 1, 0, 1]]), ("a", "b"), range(4), ("x", "y"))
    >>> labels = Labels.known(4, [2, 3], [1, 0])
    >>> found = chance_history(pool, labels, likely(pool, labels, np.array([0, 1])))
    >>> found.labels.tolist(), found.chance[-1].tolist()
    ([0, 1, 2], [1.0, 0.0])
    """
    log = labels.settled()
    ends = np.append(0, np.flatnonzero(log.usable) + 1)  # rows of the log with 0, 1, 2, ... labels
    counts = np.unique(np.linspace(0, len(ends) - 1, lengths).round().astype(np.int64))
    chances = []
    for done, rows in enumerate(ends[counts[:-1]].tolist()):
        progress(done, len(counts))
        head = log.head(rows)
        order = np.argsort(-np.nan_to_num(expected_accuracy(predictions, head)), kind="stable")
        chances.append(likely(predictions, head, order).chance_of_best)
    progress(len(counts), len(counts))
    return ChanceHistory(counts, np.array([*chances, now.chance_of_best]))
