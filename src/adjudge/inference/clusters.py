"""Clusters: intervals for samples that come in groups which resemble each other, such as questions on one document.

The variance of a mean over clusters is estimated from the sums of residuals within each (Liang and Zeger, 1986; with
one degree of freedom for the mean). Its ratio to the variance of independent samples is the design effect (Kish, 1965).
Intervals are widened by its root, and by Student's quantile for the effective number of clusters in place of the normal
one. They are never narrowed.

References
----------
Liang and Zeger (1986), Longitudinal data analysis using generalized linear models. Biometrika 73(1).
https://doi.org/10.1093/biomet/73.1.13
Miller (2024), Adding error bars to evals: a statistical approach to language model evaluations.
https://doi.org/10.48550/arXiv.2411.00640
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.index import listed
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.inference.intervals import normal_quantile, student_quantile
from adjudge.inference.missing_predictions import MissingPredictions
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.ranks import TINY, Interval


class PairedIntervals(Protocol):
    """Intervals for a number of draws fixed in advance."""

    @property
    def mean(self) -> PoolMean: ...

    @property
    def level(self) -> float: ...

    @property
    def comparisons(self) -> int: ...

    @property
    def missing(self) -> MissingPredictions: ...

    def errors(self, comparisons: int = 1) -> Interval: ...

    def between(self, left: Array, right: Array) -> Interval: ...


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each sample; one without a value in the column is a cluster by itself."""

    column: str
    code: IntArray  # (samples,)

    @classmethod
    def of(cls, predictions: Predictions, column: str) -> "Clusters":
        there = [] if predictions.columns is None else predictions.columns.column_names
        if predictions.columns is None or column not in there:
            known = f"the columns of facts are {listed(there)}" if there else "there are no columns of facts"
            raise InputError(f"there is no column {column!r} of clusters; {known}; add --columns {column}")
        values = predictions.columns.column(column).combine_chunks()
        code = np.array(values.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
        alone = np.flatnonzero(code < 0)
        code[alone] = code.max(initial=-1) + 1 + np.arange(len(alone))
        return cls(column, code)

    def of_rows(self, samples: IntArray) -> "ClusteredRows":
        _, code = np.unique(self.code[samples], return_inverse=True)
        return ClusteredRows(code)


@dataclass(frozen=True, eq=False)
class ClusteredRows:
    """Some rows and their clusters."""

    code: IntArray  # (rows,): all numbers from 0

    @property
    def count(self) -> int:
        return int(self.code.max(initial=-1)) + 1

    def sums(self, rows: FloatArray | BoolArray) -> FloatArray:
        """(quantities, clusters): sums of (quantities, rows)."""
        order = np.argsort(self.code, kind="stable")
        starts = np.searchsorted(self.code[order], np.arange(self.count))
        return np.add.reduceat(np.asarray(rows, dtype=np.float64)[:, order], starts, axis=1)

    def residuals(self, rows: FloatArray, used: BoolArray) -> FloatArray:
        """(quantities, rows): differences to the means over the rows that are used, zero elsewhere."""
        mean = (rows * used).sum(axis=1) / np.maximum(used.sum(axis=1), 1)
        return np.asarray(np.where(used, rows - mean[:, None], 0.0))

    def design_effect(self, rows: FloatArray, used: BoolArray) -> FloatArray:
        """(quantities,): the variance of a mean over that of as many independent rows; at least one."""
        residual = self.residuals(rows, used)
        return self.ratio((self.sums(residual) ** 2).sum(axis=1), (residual**2).sum(axis=1), used)

    def ratio(self, between: FloatArray, within: FloatArray, used: BoolArray) -> FloatArray:
        """The design effect from sums of squares: of the clusters' sums, and of the rows.

        Where all rows are equal, those of a cluster count as one. `used` may be the same (1, rows) for all.
        """
        sizes, rows = self.sums(used), np.maximum(used.sum(axis=1), 1)
        clusters = np.maximum((sizes > 0).sum(axis=1), 2)
        alike = (sizes**2).sum(axis=1) / rows
        shown = between / np.maximum(within, 1e-300) * clusters / (clusters - 1) * (rows - 1) / rows
        return np.asarray(np.maximum(np.where(within > 1e-12 * rows, shown, alike), 1.0))

    def effective_clusters(self, used: BoolArray) -> FloatArray:
        """(quantities,): how many clusters of equal size have rows that are used (Kish)."""
        sizes = self.sums(used)
        return np.asarray(sizes.sum(axis=1) ** 2 / np.maximum((sizes**2).sum(axis=1), 1))

    def stretch(self, effect: FloatArray, used: BoolArray, level: float) -> FloatArray:
        """(quantities,): by how much intervals of independent rows are widened; infinite for a single cluster."""
        clusters = self.effective_clusters(used)
        student = student_quantile(level, np.maximum(clusters, 1 + 1e-6)) / normal_quantile(level)
        return np.where(clusters > 1 + 1e-6, np.sqrt(effect) * student, np.inf)


def widened(
    value: FloatArray, low: FloatArray, high: FloatArray, stretch: FloatArray, least: float, most: float
) -> tuple[FloatArray, FloatArray]:
    """The ends of an interval, each so many times as far from the value, within what is possible."""
    with np.errstate(invalid="ignore"):  # nothing is known of a single cluster, also where the interval had no width
        below, above = (np.nan_to_num(gap * stretch, nan=np.inf) for gap in (value - low, high - value))
    unknown = np.isnan(low) | np.isnan(high)
    ends = np.clip(value - below, least, most), np.clip(value + above, least, most)
    return np.where(unknown, np.nan, ends[0]), np.where(unknown, np.nan, ends[1])


def paired_stretch(
    rows: ClusteredRows, left: FloatArray, right: FloatArray, used: BoolArray, level: float
) -> FloatArray:
    """(left, right): the same for differences of (models, rows), of which all models use the same rows."""
    every = used[None, :]
    one, other = (rows.residuals(each, np.broadcast_to(every, each.shape)) for each in (left, right))
    between, within = (_squared(a, b) for a, b in ((rows.sums(one), rows.sums(other)), (one, other)))
    return rows.stretch(rows.ratio(between, within, every), every, level)


def _squared(left: FloatArray, right: FloatArray) -> FloatArray:
    """(left, right): sums of squared differences."""
    squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)[None, :] - 2 * left @ right.T
    return np.asarray(np.maximum(squares, 0.0))


