"""Mean losses over the whole pool, and paired differences between models, from the strata of the pool."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.predictions import Predictions
from adjudge.core.strata import REST
from adjudge.inference.convolution import convolution_interval
from adjudge.inference.draw_estimates import DrawEstimates, guard_sizes, mean_differences
from adjudge.inference.intervals import guarded_variance, normal_quantile, student_quantile
from adjudge.inference.prediction_overlap import PredictionOverlap, pairs_of
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
    bounded: bool  # whether no loss can be outside [0, 1]
    surely_lost: IntArray | int = 0  # (models,): open samples that the model abstains from

    @cached_property
    def n_judgeable(self) -> FloatArray:
        """(models,): on how many samples a model can be judged."""
        return np.asarray(sum(stratum.known_count + stratum.rest_count for stratum in self.strata))

    def least_judgeable(self, level: float) -> FloatArray:
        """(models,): the lower end of the interval of that number, which is known unless something was skipped."""
        judged = self.known.observed.sum(axis=1)
        return np.asarray(np.maximum(judged, self.n_judgeable - normal_quantile(level) * self._judgeable_se))

    @cached_property
    def _judgeable_se(self) -> FloatArray:
        return np.asarray(np.sqrt(np.sum([stratum.rest_count_se**2 for stratum in self.strata], axis=0)))

    @cached_property
    def stratum_weights(self) -> list[FloatArray]:
        """(models,) for each stratum: the share of a model's samples that its rest holds."""
        return [np.nan_to_num(ratio(stratum.rest_count, self.n_judgeable)) for stratum in self.strata]

    def over_pool(self, rests: list[FloatArray]) -> FloatArray:
        """(models,): the mean over the pool, given the means over the rest of each stratum."""
        known = ratio(np.sum([stratum.known_loss for stratum in self.strata], axis=0), self.n_judgeable)
        each = [
            np.where(weight > 0, weight * rest, 0.0) for weight, rest in zip(self.stratum_weights, rests, strict=True)
        ]
        return np.asarray(known + np.sum(each, axis=0))

    @cached_property
    def mean_loss(self) -> FloatArray:
        return self.over_pool([stratum.mean_and_variance[0] for stratum in self.strata])

    @property
    def has_undrawn_rest(self) -> BoolArray:
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
            known = self.over_pool([np.zeros(len(self.n_judgeable))] * len(self.strata))
            low, high = (known + end for end in convolution_interval(in_dispute, unanimous, level))
        else:  # a stratum without draws has the interval [0, 1]
            ends = [stratum.interval(level) if stratum.drawn else _anything(stratum) for stratum in self.strata]
            low, high = (self.over_pool([each[side] for each in ends]) for side in (0, 1))
        low, high = np.fmin(low, self.mean_loss), np.fmax(high, self.mean_loss)
        if any(stratum.rest_count_se.any() for stratum in self.strata):  # stratum weights are estimated too
            moved = [(stratum.rest_mean - self.mean_loss) * stratum.rest_count_se for stratum in self.strata]
            beside = (
                normal_quantile(level) * np.sqrt(np.nansum(np.square(moved), axis=0)) / np.maximum(self.n_judgeable, 1)
            )
            low = self.mean_loss - np.hypot(self.mean_loss - low, beside)
            high = self.mean_loss + np.hypot(high - self.mean_loss, beside)
        return self.within(self.mean_loss, low, high)

    def within(self, error: FloatArray, low: FloatArray, high: FloatArray) -> Interval:
        """Clip an estimate and its interval to what the labels leave possible; an unknown interval becomes that."""
        wrong, judged = self.known.losses.sum(axis=1), self.known.observed.sum(axis=1)
        at_least, at_most = np.zeros(len(error)), np.ones(len(error))
        if self.bounded:
            total = judged + self.open_samples
            sure = 0 if self.skips else self.surely_lost  # one that nobody can label is not judged at all
            at_least, at_most = ratio(wrong + sure, total), ratio(wrong + self.open_samples, total)
        return (
            np.clip(error, at_least, at_most),
            np.clip(np.fmax(low, at_least), at_least, at_most),
            np.clip(np.fmin(high, at_most), at_least, at_most),
        )

    @property
    def variance(self) -> FloatArray:
        """(models,): the estimated variance of the mean; infinite where it cannot be estimated."""
        total = np.zeros(len(self.n_judgeable))
        for stratum, weight in zip(self.strata, self.stratum_weights, strict=True):
            each = np.nan_to_num(stratum.mean_and_variance[1], nan=np.inf) * (
                stratum.draws.variance_factor if stratum.drawn else 1.0
            )
            total[weight > 0] += (weight**2)[weight > 0] * each[weight > 0]
        return total

    def differences(self, left: Array, right: Array, level: float, comparisons: int = 1) -> Interval:
        """(left, right): the loss of a left model minus that of a right one, with its interval.

        Two draws are added to the variance, one in favor of each side (Agresti and Min, 2005, see `guarded_variance`).
        Where two models have equal predictions, the difference is known. The error rate
        is shared among `comparisons` (Bonferroni).
        """
        value, change = np.zeros((2, len(left), len(right)))  # and by how much open samples may change what is known
        parts = [self._part(place, left, right) for place in range(len(self.strata))]
        for part in parts:
            value += part.known[left][:, None]
            value -= part.known[right][None, :]
            value += part.own
            change += np.where(part.differ, part.change, 0.0)
        half = self._half_width(parts, value, left, right, level, comparisons)
        if self.bounded and not self.complete.all():
            paired = [self._without_gaps(place, part, left, right) for place, part in enumerate(parts)]
            half = np.minimum(half, self._half_width(paired, value, left, right, level, comparisons))
        low, high = value - half, value + half
        if self.bounded:
            known = self.known.losses.sum(axis=1) / np.maximum(self.n_judgeable, 1)
            now = known[left][:, None] - known[right][None, :]
            # where the number of samples that count is not known, or not the same, nothing more is sure
            sure = np.logical_and.outer(self.complete[left], self.complete[right]) & (not self.skips)
            now, change = np.where(sure, now, 0.0), np.where(sure, change, 1.0)
            low, high = np.clip(low, now - change, now + change), np.clip(high, now - change, now + change)
            value = np.clip(value, low, high)
        return value, low, high

    def _part(self, place: int, left: Array, right: Array) -> "_Part":
        """What one stratum tells about differences."""
        stratum, weight, group = self.strata[place], self.stratum_weights[place], self.prediction_groups[place]
        differ = group[left][:, None] != group[right][None, :]
        known = stratum.known_loss / np.maximum(self.n_judgeable, 1)
        larger = np.maximum(weight[left][:, None], weight[right][None, :])
        if not stratum.drawn:
            own = (weight * stratum.guess)[left][:, None] - (weight * stratum.guess)[right][None, :]
            return _Part(known, own, differ, np.zeros_like(own), larger, larger, None)
        rows = _scaled(stratum, weight)
        ends = rows.at(left), rows.at(right), stratum.draws
        own, spread = mean_differences(*ends)
        # a draw without label or prediction is no information; the other draws stand for more of the pool
        judged, scale = _fewest(stratum.judged, left, right), _fewest(stratum.judgeable_share, left, right)
        size = larger if stratum.binary else np.where(spread > 0, guard_sizes(*ends, own) * scale, larger)
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = guarded_variance(own, spread * scale, size, judged, stratum.draws.variance_factor / scale)
        change = larger * stratum.draws.left_open / stratum.draws.size
        return _Part(known, own, differ, variance, np.zeros_like(own), change, judged)

    def _without_gaps(self, place: int, part: "_Part", left: Array, right: Array) -> "_Part":
        """Bounds for pairs that differ only in missing predictions: a missing loss may be anything in [0, 1].

        This is tighter than treating the whole stratum as different.
        """
        stratum, group = self.strata[place], self.compatible_groups[place]
        near = part.differ & (group[left][:, None] == group[right][None, :])
        if not near.any():
            return part
        pairs, start = pairs_of(left, right), stratum.draws.start
        only_left, only_right = (each.reshape(near.shape) for each in self.overlap.only_one(stratum.draws, *pairs))
        each, seen = 1 / np.maximum(self.n_judgeable, 1), self.known.losses[:, start:] @ stratum.draws.inside[start:]
        seen, share = seen[left][:, None] - seen[right][None, :], each[left][:, None]
        most = np.maximum(part.own - (seen - only_right) * share, (seen + only_left) * share - part.own)
        most = most + stratum.draws.size * np.abs(share - each[right][None, :])
        judged = None if part.judged is None else np.where(near, len(self.sample), part.judged)
        return replace(
            part, variance=np.where(near, 0.0, part.variance), loose=np.where(near, most, part.loose), judged=judged
        )

    def _half_width(
        self, parts: list["_Part"], value: FloatArray, left: Array, right: Array, level: float, comparisons: int
    ) -> FloatArray:
        """(left, right): of the interval of the difference; with the Student quantile of the fewest draws."""
        variance, loose = np.zeros((2, *value.shape))
        least = np.full(value.shape, len(self.sample))
        for part in parts:
            loose += np.where(part.differ, part.loose, 0.0)
            variance += np.where(part.differ, part.variance, 0.0)
            if part.judged is not None:  # a stratum in which the two predictions are equal adds no variance
                least = np.where(part.differ, np.minimum(least, part.judged), least)
        unsure = self._judgeable_se / np.maximum(self.n_judgeable, 1)
        variance += (value * np.maximum(unsure[left][:, None], unsure[right][None, :])) ** 2
        return np.asarray(loose + student_quantile(level, np.maximum(least, 2), comparisons) * np.sqrt(variance))

    @cached_property
    def overlap(self) -> PredictionOverlap:
        return PredictionOverlap(self.predictions, self.sample)

    @property
    def predicted(self) -> Array:
        """(models, log rows): the predictions."""
        return self.overlap.predicted

    def disagreements(self, stratum: StratumMean, left: Array, right: Array) -> IntArray:
        """(pairs,): on how many samples of a stratum the predictions of two models differ."""
        return self.overlap.disagreements(stratum.draws, left, right)

    @cached_property
    def pairs(self) -> int:
        """How many pairs of models there are to compare; models with equal predictions count as one."""
        models = len(np.unique(np.array(self.prediction_groups), axis=1).T)
        return max(1, models * (models - 1) // 2)

    @cached_property
    def prediction_groups(self) -> list[IntArray]:
        """(models,) for each stratum: models with equal predictions on all of its samples have the same number."""
        return [self.overlap.groups(stratum.draws) for stratum in self.strata]

    @cached_property
    def compatible_groups(self) -> list[IntArray]:
        """(models,) for each stratum: models that contradict each other nowhere in it have the same number."""
        if self.complete.all():
            return self.prediction_groups
        return [self.overlap.compatible_groups(stratum.draws) for stratum in self.strata]

    @cached_property
    def complete(self) -> BoolArray:
        """(models,): whether the model predicts every sample."""
        return np.asarray(self.predictions.n_predicted == self.predictions.values.shape[1])

    @cached_property
    def skips(self) -> bool:
        """Whether a sample was skipped: handed out, and no model that predicts it can be judged."""
        return bool(self.skipped.any())

    @cached_property
    def skipped(self) -> BoolArray:
        """(models, log rows): predictions of skipped samples."""
        return np.asarray(self.predictions.is_present(self.predicted) & ~self.known.observed.any(axis=0))


@dataclass(frozen=True, eq=False)
class _Part:
    """What one stratum tells about differences; (left, right) but for the first."""

    known: FloatArray  # (models,): what was known before the first draw, as a share of the pool
    own: FloatArray  # the estimated difference over the rest
    differ: BoolArray  # whether there is one; the numbers below count only there
    variance: FloatArray
    loose: FloatArray  # added to the half width
    change: FloatArray  # how much open samples may change
    judged: IntArray | None  # draws; None: nothing was drawn


def _scaled(stratum: StratumMean, weight: FloatArray) -> DrawEstimates:
    """What each draw says about the mean over the pool."""
    control = None if stratum.estimates.control is None else weight[:, None] * stratum.estimates.control
    return replace(stratum.estimates, value=weight[:, None] * stratum.estimates.value, control=control)


def _fewest(each: Array, left: Array, right: Array) -> Array:
    """(left, right): the smaller number of the two models."""
    return np.minimum(each[left][:, None], each[right][None, :])


def _anything(stratum: StratumMean) -> tuple[FloatArray, FloatArray]:
    return np.zeros(len(stratum.guess)), np.ones(len(stratum.guess))
