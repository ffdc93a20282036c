"""Run-to-run noise: several runs of one model on the same samples, and intervals for new samples and new runs.

loss of run r on sample i = mean + how hard sample i is + noise of run r on sample i

So the variance of a mean over n samples and R runs is (between + within / R) / n, where `between` is the variance of
what a model is expected to lose on a sample, and `within` that of a run around it. Means over the runs of a sample are
independent numbers; single answers are not, and intervals that take them for that are too narrow.

References
----------
Searle, Casella and McCulloch (1992), Variance components. Wiley. https://doi.org/10.1002/9780470316856
Miller (2024), Adding error bars to evals. https://doi.org/10.48550/arXiv.2411.00640
"""

from dataclasses import dataclass

import numpy as np
import scipy  # a part of it is imported where it is first used

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.inference.expansion import expansion_weights
from adjudge.inference.future import mean_difference_interval
from adjudge.inference.intervals import guard_size, mid_p_interval, student_quantile
from adjudge.inference.stratum import KnownLosses
from adjudge.inference.weighted import mean_of
from adjudge.losses.loss import Loss


@dataclass(frozen=True)
class VarianceComponents:
    """Of a mean over the runs of a sample; the noise of a single run is nan if there is only one."""

    total: float  # variance over samples, noise of runs included
    within: float  # variance of one run around the mean of its sample
    runs: int

    @property
    def run_share(self) -> float:
        """How much of the variance comes from runs; nan if there is only one."""
        share = self.within / self.runs / self.total if self.total > 0 else 0.0 * self.within
        return float(np.minimum(1.0, share))

    def total_after(self, more: int) -> float:
        """The variance over samples after more runs; at least 0, since components are estimated."""
        return max(0.0, self.total - self.within / self.runs) + self.within / (self.runs + more)


@dataclass(frozen=True, eq=False)
class RepeatedLosses:
    """What several runs of each model lost on the labeled samples; rows are those of a log without pending rows."""

    pool: Predictions  # a row for each model; missing where any of its runs is missing
    log: Labels
    losses: tuple[FloatArray, ...]  # (runs, rows) for each model, 0 where nothing is known
    known: KnownLosses  # (models, rows): means over runs

    @classmethod
    def of(
        cls, pool: Predictions, runs: Predictions, places: list[list[int]], log: Labels, loss: Loss
    ) -> "RepeatedLosses":
        """`places` are the rows of `runs` that belong to each model of the pool."""
        usable = log.usable
        observed = pool.is_present(pool.values[:, log.sample]) & usable
        each = []
        for model, own in enumerate(places):
            losses = np.zeros((len(own), len(log)))
            losses[:, usable] = loss(runs.values[own][:, log.sample[usable]], log.value[usable])
            each.append(np.where(observed[model], losses, 0.0))
        return cls(pool, log, tuple(each), KnownLosses(np.array([one.mean(axis=0) for one in each]), observed))

    @property
    def complete(self) -> bool:
        """Whether every sample was handed out."""
        return int(np.count_nonzero(self.log.answered)) == self.log.pool

    @property
    def weight(self) -> FloatArray:
        """(rows,): how many samples of the pool each stands for."""
        return np.ones(len(self.log)) if self.complete else expansion_weights(self.pool, self.log)

    def components(self, model: int) -> VarianceComponents:
        rows = self.known.observed[model]
        losses, weight = self.losses[model][:, rows], self.weight[rows]
        within = _mean(losses.var(axis=0, ddof=1), weight) if len(losses) > 1 else np.nan
        return VarianceComponents(_variance(losses.mean(axis=0), weight), within, len(losses))

    def means(self, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(models,): mean losses over samples and runs, with intervals for new samples and new runs.

        Two errors, of the labels about the pool and of the pool about future data: their half widths are added in
        quadrature (MOVER).
        """
        counts = self.known.observed.sum(axis=1)
        variance = np.array([self.components(model).total for model in range(len(counts))])
        if self.complete:
            value = (self.known.losses * self.known.observed).sum(axis=1) / np.maximum(counts, 1)
            low = high = value
        else:
            mean = mean_of(self.pool, self.log, self.known, bounded=True)
            (value, low, high), counts = mean.interval(level), self.pool.n_predicted
        with np.errstate(invalid="ignore", divide="ignore"):
            effective = np.where(variance > 0, counts * value * (1 - value) / variance, counts)
        future = mid_p_interval(value, effective, student_quantile(level, np.maximum(counts, 2)))
        return (
            value,
            value - np.hypot(value - low, value - future[0]),
            value + np.hypot(high - value, future[1] - value),
        )

    def difference(self, left: int, right: int, level: float) -> tuple[float, float, float, float]:
        """The mean loss of the left model minus that of the right one, its interval, and the variance over samples."""
        rows = self.known.observed[left] & self.known.observed[right]
        apart = self.known.losses[left, rows] - self.known.losses[right, rows]
        variance, count = _variance(apart, self.weight[rows]), int(rows.sum())
        if self.complete:
            value = low = high = float(apart.mean())
        else:
            found = mean_of(self.pool, self.log, self.known, bounded=True)
            ends = found.differences(np.array([left]), np.array([right]), level)
            (value, low, high), count = (float(end[0, 0]) for end in ends), len(self.pool.samples)
        mean, spread, size = np.array([[value], [variance], [guard_size(apart)]])
        future = [float(end[0]) for end in mean_difference_interval(mean, spread, size, np.array([count]), level)]
        below, above = np.hypot(value - np.array([low, high]), value - np.array(future)).tolist()
        return value, max(-1.0, value - below), min(1.0, value + above), variance

    def run_effect_p_value(self, model: int) -> float:
        """The p-value of no difference between whole runs (F test of a two-way analysis of variance)."""
        losses = self.losses[model][:, self.known.observed[model]]
        runs, rows = losses.shape
        effect = losses.mean(axis=1) - losses.mean()
        residual = losses - losses.mean(axis=0) - effect[:, None]
        error = float((residual**2).sum()) / max((runs - 1) * (rows - 1), 1)
        if runs < 2 or rows < 2 or error <= 0:
            return 1.0
        ratio = rows * float(effect @ effect) / (runs - 1) / error
        return float(scipy.special.fdtrc(runs - 1, (runs - 1) * (rows - 1), ratio))


def _mean(numbers: FloatArray, weight: FloatArray) -> float:
    return float(numbers @ weight / weight.sum()) if weight.sum() > 0 else np.nan


def _variance(numbers: FloatArray, weight: FloatArray) -> float:
    """Over the pool, from weighted rows; nan from fewer than two."""
    count = len(numbers)
    return _mean((numbers - _mean(numbers, weight)) ** 2, weight) * count / (count - 1) if count > 1 else np.nan
