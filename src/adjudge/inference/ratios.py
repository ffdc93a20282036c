"""Ratio metrics (balanced accuracy, F1, macro-F1), with intervals where the labels were drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.index import listed
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.proportions import proportion
from adjudge.inference.stratum import KnownLosses, ratio
from adjudge.inference.tiers import tiers
from adjudge.inference.weighted import mean_of

LABELS_PER_CLASS = 5  # labeled samples of a class; with fewer, intervals do not hold their level


@dataclass(frozen=True)
class RatioMetric:
    """Rank models by a metric that is made of proportions: recall, or precision and the miss rate.

    How often a model predicts a class is known for the whole pool, so F1 follows from two proportions: how often the
    class is true where the model predicts it, and where it does not. Each proportion has a mid-p interval; they are
    combined by MOVER (Zou and Donner, 2008), over the classes with the correlation of their influence values. The
    metric is unknown while a class has no labeled sample, and there is no interval before each class has five.
    """

    metric: str
    positive: str | None = None  # the class of f1
    level: float = 0.95

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        chosen = self._classes(predictions)
        labels = labels.settled()
        if not labels.usable.any():
            raise NotEnoughLabels(f"no sample is labeled yet; {self.metric} needs labels of every class")
        rows = _LabeledRows.of(predictions, labels)
        drawn, tier = ~np.isnan(labels.weight), None
        quantity = self.metric if self.positive is None else f"{self.metric} of {self.positive}"
        if np.count_nonzero(labels.answered) == labels.pool:
            value = self._counted(rows, chosen, complete=True)
            estimate = Estimate(value, value, value, quantity, self.level)
        elif not rows.observed[:, drawn].any():
            value = self._counted(rows, chosen, complete=False)
            estimate = Estimate.without_interval(value, f"{quantity} on the labeled samples")
        else:
            estimate, tier = self._drawn(predictions, labels, rows, chosen, quantity)
        return Ranking.from_log(predictions.models, estimate, labels, tier)

    def _classes(self, predictions: Predictions) -> IntArray:
        if self.metric not in METRICS:
            raise InputError(f"there is no metric {self.metric!r}; use one of {', '.join(METRICS)}")
        if predictions.classes is None:
            raise InputError(f"{self.metric} is for classes, but these predictions are numbers; use a loss")
        if not METRICS[self.metric].one_class:
            if self.positive is not None:
                raise InputError(f"{self.metric} is about all classes; leave out the class, or ask for f1")
            return np.arange(len(predictions.classes))
        if self.positive not in predictions.classes:
            found = "f1 is about one class" if self.positive is None else f"there is no class {self.positive!r}"
            raise InputError(f"{found}; name one of {listed(predictions.classes)} (--class), or ask for macro-f1")
        return np.array([predictions.classes.index(self.positive)])

    def _counted(self, rows: "_LabeledRows", chosen: IntArray, *, complete: bool) -> FloatArray:
        """(models,): the metric on the labeled rows; a class that is known not to occur is left out."""
        per_class = np.empty((len(rows.observed), len(chosen)))
        for place, code in enumerate(chosen):
            true, predicted = rows.true(code), rows.predicted(code)
            right = (true & predicted).sum(axis=1)
            per_class[:, place] = METRICS[self.metric].counted(right, true.sum(axis=1), predicted.sum(axis=1))
            if not complete:
                per_class[~true.any(axis=1), place] = np.nan
        known = ~np.isnan(per_class)
        value = ratio(np.where(known, per_class, 0.0).sum(axis=1), known.sum(axis=1))
        return value if complete else np.where(known.all(axis=1), value, np.nan)

    def _drawn(
        self, predictions: Predictions, labels: Labels, rows: "_LabeledRows", chosen: IntArray, quantity: str
    ) -> tuple[Estimate, IntArray | None]:
        of_class = METRICS[self.metric]
        each = [of_class.drawn(predictions, labels, rows, int(code), self.level) for code in chosen]
        true = np.array([rows.true(int(code)).sum(axis=1) for code in chosen])
        value = np.where((true > 0).all(axis=0), np.mean([one.value for one in each], axis=0), np.nan)
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
        few = np.asarray(np.any(true < LABELS_PER_CLASS, axis=0))
        low, high = (np.where(few, np.nan, np.clip(end, 0.0, 1.0)) for end in (value - below, value + above))

        def clearly_worse(below: IntArray, leader: int) -> BoolArray:
            difference = mean.differences(below, np.array([leader]), self.level, mean.pairs)
            _, least, most = (end[:, 0] for end in difference)
            return np.asarray((value[leader] - value[below] > (most - least) / 2) & ~few[below] & ~few[leader])

        return Estimate(value, low, high, quantity, self.level), None if few.all() else tiers(value, clearly_worse)


class _LabeledRows(NamedTuple):
    """Predictions and labels of the rows of the log, for each model."""

    values: IntArray  # (models, rows)
    truth: FloatArray  # (rows,)
    observed: BoolArray  # (models, rows): labeled, and predicted by the model

    @classmethod
    def of(cls, predictions: Predictions, labels: Labels) -> "_LabeledRows":
        values = predictions.values[:, labels.sample]
        return cls(values, labels.value, np.asarray((values != MISSING) & labels.usable))

    def true(self, code: int) -> BoolArray:
        return np.asarray((self.truth == code) & self.observed)

    def predicted(self, code: int) -> BoolArray:
        return np.asarray((self.values == code) & self.observed)


class _ClassMetric(NamedTuple):
    """The metric of one class; all are (models,) except the influence values, which are (models, rows)."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    influence: FloatArray


