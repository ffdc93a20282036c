"""Logs as they come about: methods that take turns, large batches, and slices of a pool whose labels have strata."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.strata import DISPUTED, UNANIMOUS, WHOLE_POOL
from adjudge.decisions.stopping import StoppingRule, stopping_status
from adjudge.errors import AdjudgeWarning
from adjudge.io import read_labels, write_labels, write_predictions
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.drawn import drawn_error
from adjudge.methods.pooled.assisted import Assisted
from adjudge.simulation.contract import example_pool
from tests.support.commands import as_json
from tests.support.repeated import repeated

SAMPLES = 150
Make = Callable[[Predictions, FloatArray, int], Labels]


@pytest.fixture(scope="module")
def made() -> tuple[Predictions, FloatArray]:
    pool, truth = example_pool(models=5, samples=SAMPLES, classes=3, seed=3)
    facts = pa.table({"site": ["north", "south"] * (SAMPLES // 2)})
    return replace(pool, columns=facts, probabilities=None), truth.astype(np.float64)


def bought(pool: Predictions, truth: FloatArray, plan: list[tuple[str, int]], seed: int) -> Labels:
    labels: Labels | None = None
    for method, budget in plan:
        labels = adjudge.select(pool, budget, method, labels=labels, seed=seed).answer_all(truth)
    assert labels is not None
    return labels


def taking_turns(pool: Predictions, truth: FloatArray, seed: int) -> Labels:
    return bought(pool, truth, [("random", 20), ("pooled", 25), ("random", 15), ("pooled", 10)], seed)


def in_batches(pool: Predictions, truth: FloatArray, seed: int) -> Labels:
    return bought(pool, truth, [("pooled", 40), ("pooled", 40)], seed)


@pytest.mark.slow
@repeated(12, 50)
@pytest.mark.parametrize("make", [taking_turns, in_batches])
def test_means_are_right_on_average_and_intervals_hold(
    make: Make, made: tuple[Predictions, FloatArray], repeats: int
) -> None:
    pool, truth = made
    actual, south = (pool.values == truth).mean(axis=1), (pool.values == truth)[:, 1::2].mean(axis=1)
    found, held, sliced = [], [], []
    for seed in range(repeats):
        labels = make(pool, truth, seed)
        found.append(1 - drawn_error(pool, labels, ZeroOne()))
        for ranking in (adjudge.rank(pool, labels), Assisted(anytime=True).rank(pool, labels)):
            estimate = ranking.estimate
            held.append(((estimate.low <= actual) & (actual <= estimate.high)).mean())
        part = adjudge.rank_slices(pool, labels, "site")[1].ranking
        assert part is not None
        sliced.append(((part.estimate.low <= south) & (south <= part.estimate.high)).mean())
    error = np.std(found, axis=0, ddof=1) / np.sqrt(repeats)
    assert np.abs((np.mean(found, axis=0) - actual) / error).max() < 4.5
    assert np.mean(held[::2]) > 0.95 - 3 * np.std(held[::2]) / np.sqrt(repeats)
    assert np.mean(held[1::2]) > 0.95
    assert np.mean(sliced) > 0.95 - 3 * np.std(sliced) / np.sqrt(repeats)


def test_a_large_batch_hands_out_different_things_with_their_chances(made: tuple[Predictions, FloatArray]) -> None:
    pool, truth = made
    labels = in_batches(pool, truth, 0)
    assert len(np.unique(labels.sample)) == 80
    assert labels.seen[labels.stratum > 0].tolist() == list(range(80))
    drawn = ~np.isnan(labels.weight)
    assert 0 < drawn[:40].sum() < drawn[40:].sum()  # fewer are chosen as the log grows
    assert (labels.weight[drawn] <= labels.max_weight[drawn] * (1 + 1e-9)).all()
    assert {DISPUTED, UNANIMOUS} == set(labels.stratum.tolist())
    values = pool.values[:, labels.sample[:40]][:, labels.stratum[:40] == DISPUTED]
    assert len(np.unique(values, axis=1).T) > 20  # patterns of answers: one is not asked about again and again


def test_rows_of_a_batch_that_wait_hold_up_what_comes_after(made: tuple[Predictions, FloatArray]) -> None:
    pool, truth = made
    first = bought(pool, truth, [("random", 20)], 0)
    batch = adjudge.select(pool, 40, "pooled", labels=first, seed=0)
    answered = np.arange(60) != 35
    partly = replace(batch, value=np.where(answered, truth[batch.sample], np.nan), answered=answered)
    with pytest.warns(AdjudgeWarning, match="24 of 59 labels are not used yet"):
        ranking = adjudge.rank(pool, partly)
    whole = adjudge.rank(pool, partly.head(35))
    np.testing.assert_array_equal(ranking.estimate.low, whole.estimate.low)
    assert ranking.labels == 35


def test_the_commands_go_from_one_method_to_the_other(made: tuple[Predictions, FloatArray], tmp_path: Path) -> None:
    pool, truth = made
    source, path = tmp_path / "p.parquet", tmp_path / "labels.csv"
    write_predictions(pool, source)
    write_labels(bought(pool, truth, [("random", 20)], 4), pool, path)
    words = ("--labels", path, "--method", "pooled", "--batch", 40, "--out", path)
    assert len(as_json("select", source, "--columns", "site", *words)["picks"]) == 40
    write_labels(read_labels(path, pool)[1].answer_all(truth), pool, path)
    labels = read_labels(path, pool)[1]
    assert (labels.stratum[:20] == WHOLE_POOL).all()
    assert (labels.stratum[20:] != WHOLE_POOL).all()
    expected = bought(pool, truth, [("random", 20), ("pooled", 40)], 4)
    np.testing.assert_array_equal(labels.sample, expected.sample)
    told = as_json("rank", source, "--columns", "site", "--labels", path, "--slice", "site")
    for each, found in zip(told["slices"], adjudge.rank_slices(pool, labels, "site"), strict=True):
        assert found.ranking is not None
        rows, order = each["ranking"]["models"], found.ranking.order
        assert [row["name"] for row in rows] == [pool.models[model] for model in order]
        assert [row["low"] for row in rows] == pytest.approx(found.ranking.estimate.low[order])
        low, value, high = (np.array([row[key] for row in rows]) for key in ("low", "value", "high"))
        here = labels.sample[labels.sample % 2 == (each["name"] == "south")]
        mistakes = (pool.values[order][:, here] != truth[here]).sum(axis=1)
        most = 1 - mistakes / each["samples"]  # that is possible, now that these are known
        assert (low < value).all()
        assert (value <= high).all()
        assert ((value < high) | np.isclose(high, most)).all()
        assert (high <= most + 1e-9).all()


def test_a_stop_rule_looks_at_both_kinds_of_rows(made: tuple[Predictions, FloatArray]) -> None:
    pool, truth = made
    labels = taking_turns(pool, truth, 0)
    found = stopping_status(pool, labels, StoppingRule(0.9))
    assert found.stopped
    assert found.ranking is not None
    assert found.ranking.estimate.anytime
