"""What missing predictions leave open about which model is best: they may be right or wrong, and nobody knows.

A model is judged on the samples that it predicts. Which one is best on the pool depends on its other samples too. With
e the mean loss of a model over the samples that it predicts, and m the share of samples that it lacks, its mean loss
over all of them is between (1 - m) e and (1 - m) e + m, and nothing more is known (Manski 1989). So the difference of
two such means is between

    e_a - e_b - m_a e_a - m_b (1 - e_b)   and   e_a - e_b + m_a (1 - e_a) + m_b e_b.

What is likely is another question. A run that was cut off may have seen the easy samples only, so models are ordered as
if each did as well on the samples that it lacks as the others do there, but for how much better or worse than them it
does elsewhere (`shift_by_others`).

References
----------
C. F. Manski 1989, "Anatomy of the Selection Problem". Journal of Human Resources 24(3).
"""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.predictions import Predictions
from adjudge.core.votes import joined
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.ranks import TINY, Interval, PairwiseDifferences
from adjudge.inference.stratum import KnownLosses, ratio

LITTLE = 0.1  # share of predictions that a model may lack to be compared with


@dataclass(frozen=True, eq=False)
class MissingPredictions:
    """Arrays are (models,)."""

    share: FloatArray  # of the samples that some model predicts and that can be labeled, those that the model lacks
    low: FloatArray  # bounds of the mean loss over the samples that it predicts, whatever open labels will be
    high: FloatArray

    @classmethod
    def of(cls, mean: PoolMean, present: FloatArray, *, ties: bool = False) -> "MissingPredictions":
        """Where not all samples are labeled.

        `present` is on how many samples each model can be judged at least. `ties` says that they include open samples
        that nobody can label, and that the difference is about all of these. The bounds on mean losses, which are about
        the others, do not bound what gaps change in it.
        """
        lacks, nothing = n_lacking(mean.predictions), np.zeros(len(present))
        if not lacks.any():
            return cls(nothing, nothing, nothing + 1)
        _, low, high = (None, nothing, nothing + 1) if ties else mean.within(nothing, nothing, nothing + 1)
        return cls(_unknown(ratio(lacks, lacks + present), mean.bounded), *_certain(low, high))

    @classmethod
    def exact(cls, known: KnownLosses, error: FloatArray, *, bounded: bool) -> "MissingPredictions":
        """Where all samples are labeled, and the mean losses are known."""
        judged = known.observed.any(axis=0).sum()
        return cls(_unknown(1 - known.observed.sum(axis=1) / max(judged, 1), bounded), *_certain(error, error))

    def only(self, models: IntArray) -> "MissingPredictions":
        return MissingPredictions(self.share[models], self.low[models], self.high[models])

    @property
    def any(self) -> bool:
        return bool((self.share != 0).any())

    @property
    def least(self) -> FloatArray:
        """The smallest possible mean loss over all samples."""
        return (1 - self.share) * self.low

    @property
    def most(self) -> FloatArray:
        return (1 - self.share) * self.high + self.share

    @property
    def regret(self) -> FloatArray:
        """By how much each may be worse than another one at most."""
        least, second = np.append(np.sort(self.least), np.inf)[:2]
        others = np.where(np.arange(len(self.least)) == np.argmin(self.least), second, least)
        return np.asarray(np.maximum(self.most - others, 0.0))

    def lower(self, one: Array, other: Array | int) -> FloatArray:
        """By how much the difference may be lower than on the samples that each predicts; the positions broadcast."""
        return np.asarray(self.share[one] * self.high[one] + self.share[other] * (1 - self.low[other]))

    def higher(self, one: Array, other: Array) -> FloatArray:
        return self.lower(other, one)


