"""How far estimates for one model fell from the truth: in the runs of an experiment, in theory, and in small pools."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.engine import results as in_parallel
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task
from adjudge.loop import hand_out
from adjudge.selectors.ces import CES

POOLS = 30  # small pools of each size (Section 4.3.4)
RESAMPLED = 200  # times that the runs are drawn again to see how far E moves


@dataclass(frozen=True, eq=False)
class Errors:
    """Estimate minus truth, of one model and method."""

    sizes: tuple[int, ...]
    values: FloatArray  # (repetitions, sizes)

    def deviation(self) -> FloatArray:
        """(sizes,): the root of the mean squared error, which the paper plots as standard deviation."""
        return np.asarray(np.sqrt(np.mean(self.values**2, axis=0)))

    def against_theory(self, score: FloatArray) -> FloatArray:
        """(sizes,): E with the known variance of random samples; nan where that is zero."""
        variance = random_variance(score, self.sizes)
        return self.deviation() ** 2 / np.where(variance > 0, variance, np.nan)


@dataclass(frozen=True)
class Efficiency:
    """E, averaged over sizes, and how far it would move in other runs (one standard error)."""

    value: float
    error: float


def errors_of(results: Results, task: str, name: str, model: str) -> Errors | None:
    """Those of a method, in whatever jobs they are; None where it was not run."""
    found: dict[int, FloatArray] = {}
    for outcome in results.of(task, name):
        if outcome.job.model in (None, model) and model in outcome.models:
            place = outcome.models.index(model)
            missed = outcome.values[:, :, place] - outcome.truth[place]
            found |= dict(zip(outcome.job.budgets, missed.T, strict=True))
    if not found or any(np.isnan(each).any() for each in found.values()):
        return None
    return Errors(tuple(sorted(found)), np.stack([found[size] for size in sorted(found)], axis=1))


def efficiency(ours: Errors, random: Errors) -> Efficiency | None:
    """E = mean squared error / that of random samples, averaged over the sizes that both have (Section 4.2).

    A size at which every random sample was exact has no E and is left out.
    """
    sizes = sorted(set(ours.sizes) & set(random.sizes))
    if not sizes:
        return None
    squares = [each.values[:, [each.sizes.index(size) for size in sizes]] ** 2 for each in (ours, random)]
    rng = np.random.default_rng(0)
    resampled = [each[rng.integers(len(each), size=(RESAMPLED, len(each)))].mean(axis=1) for each in squares]
    mean = _mean_ratio(*(each.mean(axis=0)[None] for each in squares))
    return Efficiency(float(mean[0]), float(np.nanstd(_mean_ratio(*resampled), ddof=1)))


def _mean_ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """(rows,): the mean over sizes of top / bottom; nan where nothing is left."""
    known = bottom > 0
    ratio = np.where(known, top / np.where(known, bottom, 1.0), 0.0)
    counted = known.sum(axis=1)
    return np.asarray(np.where(counted > 0, ratio.sum(axis=1) / np.maximum(counted, 1), np.nan))


def scores(task: Task, model: str) -> FloatArray:
    """(samples,): whose mean is the value of a model: right or not, or 1 - squared error; nan where not known."""
    said = task.predictions.values[task.predictions.models.index(model)]
    if task.predictions.classes is None:
        return np.asarray(1 - (said - task.truth) ** 2)
    return np.where(np.isnan(task.truth) | (said < 0), np.nan, said == task.truth)


def random_variance(score: FloatArray, sizes: Sequence[int]) -> FloatArray:
    """(sizes,): of the mean over random samples without replacement; known, so that no run is needed.

    >>> random_variance(np.array([0.0, 1.0, 1.0, 0.0]), [1, 2, 4])
    array([0.25      , 0.08333333, 0.        ])
    """
    known = score[~np.isnan(score)]
    count = np.asarray(sizes, dtype=np.float64)
    return np.asarray(known.var(ddof=1) / count * (1 - count / len(known)))


@dataclass(frozen=True, eq=False)
class SmallPools:
    """What came out in small pools of one size drawn from a task."""

    value: FloatArray  # (pools,): what the model is worth in each
    variance: FloatArray  # (pools,): of random samples
    random: FloatArray  # (pools, runs): absolute error of random samples
    chosen: FloatArray | None  # (pools, runs): that of CES; None without features

    def efficiencies(self) -> FloatArray | None:
        """(pools,): E of each pool; those on which the model makes no error at all have none and are left out."""
        if self.chosen is None:
            return None
        known = self.variance > 0
        return np.asarray(np.mean(self.chosen[known] ** 2, axis=1) / self.variance[known])


def small_pools(task: Task, model: str, samples: int, labels: int, runs: int, seed: int) -> SmallPools | None:
    """Pools drawn by [seed, samples, number], and runs in them; None where the task has too few samples."""
    score = scores(task, model)
    known = np.flatnonzero(~np.isnan(score))
    if len(known) < samples:
        return None
    drawn = [
        np.sort(np.random.default_rng([seed, samples, number]).choice(known, samples, replace=False))
        for number in range(POOLS)
    ]
    parts = [score[rows] for rows in drawn]
    chosen = None
    if model in task.with_features():
        features = task.features(model)
        pools = [(features[rows], part) for rows, part in zip(drawn, parts, strict=True)]
        chosen = np.stack(list(in_parallel(partial(_missed, labels=labels, runs=runs, seed=seed), pools)))
    return SmallPools(
        value=np.array([part.mean() for part in parts]),
        variance=np.array([random_variance(part, [labels])[0] for part in parts]),
        random=np.stack([_missed_at_random(part, labels, runs, seed) for part in parts]),
        chosen=chosen,
    )


def _missed(pool: tuple[Array, FloatArray], labels: int, runs: int, seed: int) -> FloatArray:
    """(runs,): the absolute error of CES, which does not look at predictions."""
    features, score = pool
    blank = Predictions(np.zeros((1, len(score)), dtype=np.int8), ("-",), range(len(score)), ("-",))
    method, none = CES(features), Labels.empty(len(score))
    logs = [hand_out(method.start(blank, none, labels, seed + run), none, labels) for run in range(runs)]
    return np.array([abs(score[log.sample].mean() - score.mean()) for log in logs])


def _missed_at_random(score: FloatArray, labels: int, runs: int, seed: int) -> FloatArray:
    """(runs,): the absolute error of random samples."""
    rngs = (np.random.default_rng([seed + run, labels]) for run in range(runs))
    return np.array([abs(rng.choice(score, labels, replace=False).mean() - score.mean()) for rng in rngs])
