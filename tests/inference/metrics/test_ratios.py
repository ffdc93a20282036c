"""Balanced accuracy and F1: against scikit-learn where all is known, and by coverage where it is not."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    f1_score,
    fbeta_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
)

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.rank import MetricRanker
from adjudge.errors import AdjudgeWarning, InputError, NotEnoughLabels
from adjudge.inference.metrics.ratios import RatioMetric, on_scale
from adjudge.simulation.contract import StratifiedDraws
from adjudge.simulation.loop import bought
from tests.support.commands import WIDE, as_json, refused
from tests.support.pools import uniform_log
from tests.support.repeated import repeated

SAMPLES = 500
EACH = [("balanced-accuracy", None), ("macro-f1", None), ("f1", "b")]


@pytest.fixture(scope="module")
def uneven() -> tuple[Predictions, FloatArray]:
    """Four models of accuracies from 0.6 to 0.95, on classes that are common, less common and rare."""
    rng = np.random.default_rng(1)
    truth = rng.choice(3, size=SAMPLES, p=[0.55, 0.3, 0.15])
    right = rng.random((4, SAMPLES)) < np.linspace(0.6, 0.95, 4)[:, None]
    values = np.where(right, truth, (truth + rng.integers(1, 3, (4, SAMPLES))) % 3)
    return Predictions(values, ("m0", "m1", "m2", "m3"), range(SAMPLES), ("a", "b", "c")), truth.astype(float)


def uniform(truth: FloatArray, count: int, rng: np.random.Generator) -> Labels:
    return uniform_log(truth, rng.permutation(len(truth))[:count])


def from_strata(
    pool: Predictions, truth: FloatArray, count: int, seed: int, floor: float, unanimous: float = 0.3
) -> Labels:
    return bought(StratifiedDraws(unanimous, floor), pool, truth, count, seed)


def expected(pool: Predictions, truth: FloatArray, metric: str) -> list[float]:
    if metric == "balanced-accuracy":
        return [balanced_accuracy_score(truth, row) for row in pool.values]
    if metric == "macro-f1":
        return [f1_score(truth, row, average="macro") for row in pool.values]
    return [f1_score(truth, row, labels=[1], average="macro") for row in pool.values]


@pytest.mark.parametrize("metric", ["balanced-accuracy", "macro-f1"])
@pytest.mark.parametrize("skips", [False, True])
def test_labels_that_cannot_be_used_tell_nothing(
    uneven: tuple[Predictions, FloatArray], metric: str, skips: bool
) -> None:
    pool, truth = uneven
    held = []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        lost = rng.random(SAMPLES) < 0.5
        part = pool if skips else replace(pool, values=np.where(lost, -1, pool.values))
        estimate = RatioMetric(metric).rank(part, uniform(np.where(lost & skips, np.nan, truth), 160, rng)).estimate
        actual = np.array(
            expected(
                replace(pool, values=pool.values[:, ~lost], samples=range(SAMPLES)[: sum(~lost)]), truth[~lost], metric
            )
        )
        held.append((estimate.low <= actual) & (actual <= estimate.high))
    assert np.mean(held) > 0.92  # once .6 to .7


@pytest.mark.parametrize(("metric", "positive"), EACH)
def test_all_labels_give_the_textbook_value(
    uneven: tuple[Predictions, FloatArray], metric: str, positive: str | None
) -> None:
    pool, truth = uneven
    for log in (uniform(truth, SAMPLES, np.random.default_rng(0)), Labels.complete(truth)):
        found = adjudge.rank(pool, log, metric=metric, positive=positive).estimate
        assert found.value == pytest.approx(expected(pool, truth, metric))
        assert (found.low == found.value).all()
        assert (found.high == found.value).all()


@pytest.mark.parametrize(("metric", "positive"), EACH)
@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_hold(
    uneven: tuple[Predictions, FloatArray], metric: str, positive: str | None, weighted: bool
) -> None:
    pool, truth = uneven
    rng, number, count = np.random.default_rng(2), 60, 120
    actual, held = np.array(expected(pool, truth, metric)), []
    chance = np.where((pool.values == pool.values[0]).all(axis=0), 0.4, 1.0) if weighted else np.ones(SAMPLES)
    for _ in range(number):
        order = np.argsort(rng.exponential(size=SAMPLES) / chance)[:count]  # draws one by one, by these chances
        left = chance.sum() - np.concatenate([[0], np.cumsum(chance[order])[:-1]])
        weight = left / chance[order] / (SAMPLES - np.arange(count))
        log = replace(Labels.known(SAMPLES, order, truth[order]), weight=weight, seen=np.arange(count))
        if not weighted:
            log = replace(log, weight=np.ones(count))
        found = RatioMetric(metric, positive).rank(pool, log).estimate
        held.append((found.low <= actual) & (actual <= found.high))
    assert np.mean(held) > 0.95 - 0.055  # four models that share their labels, 60 runs
    assert np.mean(held, axis=0).min() > 0.95 - 3.5 * 0.028


@pytest.mark.parametrize(("metric", "positive"), EACH)
@pytest.mark.parametrize("floor", [1.0, 0.2])
def test_intervals_of_draws_from_strata_hold(
    uneven: tuple[Predictions, FloatArray], metric: str, positive: str | None, floor: float
) -> None:
    pool, truth = uneven
    actual, held = np.array(expected(pool, truth, metric)), []
    for seed in range(60):
        found = RatioMetric(metric, positive).rank(pool, from_strata(pool, truth, 120, seed, floor)).estimate
        held.append((found.low <= actual) & (actual <= found.high))
    assert np.mean(held) > 0.95 - 0.055


@pytest.mark.parametrize("metric", ["balanced-accuracy", "macro-f1"])
def test_good_models_and_few_labels_are_no_certainty(metric: str) -> None:
    rng = np.random.default_rng(0)
    truth = np.tile([0, 1], 500)
    wrong = rng.random((3, 1000)) > np.array([[0.95], [0.93], [0.91]])
    pool = Predictions(np.where(wrong, 1 - truth, truth), ("a", "b", "c"), range(1000), ("x", "y"))
    actual, held = np.array(expected(pool, truth.astype(float), metric)), []
    for _ in range(100):
        found = RatioMetric(metric).rank(pool, uniform(truth.astype(float), 20, rng)).estimate
        assert not (found.high - found.low < 0.05).any()
        held.append(((found.low <= actual) & (actual <= found.high))[~np.isnan(found.low)])
    assert np.mean(np.concatenate(held)) > 0.95 - 3 * 0.013  # before: 0.83


def test_a_part_without_draws_leaves_it_unknown(uneven: tuple[Predictions, FloatArray]) -> None:
    pool, truth = uneven
    log = from_strata(pool, truth, 120, 0, 1.0, unanimous=0.0)
    with pytest.raises(NotEnoughLabels, match="needs drawn labels from every stratum"):
        RatioMetric("macro-f1").rank(pool, log)


def test_known_predictions_make_f1_sharper(uneven: tuple[Predictions, FloatArray]) -> None:
    pool, truth = uneven
    rng = np.random.default_rng(3)
    found, plain = [], []
    for _ in range(60):
        log = uniform(truth, 100, rng)
        found.append(RatioMetric("f1", "c").rank(pool, log).estimate.value)
        sample = log.sample
        plain.append([f1_score(truth[sample], row[sample], labels=[2], average="macro") for row in pool.values])
    assert (np.std(found, axis=0) <= 1.1 * np.std(plain, axis=0)).all()


def test_the_best_is_told_from_the_worst(uneven: tuple[Predictions, FloatArray]) -> None:
    pool, truth = uneven
    ranking = adjudge.rank(pool, uniform(truth, 200, np.random.default_rng(0)), metric="macro-f1")
    assert ranking.tier is not None
    assert ranking.tier[3] == 1
    assert ranking.tier[0] > 1
    twins = replace(pool, values=pool.values[[3, 3]], models=("x", "y"))
    tied = RatioMetric("macro-f1").rank(twins, uniform(truth, 200, np.random.default_rng(0)))
    assert tied.tier is not None
    assert tied.tier.tolist() == [1, 1]


def test_a_class_without_labels_leaves_it_unknown(uneven: tuple[Predictions, FloatArray]) -> None:
    pool, truth = uneven
    common = np.flatnonzero(truth == 0)[:30]
    log = uniform_log(truth, common)
    with pytest.warns(
        AdjudgeWarning, match="a value once a sample of each class is labeled, and an interval once 5 are"
    ):
        found = adjudge.rank(pool, log, metric="balanced-accuracy")
    assert np.isnan(found.estimate.value).all()
    chosen = adjudge.rank(pool, Labels.known(SAMPLES, np.arange(50), truth[:50]), metric="macro-f1")
    assert chosen.estimate.quantity == "macro-f1 on the labeled samples"
    assert not chosen.estimate.has_interval


def test_a_model_that_lacks_predictions_is_judged_by_the_rest(uneven: tuple[Predictions, FloatArray]) -> None:
    pool, truth = uneven
    values = np.array(pool.values)
    values[3, :200] = -1
    gaps = replace(pool, values=values)
    complete = adjudge.rank(gaps, uniform(truth, SAMPLES, np.random.default_rng(0)), metric="macro-f1").estimate.value
    assert complete[3] == pytest.approx(f1_score(truth[200:], values[3, 200:], average="macro"))
    some = adjudge.rank(gaps, uniform(truth, 250, np.random.default_rng(0)), metric="macro-f1").estimate
    assert some.low[3] < complete[3] < some.high[3]


def test_misuse_gets_one_sentence(uneven: tuple[Predictions, FloatArray]) -> None:
    pool, truth = uneven
    log = uniform(truth, 60, np.random.default_rng(0))
    for metric, positive, sentence in (
        ("f-1", None, "there is no metric 'f-1'"),
        ("f1", None, "f1 is about one class; name one of 'a', 'b', 'c'"),
        ("f1", "z", "there is no class 'z'"),
        ("macro-f1", "a", "about all classes"),
        (None, "a", "given without a metric"),
    ):
        with pytest.raises(InputError, match=sentence):
            adjudge.rank(pool, log, metric=metric, positive=positive)
    with pytest.raises(InputError, match="combined with a loss"):
        adjudge.rank(pool, log, metric="macro-f1", loss=adjudge.ZeroOne())
    with pytest.raises(NotEnoughLabels, match="no sample is labeled yet"):
        adjudge.rank(pool, metric="macro-f1")
    numbers = adjudge.from_frame({"id": range(3), "a": [0.5, 1, 2], "b": [1.5, 1, 2]})
    with pytest.raises(InputError, match="these predictions are numbers"):
        adjudge.rank(numbers, Labels.known(3, [0], [1.0]), metric="macro-f1")


def test_the_command(tmp_path: Path) -> None:
    path, labels = tmp_path / "predictions.csv", tmp_path / "labels.csv"
    path.write_text(WIDE)
    labels.write_text("sample_id,label\na,cat\nb,dog\nc,cat\nd,cat\ne,dog\nf,cat\n")
    told = as_json("rank", path, "--labels", labels, "--drawn", "uniform", "--metric", "f1", "--class", "dog")
    assert told["quantity"] == "f1 of dog"
    assert {row["name"]: row["value"] for row in told["models"]} == pytest.approx(
        {"net": 1, "tree": 0.5, "rule": 4 / 7}
    )
    assert "f1 is about one class" in refused("rank", path, "--labels", labels, "--metric", "f1")


@pytest.mark.parametrize(
    ("name", "positive", "expected"),
    [
        ("precision", "c", lambda truth, row: precision_score(truth, row, labels=[2], average="macro")),
        ("recall", "c", lambda truth, row: recall_score(truth, row, labels=[2], average="macro")),
        ("specificity", "c", lambda truth, row: recall_score(truth == 2, row == 2, pos_label=False)),
        ("f2", "c", lambda truth, row: fbeta_score(truth, row, beta=2, labels=[2], average="macro")),
        ("macro-precision", None, lambda truth, row: precision_score(truth, row, average="macro")),
        ("macro-recall", None, lambda truth, row: recall_score(truth, row, average="macro")),
        ("macro-f0.5", None, lambda truth, row: fbeta_score(truth, row, beta=0.5, average="macro")),
        ("weighted-precision", None, lambda truth, row: precision_score(truth, row, average="weighted")),
        ("weighted-recall", None, lambda truth, row: recall_score(truth, row, average="weighted")),
        ("weighted-f1", None, lambda truth, row: fbeta_score(truth, row, beta=1, average="weighted")),
        ("micro-f1", None, lambda truth, row: fbeta_score(truth, row, beta=1, average="micro")),
        ("mcc", None, matthews_corrcoef),
    ],
)
@repeated(20, 60)
def test_metrics_of_classes(
    uneven: tuple[Predictions, FloatArray],
    name: str,
    positive: str | None,
    expected: Callable[[FloatArray, FloatArray], float],
    repeats: int,
) -> None:
    pool, truth = uneven
    exact = [expected(truth, row) for row in pool.values]
    assert adjudge.rank(pool, Labels.complete(truth), metric=name, positive=positive).estimate.value == pytest.approx(
        exact
    )
    held, apart = [], []
    for seed in range(repeats):
        log = uniform(truth, 150, np.random.default_rng(seed))
        found = MetricRanker(name, positive).rank(pool, log).estimate
        held.append(((found.low <= exact) & (exact <= found.high)).mean())
        pair = adjudge.compare(pool, "m0", "m2", log, metric=name, positive=positive)
        apart.append(pair.low <= exact[0] - exact[2] <= pair.high)
    assert np.mean(held) > 0.95 - 0.43 / np.sqrt(repeats)
    assert np.mean(apart) > 0.95 - 3 * np.sqrt(0.05 * 0.95 / repeats)


def test_a_share_at_its_limit_says_nothing_against_the_limit() -> None:
    value, half = np.array([0.97, 0.9, 0.5, 0.01]), np.full(4, 0.05)
    low, high = on_scale("share", value, half, np.full(4, 10))
    assert (low[0] < 0.95, high[0]) == (True, 1.0)  # half of ten samples is 0.05
    assert high[1] < 1
    assert low[2] + high[2] == pytest.approx(1)
    assert (low[3], high[3] > 0.05) == (0.0, True)
