"""Active testing: importance sampling of the samples on which models are expected to err."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions, place_of
from adjudge.core.sampling import Picker, check_floor, draw_weighted
from adjudge.methods.surrogate import probability_right


@dataclass(frozen=True)
class ActiveTesting:
    """Draw samples with a chance that grows with the expected error of the models.

    The surrogate for the truth is the mean of the models' probabilities, or their votes where there are none. A
    sample's score is the probability under it that one model is wrong (`model`), or the mean over all models. With r
    open samples the probability of a draw is

        q = (1 - floor) * score / (sum of open scores) + floor / r,

    without replacement. `drawn` gives the unbiased LURE estimate.

    Parameters
    ----------
    model
        The model whose errors count; None: those of all models.
    floor
        Not in the paper: mistakes that all models share have a score near zero, and intervals that allow for them need
        a floor of about 0.3 (a test checks it).

    References
    ----------
    J. Kossen et al. 2021, "Active Testing: Sample-Efficient Model Evaluation". arXiv 2103.05331

    Examples
    --------
    >>> pool = Predictions(np.array([[0, 1], [0, 0], [0, 1]]), ("a", "b", "c"), range(2), ("x", "y"))
    >>> ActiveTesting().score(pool).round(3)
    array([0.   , 0.444])
    """

    model: str | None = None
    floor: float = 0.3
    reference: ClassVar[str] = "Kossen et al. 2021 (Active Testing, arXiv 2103.05331)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    draws: ClassVar[bool] = True
    ranker: ClassVar[str] = "drawn"

    def __post_init__(self) -> None:
        check_floor("active-testing", self.floor)

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        return partial(draw_weighted, score=self.score(predictions), floor=self.floor, seed=seed)

    def score(self, predictions: Predictions) -> FloatArray:
        """(samples,): the expected error; 0 where all predictions are missing."""
        models = slice(None) if self.model is None else [place_of(self.model, predictions)]
        found = np.zeros(len(predictions.samples))
        for block, right in probability_right(predictions, soft=True):
            wrong = 1 - right[models]
            present = np.count_nonzero(~np.isnan(wrong), axis=0)
            found[block] = np.nan_to_num(wrong).sum(axis=0) / np.maximum(present, 1)
        return np.maximum(found, 0.0)  # probabilities may sum to a little more than 1
