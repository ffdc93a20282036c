from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.errors import LabelsError, NotEnoughLabels
from adjudge.losses.loss import ZeroOne
from adjudge.losses.numbers import Squared
from adjudge.methods.baselines.drawn import Drawn, drawn_error
from adjudge.methods.papers.css import CSS
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import uniform_log
from tests.support.repeated import repeated


def buy(truth: Array, rows: int, seed: int) -> Labels:
    return uniform_log(truth, np.random.default_rng(seed).permutation(len(truth))[:rows])


def lure(losses: FloatArray, chance: FloatArray, pool: int) -> float:
    """The estimator as Farquhar et al. write it."""
    labels = len(losses)
    m = np.arange(1, labels + 1)
    weight = 1 + (pool - labels) / (pool - m) * (1 / ((pool - m + 1) * chance) - 1)
    return float(np.mean(weight * losses))


def test_uniform_draws_give_the_plain_mean() -> None:
    pool, truth = example_pool(samples=200)
    labels = buy(truth, 50, seed=1)
    plain = (pool.values[:, labels.sample] == truth[labels.sample]).mean(axis=1)
    assert Drawn().rank(pool, labels).estimate.value == pytest.approx(plain)


def test_step_by_step_draws_give_lure() -> None:
    pool, truth = example_pool(samples=50)
    rng = np.random.default_rng(4)
    labels, chances = Labels.empty(50), []
    for place in range(12):
        open_samples = np.setdiff1d(np.arange(50), labels.sample)
        chance = rng.dirichlet(np.ones(len(open_samples)))
        drawn = rng.choice(len(open_samples), p=chance)
        chances.append(chance[drawn])
        pick = Pick(int(open_samples[drawn]), 1 / (len(open_samples) * chance[drawn]), place)
        labels = labels.add(pick, int(truth[pick.sample]))
    found = drawn_error(pool, labels, ZeroOne())
    for model, error in enumerate(found):
        losses = (pool.values[model, labels.sample] != truth[labels.sample]).astype(float)
        assert error == pytest.approx(lure(losses, np.array(chances), pool=50))


def test_a_plan_by_strata_gives_the_stratified_mean() -> None:
    pool, truth = example_pool(samples=40)
    strata = [np.arange(30), np.arange(30, 40)]
    quota = [4, 6]
    labels = Labels.empty(40)
    for stratum, number in zip(strata, quota, strict=True):
        weight = (10 / 40) / (number / len(stratum))
        for sample in stratum[:number]:
            labels = labels.add(Pick(int(sample), weight, 0), int(truth[sample]))
    wrong = pool.values != truth
    expected = 0.75 * wrong[:, :4].mean(axis=1) + 0.25 * wrong[:, 30:36].mean(axis=1)
    assert drawn_error(pool, labels, ZeroOne()) == pytest.approx(expected)


def test_known_labels_count_as_known() -> None:
    pool, truth = example_pool(samples=40)
    labels = Labels.known(40, np.arange(30), truth[:30])
    labels = labels.add(Pick(35, 1.0, 30), int(truth[35]))
    wrong = pool.values != truth
    expected = (wrong[:, :30].sum(axis=1) + 10 * wrong[:, 35]) / 40
    assert drawn_error(pool, labels, ZeroOne()) == pytest.approx(expected)


def test_skips_leave_the_mean_over_what_can_be_labeled() -> None:
    pool, truth = example_pool(samples=40)
    labels = buy(truth, 10, seed=0)
    with_skip = labels.add(Pick(int(np.setdiff1d(np.arange(40), labels.sample)[0]), 1.0, 10), SKIP)
    plain = Drawn().rank(pool, labels).estimate.value
    ranking = Drawn().rank(pool, with_skip)
    assert ranking.estimate.value == pytest.approx(plain)
    assert (ranking.skipped, ranking.labels) == (1, 10)


def test_a_missing_prediction_is_not_an_error() -> None:
    pool, truth = example_pool(samples=40)
    values = np.array(pool.values)
    labels = buy(truth, 20, seed=3)
    values[0, labels.sample[:5]] = -1
    rest = labels.sample[5:]
    estimate = Drawn().rank(replace(pool, values=values, probabilities=None), labels).estimate
    assert estimate.value[0] == pytest.approx((values[0, rest] == truth[rest]).mean())
    whole = Drawn().rank(pool, labels).estimate
    assert estimate.high[0] - estimate.low[0] > whole.high[0] - whole.low[0]


