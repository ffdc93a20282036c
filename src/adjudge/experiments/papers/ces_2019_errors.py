"""How far estimates for one model fell from the truth: in the runs of an experiment, and in theory."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task

SRS, CSS, CES, REVERSED, AUTHORS = "SRS", "CSS", "CES", "CES (reversed KL)", "CES (authors' programs)"
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
    """E, averaged over sizes, and how far it would move in other runs (one standard error; nan: not known)."""

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
    return _resampled(*(each.values[:, [each.sizes.index(size) for size in sizes]] ** 2 for each in (ours, random)))


def efficiency_in_theory(ours: Errors, score: FloatArray) -> Efficiency:
    """E against the known variance of random samples: less noise than runs have."""
    return _resampled(ours.values**2, random_variance(score, ours.sizes)[None])


def _resampled(*squares: FloatArray) -> Efficiency:
    """E of two tables of squared errors (runs, sizes), and how far it moves when runs are drawn again."""
    rng = np.random.default_rng(0)
    again = [each[rng.integers(len(each), size=(RESAMPLED, len(each)))].mean(axis=1) for each in squares]
    mean = _mean_ratio(*(each.mean(axis=0)[None] for each in squares))
    known = len(squares[0]) > 1  # one run says nothing about others
    return Efficiency(float(mean[0]), float(np.nanstd(_mean_ratio(*again), ddof=1)) if known else np.nan)


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
