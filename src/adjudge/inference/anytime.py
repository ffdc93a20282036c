"""Anytime-valid intervals: betting confidence sequences for losses and differences, valid under any stopping rule."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.inference.betting import e_process
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.ranks import TINY, Interval
from adjudge.inference.stratified_betting import stratified_bound
from adjudge.inference.stratum import StratumMean, ratio

CELLS = 1 << 18  # draws looked at together


@dataclass(frozen=True, eq=False)
class AnytimeIntervals:
    """Losses and differences whose intervals hold at every number of labels at once.

    Intervals of differences hold for all pairs at once (Bonferroni).
    """

    mean: PoolMean
    level: float
    comparisons: float  # pairs

    def errors(self, comparisons: float = 1) -> Interval:
        """(models,): mean losses over the pool."""
        mean, every = self.mean, np.arange(len(self.mean.open_samples))
        skips = bool((mean.known.said.sum(axis=0) == 0).any())
        threshold = self._threshold(comparisons * (1 + skips))
        low, high = (self._end(mean.known.losses, every, None, side, threshold) for side in (1, -1))
        least = most = mean.said
        if skips:  # how many samples can be labeled is not known either
            said = mean.known.said.astype(np.float64)
            least, most = (self._end(said, every, None, side, threshold) for side in (1, -1))
            most = np.minimum(most, mean.known.said.sum(axis=1) + mean.open_samples)
        low, high = ratio(low, most), ratio(high, least)
        error, low, high = mean.within(mean.error, np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0))
        return np.clip(error, low, high), low, high

    def between(self, left: Array, right: Array) -> Interval:
        shape = len(left), len(right)
        low, high = (self._difference(*_pairs(left, right), side).reshape(shape) for side in (1, -1))
        return np.clip(self.mean.differences(left, right, self.level)[0], low, high), low, high

    def lead(self, leader: int) -> FloatArray:
        """(models,): the lower end of the loss of each model minus that of the leader."""
        every = np.arange(len(self.mean.open_samples))
        return self._difference(every, np.full(len(every), leader), 1)

    def worse(self, left: Array, right: Array) -> BoolArray:
        """(left, right): whether the confidence sequence of the difference lies above zero.

        Where one stratum decides, only a difference of zero is tested, which is much faster than finding the bounds.
        """
        one, other = _pairs(left, right)
        differ = np.array([group[one] != group[other] for group in self.mean.prediction_groups])
        strata = [stratum for stratum, apart in zip(self.mean.strata, differ, strict=True) if apart.any()]
        if not self._complete or len(strata) != 1 or not strata[0].drawn:
            return np.asarray(self._difference(one, other, 1) > TINY).reshape(len(left), len(right))
        stratum, losses = strata[0], self.mean.known.losses
        known = np.sum([each.known_loss for each in self.mean.strata], axis=0)
        zero, worse = -(known[one] - known[other]) / stratum.draws.size, np.zeros(len(one), dtype=bool)
        for rows in _chunks(len(one), [stratum]):
            process = e_process(self.mean, stratum, losses, one[rows], other[rows])
            low, high = process.possible(1)
            rejected = process.peak_log_wealth(np.clip(zero[rows], low, high), 1) >= self._threshold(self.comparisons)
            worse[rows] = (rejected & (zero[rows] >= low)) | (zero[rows] < low - TINY)
        return np.asarray(worse & differ.any(axis=0)).reshape(len(left), len(right))

    @property
    def _complete(self) -> bool:
        """Whether every model can be judged on every sample."""
        return bool(self.mean.known.said.all() and (self.mean.said == self.mean.predictions.values.shape[1]).all())

    def _threshold(self, comparisons: float) -> float:
        return float(np.log(2 * comparisons / (1 - self.level)))

    def _difference(self, one: Array, other: Array, side: int) -> FloatArray:
        """(pairs,): the lower (1) or the upper (-1) end of the difference between losses."""
        mean = self.mean
        if not self._complete:
            _, low, high = self.errors(2 * self.comparisons)
            return np.asarray(low[one] - high[other] if side > 0 else high[one] - low[other])
        end = self._end(mean.known.losses, one, other, side, self._threshold(self.comparisons))
        return np.asarray(end / mean.predictions.values.shape[1])

    def _end(self, rows: FloatArray, one: Array, other: Array | None, side: int, threshold: float) -> FloatArray:
        """(quantities,): a bound on sums over the pool of (models, log rows), or on differences of these sums."""
        end, drawn = np.zeros(len(one)), []
        for stratum, group in zip(self.mean.strata, self.mean.prediction_groups, strict=True):
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
                stratified_bound(first, second[0], side, threshold) if second else first.bound(side, threshold)
            )
        return end


def _pairs(left: Array, right: Array) -> tuple[Array, Array]:
    return np.repeat(left, len(right)), np.tile(right, len(left))


def _chunks(quantities: int, strata: list[StratumMean]) -> list[slice]:
    if not strata:
        return []
    step = max(1, CELLS // max(len(stratum.draws.rows) for stratum in strata))
    return [slice(start, start + step) for start in range(0, quantities, step)]