@dataclass(frozen=True, eq=False)
class PoolDifferences:
    """Differences between the models' losses over all samples, from those over the samples that each predicts."""

    judged: PairwiseDifferences
    missing: MissingPredictions

    def between(self, left: Array, right: Array) -> Interval:
        value, low, high = self.judged.between(left, right)
        if not self.missing.any:
            return value, low, high
        itself, pair = left[:, None] == right[None, :], (left[:, None], right[None, :])
        low = np.maximum(low - np.where(itself, 0.0, self.missing.lower(*pair)), -1.0)
        return value, low, np.minimum(high + np.where(itself, 0.0, self.missing.higher(*pair)), 1.0)

    def worse(self, left: Array, right: Array) -> BoolArray:
        found = self.judged.worse(left, right)
        missing = self.missing.share != 0
        doubtful = found & (missing[left][:, None] | missing[right][None, :])
        rows, columns = np.flatnonzero(doubtful.any(axis=1)), np.flatnonzero(doubtful.any(axis=0))
        if rows.size:
            low = self.between(left[rows], right[columns])[1]
            found[np.ix_(rows, columns)] &= (low > TINY) | ~doubtful[np.ix_(rows, columns)]
        return found


def shift_by_others(sums: FloatArray) -> FloatArray:
    """(models,): what to add to means over the samples that each model predicts, from `sums_of_others`.

    >>> right, present = np.array([[1.0, 1, 0, 0], [1, 0, 0, 0]]), np.array([[True] * 4, [True, True, False, False]])
    >>> shift_by_others(sums_of_others(right, present, np.ones(4), lacking=np.array([0.0, 0.5])))
    array([ 0. , -0.5])
    """
    own, of_own, lacked, of_lacked = sums
    shift = ratio(of_lacked, of_own + of_lacked) * (ratio(lacked, of_lacked) - ratio(own, of_own))
    return np.nan_to_num(shift)


def sums_of_others(right: FloatArray, present: BoolArray, weight: Array, lacking: FloatArray) -> FloatArray:
    """(4, models): sums of what the other models do, and their weights, where a model has a prediction and where not.

    `right` and `present` are (models, samples), and a sample counts `weight` times. The others are those that lack
    little (`share_lacking`), so that they are nearly the same ones everywhere, and not only a few that lack nothing.
    """
    found, reference = np.zeros((4, len(right))), lacking <= max(LITTLE, lacking.min())
    counts, total = np.count_nonzero(present[reference], axis=0), (right * present)[reference].sum(axis=0)
    for model in np.flatnonzero(lacking):
        itself = present[model] & reference[model]
        others = counts - itself
        mean = np.where(others > 0, total - right[model] * itself, 0.0) / np.maximum(others, 1)
        for place, where in ((0, present[model]), (2, ~present[model])):
            counted = weight * (where & (others > 0))
            found[place : place + 2, model] = counted @ mean, counted.sum()
    return found


def n_lacking(predictions: Predictions) -> IntArray:
    """(models,): the samples that some model predicts, and this one does not."""
    if (predictions.n_predicted == predictions.values.shape[1]).all():
        return np.zeros(len(predictions.models), dtype=np.int64)

    def counted() -> IntArray:
        return np.asarray(np.count_nonzero(predicted(predictions)) - predictions.n_predicted)

    return cache.get(predictions, "lacking", counted)


def share_lacking(predictions: Predictions) -> FloatArray:
    """(models,): the same, as a share of the samples that some model predicts."""
    lacking = n_lacking(predictions)
    return np.asarray(lacking / np.maximum(lacking + predictions.n_predicted, 1))


def predicted(predictions: Predictions) -> BoolArray:
    """(samples,): whether some model predicts the sample."""
    return joined(predictions.over_parts(_predicted))


def _predicted(part: Predictions) -> tuple[BoolArray]:
    found = np.zeros(part.values.shape[1], dtype=bool)
    for row in part.values:
        found |= part.is_present(row)
    return (found,)


def _unknown(share: FloatArray, bounded: bool) -> FloatArray:
    """Of a loss without a range, a missing prediction tells nothing at all."""
    share = np.nan_to_num(share, nan=1.0)
    return share if bounded else np.where(share > 0, np.nan, 0.0)


def _certain(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)
