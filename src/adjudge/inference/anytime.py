"""Anytime-valid intervals: betting confidence sequences for losses and differences, valid under any stopping rule."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.inference.betting import e_process
from adjudge.inference.missing_predictions import MissingPredictions
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.prediction_overlap import pairs_of
from adjudge.inference.ranks import TINY, Interval
from adjudge.inference.stratified_betting import stratified_bound
from adjudge.inference.stratum import StratumMean, ratio
from adjudge.inference.unpaired import Unpaired

CELLS = 1 << 18  # draws looked at together
SUBSTITUTIONS = 5  # of the mean loss for losses that nobody can tell
BESIDE = 0.1  # of the error rate of a pair, for what its paired sum leaves open after skips and missing predictions


@dataclass(frozen=True, eq=False)
class AnytimeIntervals:
    """Losses and differences whose intervals hold at every number of labels at once.

    Intervals of differences hold for all pairs at once (Bonferroni).
    """

    mean: PoolMean
    level: float
    comparisons: float  # pairs

    def errors(self, comparisons: float = 1) -> Interval:
        """(models,): mean losses over the samples that can be labeled."""
        threshold = self._threshold(comparisons)
        error, low, high = self.mean.within(
            self.mean.mean_loss, self._mean_bound(1, threshold), self._mean_bound(-1, threshold)
        )
        return np.clip(error, low, high), low, high

    def _mean_bound(self, side: int, threshold: float) -> FloatArray:
        """(models,): the lower (1) or the upper (-1) end of the mean loss over the samples that can be labeled.

        That mean e stays the same if each other sample is given the loss e. So a candidate is tested with itself as the
        loss of skipped samples, and the mean is then over all samples that a model predicts. As long as the true mean
        is not rejected, losses of at most e give a bound of at most e, since bounds grow with losses: so each step from
        0 (for the upper end, from 1) toward the first candidate that is not rejected is valid, at no cost.
        """
        mean, end = self.mean, np.full(len(self._every), 0.5 - 0.5 * side)
        for _ in range(SUBSTITUTIONS if mean.skips else 1):
            losses = mean.known.losses + end[:, None] * mean.skipped if mean.skips else mean.known.losses
            bound = ratio(self._end(losses, self._every, None, side, threshold), mean.predictions.n_predicted)
            end = np.fmax(end, bound) if side > 0 else np.fmin(end, bound)
        return end

    def between(self, left: Array, right: Array) -> Interval:
        shape = len(left), len(right)
        low, high = (self._difference(*pairs_of(left, right), side).reshape(shape) for side in (1, -1))
        value = self.mean.differences(left, right, self.level)[0]
        if self.ties:
            value = value * self._unpaired.without_ties(*pairs_of(left, right)).reshape(shape)
        return np.clip(value, low, high), low, high

    def lead(self, leader: int) -> FloatArray:
        """(models,): the lower end of the loss of each model minus that of the leader."""
        return self._difference(self._every, np.full(len(self._every), leader), 1)

    @property
    def missing(self) -> MissingPredictions:
        return MissingPredictions.of(self.mean, self._unpaired.present, ties=self.ties)

    def worse(self, left: Array, right: Array) -> BoolArray:
        """(left, right): whether the confidence sequence of the difference lies above zero.

        Where one stratum decides, only a difference of zero is tested, which is much faster than finding the bounds.
        """
        one, other = pairs_of(left, right)
        differ = np.array([group[one] != group[other] for group in self.mean.compatible_groups])
        strata = [stratum for stratum, apart in zip(self.mean.strata, differ, strict=True) if apart.any()]
        if len(strata) != 1 or not strata[0].drawn:
            return np.asarray(self._difference(one, other, 1) > TINY).reshape(len(left), len(right))
        stratum, losses = strata[0], self.mean.known.losses
        known = np.sum([each.known_loss for each in self.mean.strata], axis=0)
        sure = known[one] - known[other] + self._gaps(one, other, 1) + self._unpaired.sums(one, other)[0]
        zero, worse = -sure / stratum.draws.size, np.zeros(len(one), dtype=bool)
        threshold = self._thresholds(one, other)
        for rows in _chunks(len(one), [stratum]):
            process = e_process(self.mean, stratum, losses, one[rows], other[rows])
            low, high = process.possible(1)
            rejected = process.peak_log_wealth(np.clip(zero[rows], low, high), 1) >= threshold[rows]
            worse[rows] = (rejected & (zero[rows] >= low)) | (zero[rows] < low - TINY)
        low, high = self._unpaired.mean_loss
        apart = ~self._unpaired.paired(one, other) & (low[one] > high[other] + TINY)
        return np.asarray((worse & differ.any(axis=0)) | apart).reshape(len(left), len(right))

    @property
    def _every(self) -> IntArray:
        return np.arange(len(self.mean.open_samples))

    def _threshold(self, comparisons: float) -> float:
        return float(np.log(2 * comparisons / (1 - self.level)))

    def _thresholds(self, one: Array, other: Array) -> FloatArray:
        """(pairs,): of paired sums; where these are not all, a part of the error rate is for the rest.

        After a skip they may not be all in the end, so that part is set aside at once.
        """
        alone = self._unpaired.paired(one, other) & (not self.mean.skips)
        whole, part = self._threshold(self.comparisons), self._threshold(self.comparisons / (1 - BESIDE))
        return np.where(alone, whole, part)

    @cached_property
    def _unpaired(self) -> Unpaired:
        """With a part of the error rate of all pairs that need it, and of those of each model."""
        sure, models = Unpaired.certain(self.mean), len(self._every)
        need = 1 - sure.paired(*pairs_of(self._every, self._every)).reshape(models, models).mean(axis=1).max()
        need = 0.5 if self.mean.skips and need else need  # the other half is for how many samples can be labeled
        if need:
            sure = replace(sure, mean_loss=self.errors(models / (BESIDE * need))[1:])
        if sure.many_skips:
            can_be_labeled, threshold = self.mean.known.observed.astype(float), self._threshold(2 * models / BESIDE)
            sure = replace(sure, fewest=self._end(can_be_labeled, self._every, None, 1, threshold))
        return sure

    @property
    def ties(self) -> bool:
        """Whether open samples that nobody can label count as ties in differences."""
        return self._unpaired.ties

    def _difference(self, one: Array, other: Array, side: int) -> FloatArray:
        """(pairs,): the lower (1) or the upper (-1) end of the difference between losses."""
        end = self._end(self.mean.known.losses, one, other, side, self._thresholds(one, other))
        end += self._gaps(one, other, side) + self._unpaired.sums(one, other)[0 if side > 0 else 1]
        return self._unpaired.difference(end, one, other, side)

    def _gaps(self, one: Array, other: Array, side: int) -> FloatArray:
        """(pairs,): a bound on the paired sum over strata where two models differ in missing predictions only."""
        end, mean = np.zeros(len(one)), self.mean
        for stratum, group, near in zip(mean.strata, mean.prediction_groups, mean.compatible_groups, strict=True):
            pairs = np.flatnonzero((group[one] != group[other]) & (near[one] == near[other]))
            if len(pairs):
                start, left, right = stratum.draws.start, one[pairs], other[pairs]
                rows = mean.known.losses[:, start:] @ stratum.draws.inside[start:]
                only_left, only_right = mean.overlap.only_one(stratum.draws, left, right)
                end[pairs] += rows[left] - rows[right] + (-only_right if side > 0 else only_left)
        return end

    def _end(
        self, rows: FloatArray, one: Array, other: Array | None, side: int, threshold: FloatArray | float
    ) -> FloatArray:
        """(quantities,): a bound on sums over the pool of (models, log rows), or on differences of these sums."""
        end, drawn, threshold = np.zeros(len(one)), [], np.broadcast_to(threshold, len(one))
        for stratum, group in zip(self.mean.strata, self.mean.compatible_groups, strict=True):
            known = rows[:, : stratum.draws.start] @ stratum.draws.inside[: stratum.draws.start]
            end += known[one] if other is None else known[one] - known[other]
            open_here = np.full(len(one), True) if other is None else group[one] != group[other]
            if stratum.drawn and open_here.any():
                drawn.append(stratum)
            elif side < 0 or other is not None:  # nothing is known about the stratum, except that no loss is below zero
                end[open_here] -= side * stratum.draws.size
        for chunk in _chunks(len(one), drawn):
            right = None if other is None else other[chunk]
            first, *second = [e_process(self.mean, stratum, rows, one[chunk], right) for stratum in drawn]
            end[chunk] += (
                stratified_bound(first, second[0], side, threshold[chunk])
                if second
                else first.bound(side, threshold[chunk])
            )
        return end


def _chunks(quantities: int, strata: list[StratumMean]) -> list[slice]:
    if not strata:
        return []
    step = max(1, CELLS // max(len(stratum.draws.rows) for stratum in strata))
    return [slice(start, start + step) for start in range(0, quantities, step)]
