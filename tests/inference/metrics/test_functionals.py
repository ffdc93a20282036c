"""Metrics of weighted rows: as scikit-learn has them, and influence values as derivatives by the weights."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn import metrics as reference

from adjudge.core.arrays import Array, FloatArray
from adjudge.inference.metrics import functionals
from adjudge.inference.metrics.functionals import Metric, by_class, for_classes
from adjudge.inference.metrics.per_class import PRECISION, RECALL, SPECIFICITY, Counts, PerClass, f_beta
from adjudge.inference.metrics.rows import WeightedRows

RNG = np.random.default_rng(0)
ROWS, MODELS, CLASSES, POSITIVE = 60, 3, 4, 1
TRUTH = RNG.integers(0, CLASSES, ROWS).astype(float)
PROBABILITIES = RNG.dirichlet(np.ones(CLASSES), (MODELS, ROWS)).round(1) + 1e-3  # many ties
PROBABILITIES /= PROBABILITIES.sum(axis=2, keepdims=True)
VALUES = PROBABILITIES.argmax(axis=2)
WEIGHT = RNG.uniform(0.5, 2, ROWS)
NUMBERS = RNG.normal(size=(MODELS, ROWS))
TRUE_NUMBERS = NUMBERS[0] + RNG.normal(size=ROWS)
OF_NUMBERS = (functionals.root_mean_square, functionals.explained_share)


def rows_of(metric: Metric, weight: FloatArray) -> WeightedRows:
    values, truth = (NUMBERS, TRUE_NUMBERS) if metric in OF_NUMBERS else (VALUES, TRUTH)
    return WeightedRows(values, truth, np.tile(weight, (MODELS, 1)), PROBABILITIES, CLASSES)


def calibration(model: int) -> float:
    confidence, right = PROBABILITIES[model].max(axis=1), VALUES[model] == TRUTH
    bins = np.minimum((confidence * 15).astype(int), 14)
    gaps = [abs((WEIGHT * (confidence - right))[bins == each].sum()) for each in range(15)]
    return float(sum(gaps) / WEIGHT.sum())


EACH: list[tuple[Metric, Callable[[int], float]]] = [
    (
        by_class(functionals.weighted_precision),
        lambda m: reference.precision_score(TRUTH, VALUES[m], average="weighted", sample_weight=WEIGHT),
    ),
    (
        by_class(functionals.weighted_f(2.0)),
        lambda m: reference.fbeta_score(TRUTH, VALUES[m], beta=2, average="weighted", sample_weight=WEIGHT),
    ),
    (functionals.matthews, lambda m: reference.matthews_corrcoef(TRUTH, VALUES[m], sample_weight=WEIGHT)),
    (
        functionals.roc_auc,
        lambda m: reference.roc_auc_score(TRUTH == POSITIVE, PROBABILITIES[m, :, POSITIVE], sample_weight=WEIGHT),
    ),
    (
        functionals.average_precision,
        lambda m: reference.average_precision_score(
            TRUTH == POSITIVE, PROBABILITIES[m, :, POSITIVE], sample_weight=WEIGHT
        ),
    ),
    (
        functionals.root_mean_square,
        lambda m: reference.root_mean_squared_error(TRUE_NUMBERS, NUMBERS[m], sample_weight=WEIGHT),
    ),
    (functionals.explained_share, lambda m: reference.r2_score(TRUE_NUMBERS, NUMBERS[m], sample_weight=WEIGHT)),
    (functionals.calibration_error, calibration),
]


def slopes(value: Callable[[FloatArray], Array], place: int) -> FloatArray:
    """(models,): the derivative by the share of a row."""
    step = 1e-6
    more = WEIGHT.copy()
    more[place] += step * WEIGHT.sum()
    return np.asarray((value(more) - value(WEIGHT)) / step)


@pytest.mark.parametrize(("metric", "expected"), EACH)
def test_values_and_influence(metric: Metric, expected: Callable[[int], float]) -> None:
    found = metric(rows_of(metric, WEIGHT), POSITIVE)
    assert found.value == pytest.approx([expected(model) for model in range(MODELS)])
    assert found.influence @ WEIGHT == pytest.approx(0, abs=1e-8)
    for place in (0, 7, 33):
        by_step = slopes(lambda weight: metric(rows_of(metric, weight), POSITIVE).value, place)
        assert found.influence[:, place] == pytest.approx(by_step, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("metric", [PRECISION, RECALL, SPECIFICITY, f_beta(2.0)])
def test_influence_on_metrics_of_classes(metric: PerClass) -> None:
    every = np.arange(CLASSES)[:, None]

    def value(weight: FloatArray, codes: Array) -> FloatArray:
        share, said, true = weight / weight.sum(), VALUES[:, None, :] == codes, codes == TRUTH
        parts = [(share * each).sum(axis=-1) for each in (said & true, np.broadcast_to(true, said.shape), said)]
        found, known, named = parts
        return np.asarray(metric.counted(Counts(found, known, named, np.ones_like(found))).mean(axis=1))

    for positive in (None, POSITIVE):
        codes = every if positive is None else every[[positive]]
        found = for_classes(metric.counted, rows_of(functionals.matthews, WEIGHT), positive)
        for place in (0, 7, 33):
            by_step = slopes(lambda weight: value(weight, codes), place)  # noqa: B023
            assert found[:, place] == pytest.approx(by_step, rel=1e-3, abs=1e-4)
