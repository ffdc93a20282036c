from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.arrays import Array
from adjudge.core.labels import Labels, Pick, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.core.strata import DISPUTED, UNANIMOUS, disputed
from adjudge.errors import LabelsError
from adjudge.inference.draws import draws_by_stratum
from adjudge.inference.weighted import pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.drawn import Drawn, drawn_error
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.assisted import Assisted
from adjudge.simulation import contract as checks
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought
from tests.support.repeated import repeated


def from_strata(pool: Predictions, truth: Array, rows: int, seed: int, unanimous: float = 1 / 3) -> Labels:
    log = bought(StratifiedDraws(unanimous=unanimous, floor=0.5), pool, truth, rows, seed)
    return log.with_header(RunHeader(models=pool.models))


def test_strata_of_numbers_and_of_missing_predictions() -> None:
    numbers = Predictions(np.array([[1.0, 2.0, np.nan], [1.0, 2.5, 3.0]]), ("a", "b"), range(3), None)
    assert disputed(numbers).tolist() == [False, True, False]
    codes = Predictions(np.array([[-1, -1, 0], [0, -1, -1], [1, -1, 0]]), ("a", "b", "c"), range(3), ("x", "y"))
    assert disputed(codes).tolist() == [True, False, False]


@repeated(60, checks.COVERAGE_RUNS)
def test_draws_from_strata_pass_the_contract(repeats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "COVERAGE_RUNS", repeats)
    checks.check_selector(StratifiedDraws)
    checks.check_interval(StratifiedDraws, Drawn)


def test_the_mean_is_the_sum_of_the_parts() -> None:
    pool, truth = example_pool(samples=60)
    labels = Labels.empty(60)
    in_dispute, wrong = disputed(pool), pool.values != truth
    picked = {1: np.flatnonzero(in_dispute)[:7], 2: np.flatnonzero(~in_dispute)[:2]}
    for stratum, samples in picked.items():
        for sample in samples:
            labels = labels.add(Pick(int(sample), 1.0, len(labels), stratum), int(truth[sample]))
    expected = in_dispute.mean() * wrong[:, picked[1]].mean(axis=1)
    expected += (~in_dispute).mean() * wrong[:, picked[2]].mean(axis=1)
    assert drawn_error(pool, labels, ZeroOne()) == pytest.approx(expected)


def test_a_part_without_draws_is_unknown_not_zero() -> None:
    pool, truth = example_pool(models=3, samples=200)
    labels = from_strata(pool, truth, 100, seed=0, unanimous=0.0)
    unanimous = (~disputed(pool)).mean()
    assert 0 < unanimous < 1
    estimate = Drawn().rank(pool, labels).estimate
    actual = (pool.values == truth).mean(axis=1)
    assert (estimate.high - estimate.low >= unanimous).all()
    assert ((estimate.low <= actual) & (actual <= estimate.high)).all()
    known = 1 - drawn_error(pool, labels, ZeroOne())
    sure = (pool.values == truth)[:, disputed(pool)].mean(axis=1) * (1 - unanimous)
    assert known == pytest.approx(sure + unanimous / 2, abs=0.15)


def test_a_part_of_which_every_draw_was_skipped_is_unknown_too() -> None:
    pool, truth = example_pool(models=3, samples=200)
    in_dispute = disputed(pool)
    labels = from_strata(pool, np.where(in_dispute, truth, np.nan), 100, seed=0)
    assert labels.skipped > 20
    estimate = Assisted().rank(pool, labels).estimate
    left = np.count_nonzero(~in_dispute) - labels.skipped
    assert (estimate.high - estimate.low >= left / (left + np.count_nonzero(in_dispute))).all()
    assert ((estimate.low <= estimate.value) & (estimate.value <= estimate.high)).all()


