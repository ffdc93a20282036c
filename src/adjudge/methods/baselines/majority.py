"""Accuracy against the majority vote, with one winner for every vote."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.votes import vote_share, votes

NOBODY = -2  # the winner of a vote that stays tied; -1 would match a missing prediction
CLOSE = 1e-9  # mean vote shares nearer than this are equal: sums of floats differ in the last bits


@dataclass(frozen=True)
class Majority:
    """Rank models by their accuracy against the label that most models voted for.

    The accuracy of a model is the mean of [what it said = winner of the vote] over the samples it
    spoke on. A tied vote is won by the tied class whose voters hold the higher mean share of the
    vote over the pool (the value of `agreement`); classes that are equal even then share the win.
    This looks neither at class codes nor at the order of samples. With `lowest_code` the lowest
    code wins instead, as in the authors' programs. A bought label is the winner of its sample.

    >>> pool = Predictions(np.array([[0, 1, 1], [0, 1, 0], [0, 0, 1]]), ("a", "b", "c"), range(3), ("x", "y"))
    >>> Majority().rank(pool, Labels.empty(3)).estimate.value.round(3)
    array([1.   , 0.667, 0.667])
    """

    lowest_code: bool = False
    reference: ClassVar[str] = "majority voting as the truth (SDS, Section VI-E)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    returns: ClassVar[str] = "accuracy against the vote, no interval"

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        everywhere = np.ones(labels.pool, dtype=bool)
        value = accuracy_against_vote(predictions, labels, everywhere, lowest_code=self.lowest_code)
        return Ranking.from_log(
            predictions.models, Estimate.without_interval(value, "accuracy against the vote"), labels
        )


def accuracy_against_vote(
    predictions: Predictions, labels: Labels, counted: BoolArray, *, lowest_code: bool
) -> FloatArray:
    """(models,): how often a model said the winner of the vote, over the samples that are `counted`.

    nan for a model that said nothing there.
    """
    poll = votes(predictions)
    winner = np.where(poll.present > 0, poll.majority, NOBODY)
    winner[labels.sample[labels.usable]] = labels.value[labels.usable]
    held = np.zeros(len(predictions.models))
    if not lowest_code:
        tied = poll.tied > 1
        tied[labels.sample[labels.usable]] = False
        assert predictions.classes is not None  # or else there would be no votes
        classes, strength = len(predictions.classes), vote_share(predictions, labels)
        _settle(predictions.values, classes, np.flatnonzero(tied), poll.top, strength, counted, winner, held)
    said = np.zeros(len(held))
    for model, row in enumerate(predictions.values):
        held[model] += np.count_nonzero(counted & (row == winner))
        said[model] = np.count_nonzero(counted & (row >= 0))
    with np.errstate(invalid="ignore"):
        return np.asarray(held / said)


@kernel
def _settle(
    values: Array, classes: int, tied: Array, top: Array, strength: Array, counted: Array, winner: Array, held: Array
) -> None:
    """Name the winner of each tied vote, or let the models that voted for one of several hold equal parts of it."""
    models = values.shape[0]
    count, backing = np.zeros(classes, dtype=np.int64), np.zeros(classes)
    ahead = np.zeros(models, dtype=np.bool_)
    for sample in tied:
        for model in range(models):
            code = values[model, sample]
            if code >= 0:
                count[code] += 1
                backing[code] += strength[model]
        most = 0.0
        for model in range(models):
            code = values[model, sample]
            if code >= 0 and count[code] == top[sample]:
                most = max(most, backing[code])  # tied classes have equally many voters: sums compare like means
        backers, winner[sample] = 0, NOBODY
        for model in range(models):
            code = values[model, sample]
            ahead[model] = code >= 0 and count[code] == top[sample] and backing[code] > most - CLOSE
            backers += ahead[model]
        for model in range(models):
            if ahead[model] and backers == top[sample]:
                winner[sample] = values[model, sample]
            elif ahead[model] and counted[sample]:
                held[model] += top[sample] / backers
        for model in range(models):
            code = values[model, sample]
            if code >= 0:
                count[code], backing[code] = 0, 0.0
