"""Vote entropy (query by committee): samples on which the models disagree most, first."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import TIE_DIGITS, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, PlannedPicker
from adjudge.core.votes import joined
from adjudge.methods.surrogate import probability_right


@dataclass(frozen=True)
class VoteEntropy:
    """Label the samples on which the vote of the models has the highest entropy.

    With v_c the share of the votes for class c, the entropy is - sum v_c log v_c. The seed breaks ties. It can find the
    best of many good models within a few labels, and be far worse than random draws where all models are often wrong.

    References
    ----------
    I. Dagan and S. P. Engelson 1995, "Committee-Based Sampling for Training Probabilistic Classifiers". ICML, 150-157.

    Examples
    --------
    >>> pool = Predictions(np.array([[0, 1], [0, 0], [0, 1]]), ("a", "b", "c"), range(2), ("x", "y"))
    >>> VoteEntropy().entropy(pool).round(3)
    array([0.   , 0.637])
    """

    reference: ClassVar[str] = "query by committee: Dagan & Engelson 1995 (vote entropy)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    draws: ClassVar[bool] = False
    ranker: ClassVar[str] = "labeled"
    by_parts: ClassVar[bool] = True

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        entropy = self.entropy(predictions)
        shuffled = np.random.default_rng(seed).permutation(len(entropy))
        return PlannedPicker(shuffled[np.argsort(-entropy[shuffled], kind="stable")])

    def entropy(self, predictions: Predictions) -> FloatArray:
        """(samples,): of the vote; 0 where all predictions are missing."""
        return joined(predictions.over_parts(_entropy))


def _entropy(part: Predictions) -> tuple[FloatArray]:
    found = np.zeros(len(part.samples))
    for block, share in probability_right(part, soft=False):
        present = np.maximum(np.count_nonzero(share > 0, axis=0), 1)  # the mean over models is that over votes
        found[block] = -np.log(np.where(share > 0, share, 1.0)).sum(axis=0) / present
    return (np.abs(found).round(TIE_DIGITS),)  # no -0.0, and no ties broken by the last bits