@pytest.mark.slow
@pytest.mark.parametrize(("said", "error"), [(0.9, 0.8), (0.5, 0.5), (0.2, 0.8)])
def test_intervals_hold_where_predictions_are_missing(said: float, error: float) -> None:
    rng = np.random.default_rng(3)
    values = (rng.random((1, 1000)) < error).astype(np.int8)
    values[rng.random((1, 1000)) > said] = -1
    pool = Predictions(values, ("a",), range(1000), ("right", "wrong"))
    actual = np.mean(values[values >= 0] == 0)
    held = []
    for seed in range(400):
        estimate = Drawn().rank(pool, buy(np.zeros(1000), 60, seed)).estimate
        held.append(estimate.low[0] <= actual <= estimate.high[0])
    assert 0.95 - 0.02 - 3 * np.sqrt(0.05 * 0.95 / 400) < np.mean(held)


def test_a_model_about_which_nothing_is_known_ranks_last_and_has_no_tier() -> None:
    pool, truth = example_pool(models=3, samples=300)
    values = np.array(pool.values)
    labels = buy(truth, 60, seed=3)
    values[0] = -1
    values[0, np.setdiff1d(np.arange(300), labels.sample)[:5]] = 0
    ranking = Drawn().rank(replace(pool, values=values, probabilities=None), labels)
    assert np.isnan(ranking.estimate.value[0])
    assert ranking.rank[0] == 3
    assert ranking.rows()[-1]["tier"] is None


def test_a_model_without_any_prediction_on_the_labels_is_unknown_not_zero() -> None:
    pool, truth = example_pool(samples=40)
    values = np.array(pool.values)
    labels = buy(truth, 3, seed=3)
    values[0, labels.sample] = -1
    ranking = Drawn().rank(replace(pool, values=values, probabilities=None), labels)
    assert (ranking.estimate.low[0], ranking.estimate.high[0]) == (0.0, 1.0)


def test_a_fully_labeled_pool_is_exact_with_zero_width() -> None:
    pool, truth = example_pool(samples=40)
    exact = (pool.values == truth).mean(axis=1)
    for labels in (buy(truth, 40, seed=0), Labels.complete(truth)):
        estimate = Drawn().rank(pool, labels).estimate
        for end in (estimate.value, estimate.low, estimate.high):
            assert end == pytest.approx(exact)


def test_one_label_short_of_everything_is_not_yet_certain() -> None:
    pool, truth = example_pool(samples=40)
    estimate = Drawn().rank(pool, buy(truth, 39, seed=0)).estimate
    assert (estimate.high - estimate.low > 0).all()
    assert (estimate.high - estimate.low <= 1 / 40 + 1e-12).all()


def test_rows_after_a_pending_one_wait() -> None:
    pool, truth = example_pool(samples=40)
    labels = buy(truth, 10, seed=0)
    open_samples = np.setdiff1d(np.arange(40), labels.sample)
    more = labels.hand_out(Pick(int(open_samples[0]), 1.0, 10)).add(Pick(int(open_samples[1]), 1.0, 11), 0)
    assert Drawn().rank(pool, more).estimate.value == pytest.approx(Drawn().rank(pool, labels).estimate.value)


def test_no_drawn_label_is_refused() -> None:
    pool, _ = example_pool(samples=40)
    with pytest.raises(NotEnoughLabels, match="no usable label yet that was drawn at random"):
        Drawn().rank(pool, Labels.known(40, [1, 2], [0, 1]))


def test_skips_alone_tell_nothing() -> None:
    pool, _ = example_pool(samples=40)
    with pytest.raises(NotEnoughLabels, match="no usable label yet that was drawn"):
        Drawn().rank(pool, Labels.empty(40).add(Pick(1, 1.0), SKIP))


def test_a_pool_with_nothing_left_to_ask_is_exact_over_what_can_be_labeled() -> None:
    pool, truth = example_pool(samples=40)
    labels = buy(truth, 39, seed=0)
    last = int(np.setdiff1d(np.arange(40), labels.sample)[0])
    estimate = Drawn().rank(pool, labels.add(Pick(last, 1.0, 39), SKIP)).estimate
    rest = np.arange(40) != last
    exact = (pool.values[:, rest] == truth[rest]).mean(axis=1)
    assert estimate.value == pytest.approx(exact)
    assert estimate.high - estimate.low == pytest.approx(np.zeros(len(exact)))


def test_an_unknown_stratum_is_refused() -> None:
    pool, _ = example_pool(samples=40)
    with pytest.raises(
        LabelsError, match="was drawn from stratum 2, but with these predictions it is not in that stratum"
    ):
        Drawn().rank(pool, Labels.empty(40).add(Pick(1, 1.0, 0, stratum=2), 0))


