"""The chance of being best as labels came in, computed again at some lengths of the log."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled.posterior import chance_of_best

LENGTHS = 20  # of the log that are looked at; the work grows with them


@dataclass(frozen=True, eq=False)
class ChanceHistory:
    """What was said after so many labels."""

    labels: IntArray  # (lengths,)
    chance: FloatArray  # (lengths, models)


def chance_history(
    predictions: Predictions,
    labels: Labels,
    lengths: int = LENGTHS,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ChanceHistory:
    """The chance of being best at some lengths of the log, from no label to all, as it was said at each.

    `progress` is told how many lengths of how many are done.

    >>> pool = Predictions(np.array([[0, 1, 1, 0], [0, 1, 0, 1]]), ("a", "b"), range(4), ("x", "y"))
    >>> found = chance_history(pool, Labels.known(4, [2, 3], [1, 0]))
    >>> found.labels.tolist(), found.chance[-1].tolist()
    ([0, 1, 2], [1.0, 0.0])
    """
    log = labels.settled()
    ends = np.append(0, np.flatnonzero(log.usable) + 1)
    ends[-1] = len(log)  # with the skips behind the last label, as a ranking sees it
    places = np.unique(np.linspace(0, len(ends) - 1, lengths).round().astype(np.int64))
    chances = []
    for done, rows in enumerate(ends[places].tolist()):
        progress(done, len(places))
        chances.append(chance_of_best(predictions, log.head(rows)))
    progress(len(places), len(places))
    return ChanceHistory(places, np.array(chances))
