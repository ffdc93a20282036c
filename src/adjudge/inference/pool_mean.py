"""Mean losses over the whole pool, and paired differences between models, from the strata of the pool."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.predictions import Predictions
from adjudge.core.strata import REST
from adjudge.inference.convolution import convolution_interval
from adjudge.inference.influence import InfluenceValues, mean_differences
from adjudge.inference.intervals import guarded_variance, normal_quantile, student_quantile
from adjudge.inference.ranks import Interval
from adjudge.inference.stratum import KnownLosses, StratumMean, ratio


@dataclass(frozen=True, eq=False)
class PoolMean:
    """Stratified means; in a stratum without draws, every mean that its open samples allow is possible."""

    predictions: Predictions
    strata: list[StratumMean]
    known: KnownLosses
    sample: IntArray  # (log rows,)
    open_samples: IntArray  # (models,): samples that a model predicts and that were not handed out
    stated: bool  # whether no loss can be outside [0, 1]

    @cached_property
    def said(self) -> FloatArray:
        """(models,): on how many samples a model can be judged."""
        return np.asarray(sum(stratum.known_said + stratum.rest_said for stratum in self.strata))

    @cached_property
    def stratum_weights(self) -> list[FloatArray]:
        """(models,) for each stratum: the share of a model's samples that its rest holds."""
        return [np.nan_to_num(ratio(stratum.rest_said, self.said)) for stratum in self.strata]

    def over_pool(self, rests: list[FloatArray]) -> FloatArray:
        """(models,): the mean over the pool, given the means over the rest of each stratum."""
        known = ratio(np.sum([stratum.known_loss for stratum in self.strata], axis=0), self.said)
        each = [
            np.where(weight > 0, weight * rest, 0.0) for weight, rest in zip(self.stratum_weights, rests, strict=True)
        ]
        return np.asarray(known + np.sum(each, axis=0))

    @cached_property
    def error(self) -> FloatArray:
        return self.over_pool([stratum.means[0] for stratum in self.strata])

    @property
    def unsupported(self) -> BoolArray:
        """(models,): whether labels come only from where two models differ, which says nothing about a mean."""
        blind = [
            (weight > 0) & (stratum.draws.stratum == REST and not stratum.drawn)
            for stratum, weight in zip(self.strata, self.stratum_weights, strict=True)
        ]
        return np.asarray(np.any(blind, axis=0))

    def interval(self, level: float) -> Interval:
        """Convolution of the confidence distributions of the strata, clipped to what the labels leave possible."""
        if all(stratum.drawn for stratum in self.strata) and len(self.strata) > 1:
            in_dispute, unanimous = (
                stratum.confidence_distribution(weight)
                for stratum, weight in zip(self.strata, self.stratum_weights, strict=True)
            )
            known = self.over_pool([np.zeros(len(self.said))] * len(self.strata))
            low, high = (known + end for end in convolution_interval(in_dispute, unanimous, level))
        else:  # a stratum without draws has the interval [0, 1]
            ends = [stratum.interval(level) if stratum.drawn else _anything(stratum) for stratum in self.strata]
            low, high = (self.over_pool([each[side] for each in ends]) for side in (0, 1))
        low, high = np.fmin(low, self.error), np.fmax(high, self.error)
        if any(stratum.rest_unsure.any() for stratum in self.strata):  # stratum weights are estimated too
            moved = [(stratum.rest_mean - self.error) * stratum.rest_unsure for stratum in self.strata]
            beside = normal_quantile(level) * np.sqrt(np.nansum(np.square(moved), axis=0)) / np.maximum(self.said, 1)
            low = self.error - np.hypot(self.error - low, beside)
            high = self.error + np.hypot(high - self.error, beside)
        return self.within(self.error, low, high)

    def within(self, error: FloatArray, low: FloatArray, high: FloatArray) -> Interval:
        """Clip an estimate and its interval to what the labels leave possible; an unknown interval becomes that."""
        wrong, said = self.known.losses.sum(axis=1), self.known.said.sum(axis=1)
        at_least, at_most = np.zeros(len(error)), np.ones(len(error))
        if self.stated:
            total = said + self.open_samples
            at_least, at_most = ratio(wrong, total), ratio(wrong + self.open_samples, total)
        return (
            np.clip(error, at_least, at_most),
            np.clip(np.fmax(low, at_least), at_least, at_most),
            np.clip(np.fmin(high, at_most), at_least, at_most),
        )

    @property
    def variance(self) -> FloatArray:
        """(models,): the estimated variance of the mean; infinite where it cannot be estimated."""
        total = np.zeros(len(self.said))
        for stratum, weight in zip(self.strata, self.stratum_weights, strict=True):
            each = np.nan_to_num(stratum.means[1], nan=np.inf) * (
                stratum.draws.variance_factor if stratum.drawn else 1.0
            )
            total[weight > 0] += (weight**2)[weight > 0] * each[weight > 0]
        return total

    def differences(self, left: Array, right: Array, level: float, comparisons: int = 1) -> Interval:
        """(left, right): the loss of a left model minus that of a right one, with its interval.

        Two draws of the largest difference seen are added to the variance, one in favor of each side (Agresti and Min,
        2005, see `guarded_variance`). Where two models have equal predictions, the difference is known. The error rate
        is shared among so many comparisons (Bonferroni).
        """
        known = self.known.losses.sum(axis=1) / np.maximum(self.said, 1)
        value, variance, loose = np.zeros((3, len(left), len(right)))
        change = np.zeros_like(value)  # by how much open samples may change what is known
        for stratum, weight, group in zip(self.strata, self.stratum_weights, self.prediction_groups, strict=True):
            differ = group[left][:, None] != group[right][None, :]
            value += (stratum.known_loss / np.maximum(self.said, 1))[left][:, None]
            value -= (stratum.known_loss / np.maximum(self.said, 1))[right][None, :]
            larger = np.maximum(weight[left][:, None], weight[right][None, :])
            if not stratum.drawn:
                value += (weight * stratum.guess)[left][:, None] - (weight * stratum.guess)[right][None, :]
                loose += np.where(differ, larger, 0.0)
                change += np.where(differ, larger, 0.0)
                continue
            own, spread = _scaled(stratum, weight, left, right)
            most = larger * (1.0 if stratum.binary else _largest(stratum, left, right))
            # a draw without label or prediction is no information; the other draws stand for more of the pool
            judged, scale = _fewest(stratum.judged, left, right), _fewest(stratum.scale, left, right)
            with np.errstate(divide="ignore", invalid="ignore"):
                guarded = guarded_variance(own, spread * scale, most, judged, stratum.draws.variance_factor / scale)
            value += own
            variance += np.where(differ, guarded, 0.0)
            change += np.where(differ, larger * stratum.draws.left_open / stratum.draws.size, 0.0)
        unsure = np.sqrt(np.sum([stratum.rest_unsure**2 for stratum in self.strata], axis=0)) / np.maximum(self.said, 1)
        variance += (value * np.maximum(unsure[left][:, None], unsure[right][None, :])) ** 2
        half = loose + self._quantile(left, right, level, comparisons) * np.sqrt(variance)
        low, high = value - half, value + half
        if self.stated:
            now = known[left][:, None] - known[right][None, :]
            if not (self.known.said.all() and (self.predictions.said == self.predictions.values.shape[1]).all()):
                now, change = np.zeros_like(now), np.ones_like(now)  # the number of samples that count is not known
            low, high = np.clip(low, now - change, now + change), np.clip(high, now - change, now + change)
            value = np.clip(value, low, high)
        return value, low, high

    def _quantile(self, left: Array, right: Array, level: float, comparisons: int) -> FloatArray:
        """(left, right): the Student quantile of a difference."""
        least = np.full((len(left), len(right)), len(self.sample))
        for stratum, group in zip(self.strata, self.prediction_groups, strict=True):
            if stratum.drawn:  # a stratum in which the two predictions are equal adds no variance
                differ = group[left][:, None] != group[right][None, :]
                least = np.where(differ, np.minimum(least, _fewest(stratum.judged, left, right)), least)
        return student_quantile(level, np.maximum(least, 2), comparisons)

    @cached_property
    def answers(self) -> Array:
        """(models, log rows): the predictions."""
        return self.predictions.values[:, self.sample]

    def disagreements(self, stratum: StratumMean, left: Array, right: Array) -> IntArray:
        """(pairs,): on how many samples of a stratum the predictions of two models differ; kept in the cache."""
        values, members = self.predictions.values, stratum.draws.members
        name = "disagreements", b"" if members is None else np.packbits(members).tobytes()
        known: dict[int, IntArray] = dict(cache.peek(self.predictions, name) or {})

        def counted(one: int, other: int) -> int:
            if one in known:  # the count is symmetric: with a thousand models, that saves seconds
                return int(known[one][other])
            differ = values[one] != values[other]
            return int(np.count_nonzero(differ if members is None else differ & members))

        if new := set(right.tolist()) - known.keys():
            for model in new:
                known[model] = np.array([counted(other, model) for other in range(len(values))])
            cache.put(self.predictions, name, known)
        rows, place = np.unique(right, return_inverse=True)
        return np.array([known[model] for model in rows.tolist()])[place, left]

    @cached_property
    def pairs(self) -> int:
        """How many pairs of models there are to compare; models with equal predictions count as one."""
        models = len(np.unique(np.array(self.prediction_groups), axis=1).T)
        return max(1, models * (models - 1) // 2)

    @cached_property
    def prediction_groups(self) -> list[IntArray]:
        """(models,) for each stratum: models with equal predictions on all of its samples have the same number."""
        return [_groups(self.predictions.values, stratum.draws.members) for stratum in self.strata]


def _scaled(stratum: StratumMean, weight: FloatArray, left: Array, right: Array) -> tuple[FloatArray, FloatArray]:
    control = None if stratum.influence.control is None else weight[:, None] * stratum.influence.control
    rows = InfluenceValues(weight[:, None] * stratum.influence.value, control)
    return mean_differences(rows.at(left), rows.at(right), stratum.draws)


def _fewest(each: Array, left: Array, right: Array) -> Array:
    """(left, right): the smaller number of the two models."""
    return np.minimum(each[left][:, None], each[right][None, :])


def _largest(stratum: StratumMean, left: Array, right: Array) -> FloatArray:
    """(left, right): the largest difference seen in a draw; where none was seen, the largest possible one."""
    largest = np.zeros((len(left), len(right)))
    for row in stratum.losses.T:
        np.maximum(largest, np.abs(row[left][:, None] - row[right][None, :]), out=largest)
    return np.where(largest > 0, largest, 1.0)


def _groups(values: Array, members: BoolArray | None) -> IntArray:
    groups: dict[bytes, int] = {}
    inside = slice(None) if members is None else members
    digests = [blake2b(row[inside].tobytes(), digest_size=16).digest() for row in values]
    return np.array([groups.setdefault(digest, len(groups)) for digest in digests])


def _anything(stratum: StratumMean) -> tuple[FloatArray, FloatArray]:
    return np.zeros(len(stratum.guess)), np.ones(len(stratum.guess))
