"""The paired difference of two models: the mean difference of their losses over the pool, with its interval."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import InputError, LabelsError, NotEnoughLabels
from adjudge.inference.anytime import AnytimeIntervals
from adjudge.inference.draws import Draws, draws_by_stratum
from adjudge.inference.intervals import guard_size, guarded_variance, student_quantile
from adjudge.inference.mcnemar import exact_mcnemar, paired_interval
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.stratum import KnownLosses
from adjudge.inference.weighted import MIN_LABELS_UNBOUNDED, mean_of
from adjudge.losses.loss import Loss, ZeroOne

EXACT_TEST = "exact McNemar test for a finite pool, score interval"
MEANS = "paired mean, Student interval"
WEIGHTED = "weighted paired difference"
BETS = "betting confidence sequence, valid however often one checks"
KNOWN = "every sample on which the two differ is labeled"
SETTLED = "every sample on which the two differ is labeled or skipped"


class DifferenceEstimate(NamedTuple):
    """The difference of mean losses, as a share of the largest loss; the p-value is nan where there is no test."""

    value: float
    low: float
    high: float
    p_value: float
    method: str
    ties: bool = False  # whether open samples that nobody can label count as ties


@dataclass(frozen=True, eq=False)
class PairedDifference:
    """Two models on the rows of a log without pending rows.

    Where both predictions are equal, so are the losses: no label is needed to know it. So uniform draws are analyzed
    as a simple random sample of the samples on which the two differ, a set of known size. That holds for uniform draws
    from the disputed stratum too, which contains that set.
    """

    predictions: Predictions  # of the two, for the samples that both predicted
    labels: Labels
    loss: Loss
    both: BoolArray  # (samples,): predicted by both
    differ: BoolArray  # (samples,): and not the same
    counted: BoolArray  # (rows,): labeled, and predicted by both
    losses: FloatArray  # (2, rows): 0 where nothing is counted
    informed: PoolMean | None = None  # `mean` with a control variate, where there is one

    @classmethod
    def of(cls, predictions: Predictions, places: tuple[int, int], labels: Labels, loss: Loss) -> "PairedDifference":
        values = predictions.values[list(places)]
        both = np.asarray((~np.isnan(values) if predictions.classes is None else values != MISSING).all(axis=0))
        if not both.any():
            first, second = (predictions.models[place] for place in places)
            raise InputError(f"{first!r} and {second!r} have no prediction for the same sample; name two that have")
        counted = labels.usable & both[labels.sample]
        losses = np.zeros((2, len(labels)))
        losses[:, counted] = loss(values[:, labels.sample[counted]], labels.value[counted])
        differ = both & (values[0] != values[1])
        values[:, ~both] = nan if predictions.classes is None else MISSING
        names = tuple(predictions.models[place] for place in places)
        two = replace(
            predictions, values=values, models=names, probabilities=None, whole=predictions.whole or predictions
        )
        return cls(two, labels, loss, both, differ, counted, losses)

    @property
    def gain(self) -> FloatArray:
        """(rows,): how much less the first model lost than the second."""
        return np.asarray(self.losses[1] - self.losses[0])

    @property
    def informative(self) -> BoolArray:
        """(rows,): labeled samples on which the two differ."""
        return self.counted & self.differ[self.labels.sample]

    @cached_property
    def skipped(self) -> BoolArray:
        """(rows,): samples that both predicted and that were skipped."""
        return np.asarray(self.labels.answered & ~self.labels.usable & self.both[self.labels.sample])

    @property
    def differing_skipped(self) -> int:
        """On how many of the skipped samples the two differ."""
        return int(np.count_nonzero(self.differ[self.labels.sample[self.skipped]]))

    @property
    def differing(self) -> int:
        """On how many samples they differ, without the skipped ones, which do not count in the difference."""
        return int(self.differ.sum()) - self.differing_skipped

    @cached_property
    def drawn(self) -> BoolArray:
        """(rows,): whether the row is a draw, from any stratum."""
        drawn = np.zeros(len(self.labels), dtype=bool)
        for draws in self._draws:
            drawn[draws.rows] = True
        return drawn

    @cached_property
    def _draws(self) -> list[Draws]:
        return draws_by_stratum(self.predictions, self.labels)

    def _differ_in(self, draws: Draws) -> bool:
        return bool(self.differ.any() if draws.members is None else self.differ[draws.members].any())

    @property
    def samples(self) -> int:
        """How many samples count in the difference: predicted by both, and not skipped."""
        return int(self.both.sum() - self.skipped.sum())

    @property
    def complete(self) -> bool:
        """Whether no further label can change the difference."""
        doubtful = self.labels.skipped and np.count_nonzero(self.labels.answered) < self.labels.pool
        return not self._undecided and not doubtful

    @cached_property
    def uniform(self) -> bool:
        """Whether all samples on which they differ are in one stratum, with uniform draws only."""
        strata = [draws for draws in self._draws if self._differ_in(draws)]
        if len(strata) != 1 or self.labels.skipped:
            return False
        rows = np.flatnonzero(strata[0].inside)
        return strata[0].unit_weights and np.array_equal(rows[rows >= strata[0].start], strata[0].rows)

    def estimate(self, level: float, *, anytime: bool = False) -> DifferenceEstimate:
        """How much better the first model is, over all samples that both predicted.

        The interval is for a number of labels fixed in advance, or else for all numbers at once (`anytime`).
        """
        if not self.samples:
            raise NotEnoughLabels(
                f"all {self.both.sum()} samples that both models predicted were skipped, so no label can be used; "
                "label one of them, or compare other models"
            )
        if self.complete:
            value = float(self.gain.sum() / self.samples)
            return DifferenceEstimate(
                value, value, value, float(value == 0), SETTLED if self.differing_skipped else KNOWN
            )
        if not self.labels.usable.any():
            raise NotEnoughLabels(
                f"none of the {self.labels.pool} samples has a label that can be used yet; fill in the column of "
                "labels or grades"
            )
        if not (self.labels.usable & self.drawn).any():
            raise LabelsError(
                "how these labels were chosen is not known, so they say nothing about the others; draw some with "
                "`adjudge select`, or add --drawn uniform (drawn= in Python) if they were a plain random draw"
            )
        if anytime:
            return self._from_bets(level)
        return self._from_uniform(level) if self.uniform and self.informed is None else self._from_weighted(level)

    def flip_shares(self) -> tuple[float, float]:
        """The estimated share of all samples on which the first model does better, and on which the second does."""
        better = np.array([self.gain > 0, self.gain < 0], dtype=np.float64)
        if self.complete:
            shares = better.sum(axis=1) / self.samples
        elif self.uniform:
            known, drawn, size = self._split()
            if not drawn.any():
                return nan, nan
            shares = (better[:, known].sum(axis=1) + size * better[:, drawn].mean(axis=1)) / self.samples
        else:
            mean = self._mean(better)
            # without draws, the share is zero where the predictions are equal, and not known where they differ
            blank = [np.full(2, nan if self._differ_in(stratum.draws) else 0.0) for stratum in mean.strata]
            each = [
                stratum.mean_and_variance[0] if stratum.drawn else none
                for stratum, none in zip(mean.strata, blank, strict=True)
            ]
            shares = self._shares_that_can_be(np.clip(mean.over_pool(each), 0.0, 1.0), better.sum(axis=1))
        return float(shares[0]), float(shares[1])

    def _shares_that_can_be(self, shares: FloatArray, seen: FloatArray) -> FloatArray:
        """Clip the shares: no more flips than differing samples, no fewer than were seen, and a possible difference."""
        apart = np.clip(shares[0] - shares[1], *self._limits(float(seen[0] - seen[1])))
        sides = np.array([apart, -apart])
        fewest, most = self._judged
        flips = np.clip(shares.sum(), (2 * seen / most - sides).max(), (seen.sum() + self._undecided) / fewest)
        return np.asarray((flips + sides) / 2)

    @property
    def _undecided(self) -> int:
        """How many samples on which they differ were not handed out."""
        return int(self.differ.sum() - np.count_nonzero(self.labels.answered & self.differ[self.labels.sample]))

    @property
    def _judged(self) -> tuple[int, int]:
        """The smallest and the largest number of samples that may count: after a skip, open ones may be skipped too.

        Open samples on which they differ are included in both, since skipping them would narrow the limits.
        """
        answered = int(np.count_nonzero(self.labels.answered & self.both[self.labels.sample]))
        counted = int(self.counted.sum())
        most = int(self.both.sum()) - answered + counted
        return max(1, counted + self._undecided if self.labels.skipped else most), max(1, most)

    def _limits(self, gain: float) -> tuple[float, float]:
        """The lowest and the highest difference that the labels leave possible, given the sum that they show."""
        fewest, most = self._judged
        low, high = gain - self._undecided, gain + self._undecided
        return low / (fewest if low < 0 else most), high / (fewest if high > 0 else most)

    def _split(self) -> tuple[BoolArray, BoolArray, int]:
        """Informative rows that were known, those that were drawn, and how many samples these were drawn from."""
        known = self.informative & ~self.drawn
        return known, self.informative & self.drawn, int(self.differ.sum() - known.sum())

    def _from_uniform(self, level: float) -> DifferenceEstimate:
        known, drawn, size = self._split()
        gain, draws, sure = self.gain[drawn], int(drawn.sum()), float(self.gain[known].sum())
        p_value, method = nan, MEANS
        if isinstance(self.loss, ZeroOne):
            method = EXACT_TEST
            wins, losses = int((gain > 0).sum()), int((gain < 0).sum())
            p_value = nan if known.any() else exact_mcnemar(wins, losses, draws, size)
            low, high = paired_interval(wins, losses, draws, size, level)
        elif draws < 2 or (draws < MIN_LABELS_UNBOUNDED and not self.loss.bounded):
            low, high = (-1.0, 1.0) if self.loss.bounded else (nan, nan)
        else:
            left = (size - draws) / (size - 1)
            mean, spread = np.array(gain.mean()), np.array(gain.var(ddof=1))
            variance = float(guarded_variance(mean, spread, guard_size(gain), draws, left / draws))
            half = float(student_quantile(level, draws)) * sqrt(variance)
            low, high = float(mean) - half, float(mean) + half
        value = float(gain.mean()) if draws else nan
        over_all = [(sure + size * each) / self.samples for each in (value, low, high)]
        return DifferenceEstimate(*self._possible(over_all), p_value, method)

    def _from_weighted(self, level: float) -> DifferenceEstimate:
        mean, first, second = self.informed or self.mean, np.array([0]), np.array([1])
        value, low, high = (float(each[0, 0]) for each in mean.differences(second, first, level))
        counts = [int(stratum.judged[0]) for stratum in mean.strata if stratum.drawn and self._differ_in(stratum.draws)]
        if min(counts, default=0) < 2 or (sum(counts) < MIN_LABELS_UNBOUNDED and not self.loss.bounded):
            low = high = nan
        return DifferenceEstimate(*self._possible([value, low, high]), nan, WEIGHTED)

    def _from_bets(self, level: float) -> DifferenceEstimate:
        if not self.loss.bounded:
            raise InputError(
                "an interval that holds at any time needs to know how large a loss can be; state the range of the "
                "numbers, or use an interval for a fixed number of labels"
            )
        intervals = AnytimeIntervals(self.mean, level, comparisons=1)
        value, low, high = (float(each[0, 0]) for each in intervals.between(np.array([1]), np.array([0])))
        if self.uniform and self.informed is None and not intervals.ties:  # the best estimate is that without bets
            value = float(np.clip(self._from_uniform(level).value, low, high))
        return DifferenceEstimate(*self._possible([value, low, high]), nan, BETS, intervals.ties)

    def _possible(self, numbers: list[float]) -> tuple[float, float, float]:
        """Clipped to what the labels leave possible: an open sample can change a bounded loss by at most one."""
        value, low, high = numbers
        if self.loss.bounded:
            least, most = self._limits(float(self.gain.sum()))
            value, low, high = (float(each) for each in np.clip(numbers, least, most))
            # where no interval can be estimated, the possible range is the interval
            low, high = least if np.isnan(low) else low, most if np.isnan(high) else high
            value = low if low == high else value
        return value, low, high

    @cached_property
    def mean(self) -> PoolMean:
        """The mean losses of the two, from the draws alone."""
        return self._mean(self.losses)

    def _mean(self, rows: FloatArray) -> PoolMean:
        """The stratified mean of two numbers for each row of the log."""
        known = KnownLosses(rows, np.broadcast_to(self.counted, rows.shape))
        return mean_of(self.predictions, self.labels, known, bounded=self.loss.bounded)
