"""Which of two models is better, for all pairs of some models: guaranteed by the draws, or likely by the posterior."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.inference.ranks import TINY
from adjudge.losses.loss import Loss
from adjudge.methods.pooled.pooled import Pooled
from adjudge.methods.pooled.posterior import accuracy_draws


@dataclass(frozen=True, eq=False)
class PairwiseComparison:
    """(models, models): whether the first model is better than the second; all False where nothing tells."""

    models: IntArray  # positions in the pool
    guaranteed: BoolArray  # by the draws alone: for all pairs of the pool at once, at any time
    likely: BoolArray  # by the posterior: the interval of the difference, at `level` for each pair, is above zero
    same: BoolArray  # their predictions are the same
    level: float


def pairwise_comparison(
    predictions: Predictions, labels: Labels, ranking: Ranking, models: IntArray, loss: Loss | None = None
) -> PairwiseComparison:
    """Compare all pairs of some models.

    >>> pool = Predictions(np.array([[0, 1, 1, 0], [0, 1, 0, 1]]), ("a", "b"), range(4), ("x", "y"))
    >>> labels = Labels.known(4, [0, 1, 2, 3], [0, 1, 1, 0])
    >>> pairwise_comparison(pool, labels, Pooled().rank(pool, labels), np.arange(2)).guaranteed.tolist()
    [[False, True], [False, False]]
    """
    log, level = labels.settled(), ranking.estimate.level
    likely = np.zeros((len(models), len(models)), dtype=bool)
    if ranking.likely is not None and ranking.labels:
        accuracy, weight = accuracy_draws(predictions, log)
        for place, model in enumerate(models):
            likely[place] = (accuracy[model] > accuracy[models] + TINY) @ weight >= (1 + level) / 2
        leader, behind = models == ranking.order[0], ranking.likely.behind  # as in the table of the ranking
        likely[leader] = behind.low[models] > TINY
        likely[:, leader] = (behind.high[models] < -TINY)[:, None]
    values = [predictions.as_judged(predictions.values[model]).tobytes() for model in models]
    same = np.array([[one == other for other in values] for one in values])
    return PairwiseComparison(models, _guaranteed(predictions, log, loss, models, level), likely, same, level)


def _guaranteed(predictions: Predictions, log: Labels, loss: Loss | None, models: IntArray, level: float) -> BoolArray:
    nothing = np.zeros((len(models), len(models)), dtype=bool)
    try:
        worse = Pooled(loss=loss, level=level, anytime=True).rank(predictions, log).worse
    except (NotEnoughLabels, InputError):  # no draws, or a loss of which no range is stated
        return nothing
    return nothing if worse is None else np.asarray(worse[np.ix_(models, models)].T)
