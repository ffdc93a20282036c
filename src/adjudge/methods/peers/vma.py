"""VMA: importance sampling of the samples on which models are expected to differ in loss."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, check_floor, draw_weighted
from adjudge.methods.surrogate import probability_right


@dataclass(frozen=True)
class VMA:
    """Draw samples with a chance that grows with the expected differences between models.

    The surrogate for the truth is the mean of the models' probabilities, or their votes where there are none. A
    sample's score is the sum over pairs of models of |expected loss of one - expected loss of the other|; with the H
    expected losses sorted, it is the sum over places j = 1 .. H of (2 j - H - 1) * loss_j. Draws are without
    replacement, with probability q = (1 - floor) * score / (sum of open scores) + floor / r for r open samples, and
    `drawn` gives the unbiased LURE estimate.

    Parameters
    ----------
    floor
        Samples on which the models agree are drawn by the floor alone; intervals that hold where all models are wrong
        together need a floor of about 0.3 (a test checks it).

    References
    ----------
    Matsuura and Hara 2023, "Active Model Selection: A Variance Minimization Approach".
    https://openreview.net/forum?id=vBwfTUDTtz

    Examples
    --------
    >>> pool = Predictions(np.array([[0, 1], [0, 0], [0, 1]]), ("a", "b", "c"), range(2), ("x", "y"))
    >>> VMA().score(pool).round(3)
    array([0.   , 0.667])
    """

    floor: float = 0.3
    reference: ClassVar[str] = "Matsuura & Hara 2023 (VMA)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    draws: ClassVar[bool] = True
    ranker: ClassVar[str] = "drawn"

    def __post_init__(self) -> None:
        check_floor("vma", self.floor)

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        return partial(draw_weighted, score=self.score(predictions), floor=self.floor, seed=seed)

    def score(self, predictions: Predictions) -> FloatArray:
        """(samples,): the sum over pairs of models with a prediction."""
        found = np.zeros(len(predictions.samples))
        place = np.arange(len(predictions.models))[:, None]
        for block, right in probability_right(predictions, soft=True):
            ordered = np.sort(right, axis=0)  # losses differ as the probabilities to be right do; nan last
            present = np.count_nonzero(~np.isnan(ordered), axis=0)
            found[block] = ((2 * place - present + 1) * np.nan_to_num(ordered)).sum(axis=0)
        return np.maximum(found, 0.0)  # rounding may leave a zero just below zero
