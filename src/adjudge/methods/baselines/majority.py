"""Accuracy against the majority vote, with one winner for every vote."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.votes import added, vote_agreement, votes

NO_WINNER = np.iinfo(np.int32).min  # of a vote that stays tied: no prediction is equal to it
CLOSE = 1e-9  # mean vote shares that differ by less are equal: sums of floats differ in the last bits


@dataclass(frozen=True)
class Majority:
    """Rank models by their accuracy against the label that most models voted for.

    The accuracy of a model is the mean of [prediction = winner of the vote] over the samples that it has a prediction
    for. A tied vote is won by the tied class whose voters have the higher mean value of `agreement`; classes that are
    equal even then share the win. This depends neither on class codes nor on the order of samples. A label is the
    winner of its sample.

    Parameters
    ----------
    lowest_code
        Whether the lowest code wins a tied vote, as in the programs of the authors of LaF.

    References
    ----------
    L. Meng et al. 2021, "Measuring Discrimination to Boost Comparative Testing for Multiple Deep Learning Models".
    https://doi.org/10.1109/ICSE43902.2021.00045

    Examples
    --------
    >>> pool = Predictions(np.array([[0, 1, 1], [0, 1, 0], [0, 0, 1]]), ("a", "b", "c"), range(3), ("x", "y"))
    >>> Majority().rank(pool, Labels.empty(3)).estimate.value.round(3)
    array([1.   , 0.667, 0.667])
    """

    lowest_code: bool = False
    reference: ClassVar[str] = "majority voting as the truth (SDS, Section VI-E)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    returns: ClassVar[str] = "accuracy against the vote, no interval"
    by_parts: ClassVar[bool] = True

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        everywhere = np.ones(labels.pool, dtype=bool)
        value = accuracy_against_vote(predictions, labels, everywhere, lowest_code=self.lowest_code)
        return Ranking.from_log(
            predictions.models, Estimate.without_interval(value, "accuracy against the vote"), labels
        )


def accuracy_against_vote(
    predictions: Predictions, labels: Labels, counted: BoolArray, *, lowest_code: bool
) -> FloatArray:
    """(models,): how often a model predicts the winner of the vote, over the samples that are `counted`.

    nan for a model without predictions there.
    """
    strength = None if lowest_code else vote_agreement(predictions, labels)
    found = zip(*predictions.over_parts(partial(_wins, strength), labels.codes, counted), strict=True)
    wins, present = (added((each,) for each in column) for column in found)
    with np.errstate(invalid="ignore"):
        return np.asarray(wins / present)


def _wins(strength: FloatArray | None, part: Predictions, known: IntArray, counted: BoolArray) -> tuple[Array, Array]:
    """(models,) each: won votes, and predictions; `strength` of the models settles ties, None: the lowest code."""
    counted_votes, labeled = votes(part), known >= 0
    winner = np.where(counted_votes.majority >= 0, counted_votes.majority, NO_WINNER)
    winner[labeled] = known[labeled]
    wins, present = np.zeros(len(part.models)), np.zeros(len(part.models))
    if strength is not None:
        tied, classes = np.flatnonzero((counted_votes.tied > 1) & ~labeled), len(part.classes or ())
        _settle(part.values, classes, tied, counted_votes.top, strength, counted, winner, wins)
    for model, row in enumerate(part.values):
        wins[model] += np.count_nonzero(counted & (row == winner))
        present[model] = np.count_nonzero(counted & part.is_present(row))
    return wins, present


@kernel
def _settle(
    values: Array, classes: int, tied: Array, top: Array, strength: Array, counted: Array, winner: Array, wins: Array
) -> None:
    """Find the winner of each tied vote, or share the win between the models that voted for one of several."""
    models = values.shape[0]
    count, support = np.zeros(classes, dtype=np.int64), np.zeros(classes)
    ahead = np.zeros(models, dtype=np.bool_)
    for sample in tied:
        for model in range(models):
            code = values[model, sample]
            if code >= 0:
                count[code] += 1
                support[code] += strength[model]
        most = 0.0
        for model in range(models):
            code = values[model, sample]
            if code >= 0 and count[code] == top[sample]:
                most = max(most, support[code])  # tied classes have equally many voters: sums compare like means
        voters, winner[sample] = 0, NO_WINNER
        for model in range(models):
            code = values[model, sample]
            ahead[model] = code >= 0 and count[code] == top[sample] and support[code] > most - CLOSE
            voters += ahead[model]
        for model in range(models):
            if ahead[model] and voters == top[sample]:
                winner[sample] = values[model, sample]
            elif ahead[model] and counted[sample]:
                wins[model] += top[sample] / voters
        for model in range(models):
            code = values[model, sample]
            if code >= 0:
                count[code], support[code] = 0, 0.0