def weighted_run(pool: Predictions, truth: IntArray, rows: int, seed: int) -> Labels:
    """Draws that prefer samples on which models disagree, with a floor."""
    rng = np.random.default_rng(seed)
    spread = np.array([len(set(column)) for column in pool.values.T]) - 0.5
    labels, taken = Labels.empty(len(truth)), np.zeros(len(truth), dtype=bool)
    for place in range(rows):
        open_samples = np.flatnonzero(~taken)
        chance = 0.5 * spread[open_samples] / spread[open_samples].sum() + 0.5 / len(open_samples)
        sample = int(rng.choice(open_samples, p=chance))
        taken[sample] = True
        weight = 1 / (len(open_samples) * chance[np.searchsorted(open_samples, sample)])
        labels = labels.add(Pick(sample, float(weight), place), int(truth[sample]))
    return labels


@pytest.mark.slow
@repeated(150, 500)
@pytest.mark.parametrize("rows", [30, 100])
def test_weighted_draws_are_unbiased_and_their_intervals_hold(rows: int, repeats: int) -> None:
    pool, truth = example_pool(models=8, samples=300, classes=4, seed=7)
    actual = (pool.values == truth).mean(axis=1)
    values, held = np.empty((repeats, 8)), np.empty((repeats, 8))
    for seed in range(repeats):
        labels = weighted_run(pool, truth, rows, seed)
        estimate = Drawn().rank(pool, labels).estimate
        values[seed] = 1 - drawn_error(pool, labels, ZeroOne())
        held[seed] = (estimate.low <= actual) & (actual <= estimate.high)
    z = (values.mean(axis=0) - actual) / (values.std(axis=0, ddof=1) / np.sqrt(repeats))
    assert np.abs(z).max() < 4.5
    error = held.mean(axis=1).std(ddof=1) / np.sqrt(repeats)
    assert 0.95 - 0.015 - 3 * error < held.mean() < 0.95 + 0.025 + 3 * error


@pytest.mark.slow
@repeated(80, 200)
@pytest.mark.parametrize("rows", [10, 50, 200])
def test_intervals_of_a_stratified_plan_hold(rows: int, repeats: int) -> None:
    pool, truth = example_pool(models=6, samples=400, classes=4, seed=5)
    actual = (pool.values == truth).mean(axis=1)
    held = []
    for seed in range(repeats):
        estimate = Drawn().rank(pool, bought(CSS(), pool, truth, rows, seed)).estimate
        held.append(((estimate.low <= actual) & (actual <= estimate.high)).mean())
    error = np.std(held, ddof=1) / np.sqrt(len(held))
    assert 0.95 - 0.02 - 3 * error < np.mean(held)


@pytest.mark.parametrize(("labels", "apart"), [(4, False), (8, True)])
def test_a_few_labels_that_all_agree_are_not_yet_proof(labels: int, apart: bool) -> None:
    """Of two equally good models, one is right on all of four labels in one run of eight."""
    pool = Predictions(np.repeat([[0], [1]], 200, axis=1), ("a", "b"), range(200), ("no", "yes"))
    ranking = Drawn().rank(pool, uniform_log(np.zeros(200, dtype=int), np.arange(labels)))
    assert ranking.tier is not None
    assert (ranking.tier.max() > 1) == apart


@pytest.mark.slow
def test_regression_intervals_hold() -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(-1, 1, 400)
    values = np.clip(truth + rng.normal(0, [[0.1], [0.2], [0.4]], (3, 400)), -1, 1)
    pool = Predictions(values, ("a", "b", "c"), range(400), None)
    actual = ((values - truth) ** 2).mean(axis=1)
    held = []
    for seed in range(400):
        estimate = Drawn(loss=Squared(-1, 1)).rank(pool, buy(truth, 60, seed)).estimate
        held.append(((estimate.low <= actual) & (actual <= estimate.high)).mean())
    assert estimate.quantity == "MSE"
    assert 0.92 < np.mean(held) < 0.985


def test_without_a_stated_range_few_labels_give_no_interval() -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(-1, 1, 400)
    pool = Predictions(truth + rng.normal(0, [[0.1], [0.2]], (2, 400)), ("a", "b"), range(400), None)
    assert not Drawn().rank(pool, buy(truth, 19, 0)).estimate.has_interval
    assert Drawn().rank(pool, buy(truth, 20, 0)).estimate.has_interval


def test_ranks_do_not_depend_on_the_scale_of_numbers() -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(0, 1, 50)
    values = truth + rng.normal(0, [[0.1], [0.3], [0.3]], (3, 50))
    values[2] = values[1]
    for scale in (1e-8, 1.0, 1e5):
        pool = Predictions(scale * values, tuple("abc"), range(50), None)
        assert Drawn().rank(pool, buy(scale * truth, 30, 0)).rank.tolist() == [1, 2, 2]
