"""DeepGini: samples about which models are unsure, first, in the two forms that SDS compares with."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, PlannedPicker
from adjudge.core.votes import joined
from adjudge.errors import InputError


@dataclass(frozen=True)
class DDG:
    """Label the samples with the highest Gini impurity of their predicted probabilities.

    The impurity of a model's probabilities p is 1 - sum p^2.

    Parameters
    ----------
    over
        The score of a sample is the highest over models ("max"), or the lowest ("min"); the authors of SDS report the
        better of both.

    References
    ----------
    Y. Feng et al. 2020, "DeepGini: Prioritizing Massive Tests to Enhance the Robustness of Deep Neural Networks".
    https://doi.org/10.1145/3395363.3397357
    """

    over: str = "max"
    reference: ClassVar[str] = "Feng et al. 2020 (DeepGini)"
    needs: ClassVar[tuple[str, ...]] = ("probabilities",)
    draws: ClassVar[bool] = False
    ranker: ClassVar[str] = "labeled"
    by_parts: ClassVar[bool] = True

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        return PlannedPicker(np.argsort(-impurity(predictions, self.over), kind="stable"))


@dataclass(frozen=True)
class RDG:
    """Label samples picked at random from the quarter with the highest Gini impurity.

    Impurity as in `ddg`. When the candidates run out, the other samples follow by impurity.

    Parameters
    ----------
    over
        As in `ddg`.
    candidates
        The share of samples to draw from (SDS, Section IV-B).

    References
    ----------
    Y. Feng et al. 2020, "DeepGini: Prioritizing Massive Tests to Enhance the Robustness of Deep Neural Networks".
    https://doi.org/10.1145/3395363.3397357
    """

    over: str = "max"
    candidates: float = 0.25
    reference: ClassVar[str] = "Feng et al. 2020 (DeepGini); SDS, Section IV-B"
    needs: ClassVar[tuple[str, ...]] = ("probabilities",)
    draws: ClassVar[bool] = False
    ranker: ClassVar[str] = "labeled"
    by_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.candidates <= 1:
            raise InputError(f"`candidates` of rdg is {self.candidates:g}; give a share above 0 and up to 1")

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        most_first = np.argsort(-impurity(predictions, self.over), kind="stable")
        size = max(1, int(self.candidates * len(most_first)))
        chosen = np.random.default_rng(seed).permutation(most_first[:size])
        return PlannedPicker(np.concatenate([chosen, most_first[size:]]))


def impurity(predictions: Predictions, over: str) -> FloatArray:
    """(samples,): the highest or lowest Gini impurity that any model has; 0 where no model has probabilities."""
    if over not in ("max", "min"):
        raise InputError(f"`over` of DeepGini is {over!r}; give 'max' or 'min'")
    predictions.needed_probabilities("DeepGini")
    return joined(predictions.over_parts(partial(_impurity, over)))


def _impurity(over: str, part: Predictions) -> tuple[FloatArray]:
    each = [1 - np.square(rows, dtype=np.float64).sum(axis=1) for rows in part.needed_probabilities("DeepGini")]
    extreme = np.fmax.reduce(each) if over == "max" else np.fmin.reduce(each)
    return (np.asarray(np.nan_to_num(extreme)),)