def _recall(predictions: Predictions, labels: Labels, rows: _LabeledRows, code: int, level: float) -> _ClassMetric:
    true = rows.true(code)
    found = proportion(predictions, labels, rows.observed, true & rows.predicted(code), true, level)
    return _ClassMetric(found.value, found.low, found.high, found.influence / np.maximum(found.share, 1e-12)[:, None])


def _f1(predictions: Predictions, labels: Labels, rows: _LabeledRows, code: int, level: float) -> _ClassMetric:
    true, predicted = rows.true(code), rows.predicted(code)
    often = np.array([np.count_nonzero(row == code) for row in predictions.values]) / np.maximum(
        predictions.n_predicted, 1
    )
    rest = 1 - often
    right = proportion(predictions, labels, rows.observed, true & predicted, predicted, level)
    missed = proportion(predictions, labels, rows.observed, true & ~predicted, rows.observed & ~predicted, level)
    # a class that a model never predicts has no precision, which then has no effect on F1
    precision = np.where(often > 0, right.value, 0.0)
    misses = np.where(rest > 0, missed.value, 0.0)

    def f1(precise: FloatArray, miss: FloatArray) -> FloatArray:
        return ratio(2 * often * precise, often + often * precise + rest * miss)

    value = f1(precision, misses)
    bottom = np.maximum((often + often * precision + rest * misses) ** 2, 1e-12)
    by_right, by_missed = 2 * (often + rest * misses) / bottom, -2 * often * precision / bottom
    below = np.hypot(value - f1(right.low, misses), value - f1(precision, missed.high))
    above = np.hypot(value - f1(right.high, misses), value - f1(precision, missed.low))
    influence = by_right[:, None] * right.influence + by_missed[:, None] * missed.influence
    return _ClassMetric(value, value - below, value + above, np.nan_to_num(influence))


def _check_drawn(mean: PoolMean) -> None:
    if any(
        not stratum.drawn and weight.any() for stratum, weight in zip(mean.strata, mean.stratum_weights, strict=True)
    ):
        raise NotEnoughLabels(
            "a metric of classes needs drawn labels from every stratum, and one of them has none, such as the samples "
            "on which all models agree; draw some there, or rank by accuracy"
        )


class PerClass(NamedTuple):
    """What a metric is for a single class; the metric is the mean over its classes."""

    counted: Callable[[IntArray, IntArray, IntArray], FloatArray]  # from the numbers found, true and predicted
    drawn: Callable[[Predictions, Labels, _LabeledRows, int, float], _ClassMetric]  # estimated from draws
    classes_of_a_mistake: float  # a mistake lowers the recall of one class, but the F1 of two
    one_class: bool = False  # whether the user names the class


def _counted_recall(found: IntArray, true: IntArray, _predicted: IntArray) -> FloatArray:
    return ratio(found, true)


def _counted_f1(found: IntArray, true: IntArray, predicted: IntArray) -> FloatArray:
    return ratio(2 * found, true + predicted)


METRICS = {
    "balanced-accuracy": PerClass(_counted_recall, _recall, classes_of_a_mistake=1.0),
    "macro-f1": PerClass(_counted_f1, _f1, classes_of_a_mistake=2.0),
    "f1": PerClass(_counted_f1, _f1, classes_of_a_mistake=2.0, one_class=True),
}
