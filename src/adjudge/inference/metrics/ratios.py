"""Rank models by a metric that is not a mean of losses, with intervals where the labels were drawn."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.errors import NotEnoughLabels
from adjudge.inference.expansion import expansion_weights
from adjudge.inference.intervals import guard_size, student_quantile
from adjudge.inference.metrics.functionals import Functional
from adjudge.inference.metrics.per_class import Counts, LabeledRows, PerClass
from adjudge.inference.metrics.registry import (
    CORRELATION,
    POSITIVE,
    PROBABILITIES,
    SHARE,
    NamedMetric,
    check_metric,
    named_metric,
)
from adjudge.inference.metrics.rows import WeightedRows
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.stratum import KnownLosses, ratio
from adjudge.inference.tiers import tiers
from adjudge.inference.weighted import mean_of

LABELS_PER_CLASS = 5  # labeled samples of a class; with fewer, intervals do not hold their level
UNTOLD = 0.5  # what a metric of pairs is for samples that a model cannot tell apart
FEWEST = 20  # labels, for the interval of a metric of all of them


@dataclass(frozen=True)
class RatioMetric:
    """Rank models by a metric that is made of proportions, or any other function of weighted rows.

    Proportions of a class have mid-p intervals; they are combined by MOVER (Zou and Donner, 2008), over the classes
    with the correlation of their influence values. Other functions have Student intervals by linearization
    (`metrics.functionals`), symmetric on the scale that suits the metric. The metric is unknown while a class has no
    labeled sample, and there is no interval before each class has five.
    """

    metric: str
    positive: str | None = None  # the class of a metric that is about one
    level: float = 0.95

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        wanted = named_metric(self.metric)
        check_metric(wanted, predictions, self.positive)
        labels = labels.settled()
        if not labels.usable.any():
            raise NotEnoughLabels(f"no sample is labeled yet; {self.metric} needs labels of every class")
        drawn, tier = ~np.isnan(labels.weight), None
        lower, name = wanted.metric.lower_is_better, wanted.metric.quantity
        name = name if name != wanted.metric.name else self.metric
        quantity = name if self.positive is None else f"{name} of {self.positive}"
        observed = LabeledRows.of(predictions, labels).observed
        if np.count_nonzero(labels.answered) == labels.pool:
            value = self._counted(wanted, predictions, labels, complete=True)
            estimate = Estimate(value, value, value, quantity, self.level, lower_is_better=lower)
        elif not observed[:, drawn].any():
            value = self._counted(wanted, predictions, labels, complete=False)
            estimate = Estimate.without_interval(value, f"{quantity} on the labeled samples", lower_is_better=lower)
        else:
            found = self.estimated(predictions, labels)
            estimate = Estimate(found.value, found.low, found.high, quantity, self.level, lower_is_better=lower)
            tier = found.tiers(self.level, lower_is_better=lower)
        return Ranking.from_log(predictions.models, estimate, labels, tier)

    def estimated(self, predictions: Predictions, labels: Labels) -> "MetricEstimate":
        """From drawn labels, without pending rows."""
        wanted = named_metric(self.metric)
        if wanted.metric.classes is not None:
            return self._by_class(wanted.metric.classes(wanted.number), predictions, labels)
        return self._linearized(wanted, predictions, labels)

    def _chosen(self, predictions: Predictions) -> IntArray:
        assert predictions.classes is not None
        if self.positive is None:
            return np.arange(len(predictions.classes))
        return np.array([predictions.classes.index(self.positive)])

    def _counted(self, wanted: NamedMetric, predictions: Predictions, labels: Labels, *, complete: bool) -> FloatArray:
        """(models,): the metric on the labeled rows; a class that is known not to occur is left out."""
        if wanted.metric.rows is not None:
            return self._functional(wanted, predictions, labels, np.ones(len(labels)))[0].value
        assert wanted.metric.classes is not None
        rows, chosen = LabeledRows.of(predictions, labels), self._chosen(predictions)
        of_class, everything = wanted.metric.classes(wanted.number), rows.observed.sum(axis=1)
        values = np.empty((len(rows.observed), len(chosen)))
        for place, code in enumerate(chosen):
            true, predicted = rows.true(code), rows.predicted(code)
            found, is_true, said = (each.sum(axis=1) for each in (true & predicted, true, predicted))
            values[:, place] = of_class.counted(Counts(found, is_true, said, everything))
            values[~true.any(axis=1), place] = np.nan
        known = ~np.isnan(values)
        value = ratio(np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1))
        return value if complete else np.where(known.all(axis=1), value, np.nan)

    def _functional(
        self, wanted: NamedMetric, predictions: Predictions, labels: Labels, weight: FloatArray
    ) -> tuple[Functional, WeightedRows]:
        assert wanted.metric.rows is not None
        rows = WeightedRows.of(predictions, labels, weight, probable=wanted.metric.needs == PROBABILITIES)
        positive = None if self.positive is None else int(self._chosen(predictions)[0])
        return wanted.metric.rows(wanted.number)(rows, positive), rows

    def _linearized(self, wanted: NamedMetric, predictions: Predictions, labels: Labels) -> "MetricEstimate":
        found, rows = self._functional(wanted, predictions, labels, expansion_weights(predictions, labels))
        influence, observed = np.zeros((2, len(found.value), len(labels)))
        influence[:, labels.usable], observed[:, labels.usable] = found.influence, rows.present
        mean = mean_of(predictions, labels, KnownLosses(influence, observed.astype(bool)))
        _check_drawn(mean)
        count = rows.present.sum(axis=1)
        few = count < FEWEST
        if self.positive is not None:
            inside = (rows.present & (rows.truth == self._chosen(predictions)[0])).sum(axis=1)
            smaller = np.minimum(inside, count - inside)  # what a comparison of two groups is known from
            few |= smaller < LABELS_PER_CLASS
            count = smaller
        variance = mean.variance
        if self.positive is not None:  # one more sample that the model cannot tell, so that none is no certainty
            variance = variance + ((found.value - UNTOLD) / (count + 1)) ** 2
        else:  # one more row of the size that makes up most of the variance, since large errors are rarely drawn
            size = np.where(influence.any(axis=1), guard_size(influence), 0.0)
            variance = variance + (size / (count + 1)) ** 2
        error = np.sqrt(variance) * student_quantile(self.level, np.maximum(count, 2))
        low, high = on_scale(wanted.metric.scale, found.value, error, count)
        return MetricEstimate(found.value, np.where(few, np.nan, low), np.where(few, np.nan, high), few, mean)

    def _by_class(self, of_class: PerClass, predictions: Predictions, labels: Labels) -> "MetricEstimate":
        rows, chosen = LabeledRows.of(predictions, labels), self._chosen(predictions)
        each = [of_class.drawn(predictions, labels, rows, int(code), self.level) for code in chosen]
        count = np.array([one.labeled for one in each])
        value = np.where((count > 0).all(axis=0), np.mean([one.value for one in each], axis=0), np.nan)
        influence = np.mean([one.influence for one in each], axis=0)
        mean = mean_of(predictions, labels, KnownLosses(influence, rows.observed))
        _check_drawn(mean)
        alone = [mean_of(predictions, labels, KnownLosses(one.influence, rows.observed)).variance for one in each]
        # the ratio of the variance of the mean over classes to that of independent classes; unknown if no row is wrong
        unseen = min(of_class.classes_of_a_mistake, len(each))
        tied = np.sqrt(np.nan_to_num(ratio(mean.variance * len(each) ** 2, np.sum(alone, axis=0)), nan=unseen))
        below, above = (
            tied * np.sqrt(np.sum([(one.value - getattr(one, end)) ** 2 for one in each], axis=0)) / len(each)
            for end in ("low", "high")
        )
        few = np.asarray(np.any(count < LABELS_PER_CLASS, axis=0))
        low, high = (np.where(few, np.nan, np.clip(end, 0.0, 1.0)) for end in (value - below, value + above))

        return MetricEstimate(value, low, high, few, mean)


@dataclass(frozen=True, eq=False)
class MetricEstimate:
    """A metric with its interval; (models,) each, but for the mean of the influence values."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    few: BoolArray  # whether labels are too few for an interval
    mean: PoolMean

    def tiers(self, level: float, *, lower_is_better: bool) -> IntArray | None:
        good = -self.value if lower_is_better else self.value
        few = self.few | np.isnan(self.low)
        if few.all():
            return None

        def clearly_worse(below: IntArray, leader: int) -> BoolArray:
            half = self.half_width(below, np.array([leader]), level, self.mean.pairs)[:, 0]
            return np.asarray((good[leader] - good[below] > half) & ~few[below] & ~few[leader])

        return tiers(good, clearly_worse)

    def half_width(self, left: IntArray, right: IntArray, level: float, comparisons: int = 1) -> FloatArray:
        """(left, right): of the interval of a difference."""
        _, least, most = self.mean.differences(left, right, level, comparisons)
        return np.asarray((most - least) / 2)


