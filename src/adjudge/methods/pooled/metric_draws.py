"""Draws for a metric: the likelier, the more the label of a sample is expected to change the metric.

The influence value of a sample is what its label changes about a metric of a model (`inference.metrics`). Before the
label is known, the consensus says which label to expect. A sample is drawn with a probability proportional to the root
of its expected squared influence (Neyman, 1934): for the recall of a rare class, to samples that may be of it. For a
mean of losses, which has the expected losses as its control variate, it is the deviation from these that counts.
"""

from functools import partial

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, draw_uniform, draw_weighted
from adjudge.inference.draw_estimates import REFITS, last_refit
from adjudge.inference.metrics.functionals import for_classes
from adjudge.inference.metrics.registry import NUMBERS, PROBABILITIES, as_mean, named_metric
from adjudge.inference.metrics.rows import WeightedRows
from adjudge.losses.loss import Loss
from adjudge.losses.numbers import Squared
from adjudge.losses.probabilities import ProbabilityLoss
from adjudge.methods.pooled.consensus import class_probabilities
from adjudge.methods.pooled.numbers import disagreement, expected_correction

FLOOR = 0.4  # share of the draws with equal chances: no weight is above two and a half
LEAST = 0.005  # a class with a lower probability is not expected


def draws_for_metric(predictions: Predictions, metric: str, positive: str | None, seed: int) -> Picker | None:
    """A picker that aims at a metric; None: the metric is the accuracy, which other pickers aim at."""
    wanted = named_metric(metric)
    mean = as_mean(metric, predictions, Labels.empty(len(predictions.samples)), positive)
    if wanted.metric.mean == "zero-one":
        return None
    if not wanted.metric.aimed:
        return partial(draw_uniform, seed=seed)

    def scores(labels: Labels) -> FloatArray:
        if predictions.classes is None:
            default = as_mean("mse", predictions, labels) if mean is None else mean
            assert default is not None
            by = disagreement if isinstance(default[1], Squared) else expected_correction
            return by(predictions, default[1])
        seen = labels.head(last_refit(len(labels), REFITS))
        log = seen.sample.tobytes(), seen.value.tobytes()
        return cache.get_for(
            predictions, ("metric draws", metric, positive), log, lambda: _expected(predictions, seen, metric, positive)
        )

    def pick(labels: Labels) -> Pick | None:
        return draw_weighted(labels, scores(labels), FLOOR, seed)

    return pick


def _expected(predictions: Predictions, seen: Labels, metric: str, positive: str | None) -> FloatArray:
    """(samples,): the root of the expected squared influence."""
    chance = class_probabilities(predictions, seen)
    mean = as_mean(metric, predictions, Labels.empty(len(predictions.samples)), positive)
    if mean is not None:
        return _expected_deviation(*mean, chance)
    sample, code = np.nonzero(chance > LEAST)
    expected = chance[sample, code]
    square = (_influence(predictions, sample, code, expected, metric, positive) ** 2).mean(axis=0)
    return np.sqrt(np.bincount(sample, expected * square, minlength=len(chance)))


def _expected_deviation(pool: Predictions, loss: Loss, chance: FloatArray) -> FloatArray:
    """(samples,): the standard deviation of losses given the consensus: what its expected losses leave open."""
    assert isinstance(loss, ProbabilityLoss)
    variance = np.zeros(len(chance))
    for row in pool.values:
        mean, square = np.zeros((2, len(chance)))
        for code in range(chance.shape[1]):
            each = np.nan_to_num(loss(row[None], np.full(len(row), float(code)))[0])
            mean += chance[:, code] * each
            square += chance[:, code] * each**2
        variance += np.maximum(square - mean**2, 0.0)
    return np.sqrt(variance / len(pool.values))


def _influence(
    predictions: Predictions,
    sample: IntArray,
    code: IntArray,
    expected: FloatArray,
    metric: str,
    positive: str | None,
) -> FloatArray:
    """(models, rows): influence values of samples that have these labels."""
    wanted = named_metric(metric)
    assert wanted.metric.needs != NUMBERS
    assert predictions.classes is not None
    present = predictions.is_present(predictions.values[:, sample])
    probabilities = None
    if wanted.metric.needs == PROBABILITIES:
        probabilities = np.asarray(predictions.needed_probabilities(metric)[:, sample], dtype=np.float64)
        present &= ~np.isnan(probabilities).any(axis=2)
    values, weight = predictions.values[:, sample], np.where(present, expected, 0.0)
    rows_of = WeightedRows(values, code.astype(np.float64), weight, probabilities, len(predictions.classes))
    place = None if positive is None else predictions.classes.index(positive)
    if wanted.metric.rows is not None:
        return wanted.metric.rows(wanted.number)(rows_of, place).influence
    assert wanted.metric.classes is not None
    return for_classes(wanted.metric.classes(wanted.number).counted, rows_of, place)