def test_uniform_draws_from_the_pool_join_the_parts() -> None:
    pool, truth = example_pool(samples=60)
    first = Labels.empty(60)
    picker = Random().start(pool, first, 20, 3)
    for _ in range(20):
        pick = picker(first)
        assert pick is not None
        first = first.add(pick, int(truth[pick.sample]))
    mixed = first
    picker = StratifiedDraws(floor=1.0).start(pool, first, 10, 3)
    for _ in range(10):
        pick = picker(mixed)
        assert pick is not None
        mixed = mixed.add(pick, int(truth[pick.sample]))
    in_dispute, wrong = disputed(pool)[mixed.sample], pool.values[:, mixed.sample] != truth[mixed.sample]
    expected = disputed(pool).mean() * wrong[:, in_dispute].mean(axis=1)
    expected += (~disputed(pool)).mean() * wrong[:, ~in_dispute].mean(axis=1)
    assert drawn_error(pool, mixed, ZeroOne()) == pytest.approx(expected)


@pytest.mark.parametrize("max_weight", [2.0, np.nan])
def test_a_weight_of_one_among_others_is_no_uniform_draw(max_weight: float) -> None:
    pool, truth = example_pool(samples=60)
    labels = Labels.empty(60)
    for sample, weight in enumerate((2.0, 1.0, 1.0)):
        labels = labels.add(Pick(sample, weight, sample, max_weight=max_weight), int(truth[sample]))
    sample = int(np.flatnonzero(disputed(pool)[3:])[0]) + 3
    labels = labels.add(Pick(sample, 1.0, 3, DISPUTED, 1.0), int(truth[sample]))
    assert [row for part in draws_by_stratum(pool, labels) for row in part.rows.tolist()] == [3]


def test_a_model_that_joins_later_leaves_the_strata_as_they_were() -> None:
    pool, truth = example_pool(models=4, samples=300)
    late = np.where(np.arange(300) % 3 == 0, truth, (truth + 1) % 3)
    values = np.vstack([pool.values, late])
    wider = Predictions(values, (*pool.models, "late"), range(300), pool.classes)
    found = []
    for seed in range(200):
        labels = from_strata(pool, truth, 60, seed)
        error = drawn_error(wider, labels, ZeroOne())
        assert error[:4] == pytest.approx(drawn_error(pool, labels, ZeroOne()))
        found.append(error[4])
    assert abs(np.mean(found) - np.mean(late != truth)) < 4.5 * np.std(found) / np.sqrt(200)


def test_a_model_that_joins_later_leaves_the_others_comparable() -> None:
    """It differs from them on unanimous samples, of which only two were drawn; the others do not."""
    pool, truth = example_pool(models=4, samples=300, seed=2)
    labels = bought(StratifiedDraws(unanimous=0.0), pool, truth, 60, 0)
    for sample in np.flatnonzero(~disputed(pool))[:2]:
        labels = labels.add(Pick(int(sample), 1.0, len(labels), UNANIMOUS, 1.0), int(truth[sample]))
    later = np.vstack([pool.values, (truth + (np.arange(300) % 5 == 0)) % 3])
    joined = Predictions(later, (*pool.models, "later"), range(300), pool.classes)
    pair, log = (np.array([0]), np.array([3])), labels.with_header(RunHeader(models=pool.models))
    before, after = (pool_mean(each, log, ZeroOne()).differences(*pair, 0.95) for each in (pool, joined))
    assert np.array(after) == pytest.approx(np.array(before))


def test_a_model_that_left_is_named() -> None:
    pool, truth = example_pool(models=4, samples=100)
    labels = from_strata(pool, truth, 10, seed=0)
    fewer = replace(pool, values=pool.values[1:], models=pool.models[1:], probabilities=None)
    with pytest.raises(LabelsError, match="the model 'model 0', which is not among the 3 models"):
        Drawn().rank(fewer, labels)


def test_all_of_both_parts_is_exact_and_all_in_dispute_settles_the_order() -> None:
    pool, truth = example_pool(models=3, samples=80)
    everything = from_strata(pool, truth, 80, seed=1)
    exact = (pool.values == truth).mean(axis=1)
    for end in (Drawn().rank(pool, everything).estimate.low, Drawn().rank(pool, everything).estimate.high):
        assert end == pytest.approx(exact)
    count = int(disputed(pool).sum())
    ranking = Drawn().rank(pool, from_strata(pool, truth, count, seed=1, unanimous=0.0))
    assert ranking.tier is not None
    assert len(set(ranking.tier.tolist())) == len(set(exact.tolist()))
    assert (ranking.estimate.high > ranking.estimate.low).all()