def on_scale(scale: str | None, value: FloatArray, half: FloatArray, count: IntArray) -> tuple[FloatArray, FloatArray]:
    """The ends of an interval that is symmetric on a scale without limits, from the half width of a plain one."""
    if scale is None:
        return np.full(value.shape, np.nan), np.full(value.shape, np.nan)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if scale in (SHARE, CORRELATION):
            share = value if scale == SHARE else (1 + value) / 2
            half = half if scale == SHARE else half / 2
            edge = 0.5 / np.maximum(count, 1)
            inner = np.clip(share, edge, 1 - edge)
            middle, away = np.log(inner / (1 - inner)), half / (inner * (1 - inner))
            ends = [1 / (1 + np.exp(-(middle + side * away))) for side in (-1, 1)]
            # a share nearer to the limit than half a sample says nothing against the limit itself
            low = np.where(share < edge, 0.0, np.fmin(ends[0], share))
            high = np.where(share > 1 - edge, 1.0, np.fmax(ends[1], share))
            return (low, high) if scale == SHARE else (2 * low - 1, 2 * high - 1)
        size = value if scale == POSITIVE else 1 - value
        times = np.exp(half / size)
        return (size / times, size * times) if scale == POSITIVE else (1 - size * times, 1 - size / times)


def _check_drawn(mean: PoolMean) -> None:
    if any(
        not stratum.drawn and weight.any() for stratum, weight in zip(mean.strata, mean.stratum_weights, strict=True)
    ):
        raise NotEnoughLabels(
            "a metric of classes needs drawn labels from every stratum, and one of them has none, such as the samples "
            "on which all models agree; draw some there, or rank by accuracy"
        )