@dataclass(frozen=True, eq=False)
class ClusteredIntervals:
    """Intervals of labels that were drawn cluster by cluster: those of single draws, widened."""

    times: PairedIntervals
    rows: ClusteredRows  # of the log

    @property
    def mean(self) -> PoolMean:
        return self.times.mean

    @property
    def level(self) -> float:
        return self.times.level

    @property
    def missing(self) -> MissingPredictions:
        return self.times.missing

    def errors(self, comparisons: int = 1) -> Interval:
        value, low, high = self.times.errors(comparisons)
        losses, used = self.mean.known.losses, self.mean.known.observed
        stretch = self.rows.stretch(self.rows.design_effect(losses, used), used, 1 - (1 - self.level) / comparisons)
        return value, *widened(value, low, high, stretch, 0.0, 1.0)

    def between(self, left: Array, right: Array) -> Interval:
        value, low, high = self.times.between(left, right)
        losses, used = self.mean.known.losses, np.asarray(self.mean.known.observed.any(axis=0))
        level = 1 - (1 - self.level) / self.times.comparisons
        stretch = paired_stretch(self.rows, losses[left], losses[right], used, level)
        return value, *widened(value, low, high, stretch, -1.0, 1.0)

    def worse(self, left: Array, right: Array) -> BoolArray:
        return np.asarray(self.between(left, right)[1] > TINY)
