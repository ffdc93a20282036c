"""Agreement with the majority vote: the simplest ranking without labels."""

from dataclasses import dataclass
from typing import ClassVar

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.votes import vote_agreement


@dataclass(frozen=True)
class Agreement:
    """Rank models by the share of the majority vote that they hold.

    A tied vote is split between the tied classes, and a label counts as the whole vote.
    Where the majority is wrong, so is this ranking: it has no interval.

    Examples
    --------
    >>> import numpy as np
    >>> pool = Predictions(np.array([[0, 1], [0, 0], [0, 1]]), ("a", "b", "c"), range(2), ("x", "y"))
    >>> Agreement().rank(pool, Labels.empty(2)).rank.tolist()
    [1, 3, 1]
    """

    reference: ClassVar[str] = "majority voting (SDS, Section VI-E)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    returns: ClassVar[str] = "agreement, no interval"
    by_parts: ClassVar[bool] = True

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        share = vote_agreement(predictions, labels)
        return Ranking.from_log(predictions.models, Estimate.without_interval(share, "agreement"), labels)
