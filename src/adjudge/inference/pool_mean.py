"""Mean losses over the whole pool, and differences between models, from its parts."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.predictions import Predictions
from adjudge.inference.convolution import interval_of_sum
from adjudge.inference.influence import Rows, contrasts
from adjudge.inference.intervals import guarded_variance, normal_quantile, student_quantile
from adjudge.inference.ranks import Interval
from adjudge.inference.stratum import KnownLosses, Part, ratio

_APART: "WeakKeyDictionary[Predictions, dict[bytes, dict[int, IntArray]]]" = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class PoolMean:
    """Sums over parts; a part from which nothing was drawn may hold anything that its open samples leave possible."""

    predictions: Predictions
    parts: list[Part]
    known: KnownLosses
    sample: IntArray  # (log rows,)
    open_samples: IntArray  # (models,): samples that a model spoke about and that nobody looked at
    stated: bool  # whether no loss can be outside [0, 1]

    @cached_property
    def said(self) -> FloatArray:
        """(models,): on how many samples a model can be judged."""
        return np.asarray(sum(part.known_said + part.rest_said for part in self.parts))

    @cached_property
    def weights(self) -> list[FloatArray]:
        """(models,) for each part: the share of a model's samples that its rest holds."""
        return [np.nan_to_num(ratio(part.rest_said, self.said)) for part in self.parts]

    def over_pool(self, rests: list[FloatArray]) -> FloatArray:
        """(models,): the mean that belongs to means over the rests of the parts."""
        known = ratio(np.sum([part.known_wrong for part in self.parts], axis=0), self.said)
        each = [np.where(weight > 0, weight * rest, 0.0) for weight, rest in zip(self.weights, rests, strict=True)]
        return np.asarray(known + np.sum(each, axis=0))

    @cached_property
    def error(self) -> FloatArray:
        return self.over_pool([part.means[0] for part in self.parts])

    def interval(self, level: float) -> Interval:
        """Quantiles of the sum of the parts' confidence distributions, kept within what the labels leave possible."""
        if all(part.drawn for part in self.parts) and len(self.parts) > 1:
            in_dispute, agreed = (part.share(weight) for part, weight in zip(self.parts, self.weights, strict=True))
            known = self.over_pool([np.zeros(len(self.said))] * len(self.parts))
            low, high = (known + end for end in interval_of_sum(in_dispute, agreed, level))
        else:  # what nothing is known about may be at its end with certainty
            ends = [part.interval(level) if part.drawn else _anything(part) for part in self.parts]
            low, high = (self.over_pool([each[side] for each in ends]) for side in (0, 1))
        low, high = np.fmin(low, self.error), np.fmax(high, self.error)
        if any(part.rest_unsure.any() for part in self.parts):  # how much each part counts is not known either
            moved = [(part.rest_mean - self.error) * part.rest_unsure for part in self.parts]
            beside = normal_quantile(level) * np.sqrt(np.nansum(np.square(moved), axis=0)) / np.maximum(self.said, 1)
            low = self.error - np.hypot(self.error - low, beside)
            high = self.error + np.hypot(high - self.error, beside)
        return self.within(self.error, low, high)

    def within(self, error: FloatArray, low: FloatArray, high: FloatArray) -> Interval:
        """Kept within what the labels leave possible; as wide as that where nothing is known."""
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
        """(models,): of the mean, as the draws show it; endless where they do not."""
        total = np.zeros(len(self.said))
        for part, weight in zip(self.parts, self.weights, strict=True):
            each = np.nan_to_num(part.means[1], nan=np.inf) * (part.draws.left if part.drawn else 1.0)
            total[weight > 0] += (weight**2)[weight > 0] * each[weight > 0]
        return total

    def differences(self, left: Array, right: Array, level: float, comparisons: int = 1) -> Interval:
        """(left, right): by how much the loss of a left model is above that of a right one.

        Two draws of the largest difference seen are added, one in favor of each side, so that a few labels that all
        agree are never taken for certainty (Agresti and Min, 2005). Where two models say the same, nothing is open.
        The confidence is shared by so many comparisons (Bonferroni).
        """
        known = self.known.losses.sum(axis=1) / np.maximum(self.said, 1)
        value, variance, loose = np.zeros((3, len(left), len(right)))
        change = np.zeros_like(value)  # by how much open samples may change what is known
        for part, weight, group in zip(self.parts, self.weights, self.alike, strict=True):
            differ = group[left][:, None] != group[right][None, :]
            value += (part.known_wrong / np.maximum(self.said, 1))[left][:, None]
            value -= (part.known_wrong / np.maximum(self.said, 1))[right][None, :]
            larger = np.maximum(weight[left][:, None], weight[right][None, :])
            if not part.drawn:
                value += (weight * part.guess)[left][:, None] - (weight * part.guess)[right][None, :]
                loose += np.where(differ, larger, 0.0)
                change += np.where(differ, larger, 0.0)
                continue
            own, spread = _scaled(part, weight, left, right)
            most = larger * (1.0 if part.binary else _largest(part, left, right))
            # a draw that cannot be judged tells nothing, and one that can stands for more of the pool
            judged, scale = _fewest(part.judged, left, right), _fewest(part.scale, left, right)
            with np.errstate(divide="ignore", invalid="ignore"):
                guarded = guarded_variance(own, spread * scale, most, judged, part.draws.left / scale)
            value += own
            variance += np.where(differ, guarded, 0.0)
            change += np.where(differ, larger * part.draws.left_open / part.draws.size, 0.0)
        unsure = np.sqrt(np.sum([part.rest_unsure**2 for part in self.parts], axis=0)) / np.maximum(self.said, 1)
        variance += (value * np.maximum(unsure[left][:, None], unsure[right][None, :])) ** 2
        half = loose + self._quantile(left, right, level, comparisons) * np.sqrt(variance)
        low, high = value - half, value + half
        if self.stated:
            now = known[left][:, None] - known[right][None, :]
            if not (self.known.said.all() and (self.predictions.said == self.predictions.values.shape[1]).all()):
                now, change = np.zeros_like(now), np.ones_like(now)  # of how many samples these are shares is not known
            low, high = np.clip(low, now - change, now + change), np.clip(high, now - change, now + change)
            value = np.clip(value, low, high)
        return value, low, high

    def _quantile(self, left: Array, right: Array, level: float, comparisons: int) -> FloatArray:
        """(left, right): how many standard errors hold a difference."""
        least = np.full((len(left), len(right)), len(self.sample))
        for part, group in zip(self.parts, self.alike, strict=True):
            if part.drawn:  # where the two say the same, there is no difference to be unsure about
                differ = group[left][:, None] != group[right][None, :]
                least = np.where(differ, np.minimum(least, _fewest(part.judged, left, right)), least)
        return student_quantile(level, np.maximum(least, 2), comparisons)

    @cached_property
    def answers(self) -> Array:
        """(models, log rows): what was said."""
        return self.predictions.values[:, self.sample]

    def apart(self, part: Part, left: Array, right: Array) -> IntArray:
        """(pairs,): on how many samples of a part two models say different things; kept as long as the pool is."""
        values, members = self.predictions.values, part.draws.members
        kept = _APART.setdefault(self.predictions, {})
        of_part = kept.setdefault(b"" if members is None else np.packbits(members).tobytes(), {})

        def counted(one: int, other: int) -> int:
            if one in of_part:  # the other way round: with a thousand models, that saves seconds
                return int(of_part[one][other])
            differ = values[one] != values[other]
            return int(np.count_nonzero(differ if members is None else differ & members))

        for model in set(right.tolist()) - of_part.keys():
            of_part[model] = np.array([counted(other, model) for other in range(len(values))])
        rows, place = np.unique(right, return_inverse=True)
        return np.array([of_part[model] for model in rows.tolist()])[place, left]

    @cached_property
    def pairs(self) -> int:
        """How many pairs of models there are to compare; twins are compared once."""
        models = len(np.unique(np.array(self.alike), axis=1).T)
        return max(1, models * (models - 1) // 2)

    @cached_property
    def alike(self) -> list[IntArray]:
        """(models,) for each part: models that say the same about all of its samples have the same number."""
        return [_groups(self.predictions.values, part.draws.members) for part in self.parts]


def _scaled(part: Part, weight: FloatArray, left: Array, right: Array) -> tuple[FloatArray, FloatArray]:
    control = None if part.rows.control is None else weight[:, None] * part.rows.control
    rows = Rows(weight[:, None] * part.rows.value, control)
    return contrasts(rows.at(left), rows.at(right), part.draws)


def _fewest(each: Array, left: Array, right: Array) -> Array:
    """(left, right): the smaller number of the two models."""
    return np.minimum(each[left][:, None], each[right][None, :])


def _largest(part: Part, left: Array, right: Array) -> FloatArray:
    """(left, right): the largest difference seen in a draw; where none was seen, the largest possible one."""
    largest = np.zeros((len(left), len(right)))
    for row in part.losses.T:
        np.maximum(largest, np.abs(row[left][:, None] - row[right][None, :]), out=largest)
    return np.where(largest > 0, largest, 1.0)


def _groups(values: Array, members: BoolArray | None) -> IntArray:
    groups: dict[bytes, int] = {}
    inside = slice(None) if members is None else members
    digests = [blake2b(row[inside].tobytes(), digest_size=16).digest() for row in values]
    return np.array([groups.setdefault(digest, len(groups)) for digest in digests])


def _anything(part: Part) -> tuple[FloatArray, FloatArray]:
    return np.zeros(len(part.guess)), np.ones(len(part.guess))
