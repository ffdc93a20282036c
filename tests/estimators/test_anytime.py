import numpy as np
import pytest

from adjudge.checks import FrameDraws, example_pool
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.protocols import Selector
from adjudge.estimators.assisted import Assisted
from adjudge.estimators.drawn import Drawn
from adjudge.selectors.active_testing import ActiveTesting
from adjudge.selectors.random import Random
from adjudge.selectors.vma import VMA


def log_of(selector: Selector, rows: int, seed: int) -> Labels:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    labels = Labels.empty(200)
    picker = selector.start(pool, labels, rows, seed)
    while len(labels) < rows and (pick := picker(labels)) is not None:
        labels = labels.add(pick, int(truth[pick.sample]))
    return labels


@pytest.mark.parametrize("selector", [Random(), FrameDraws(), VMA()])
def test_intervals_hold_along_the_whole_stream(selector: Selector) -> None:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    actual = (pool.values == truth).mean(axis=1)
    held, apart = [], []
    for seed in range(20):
        labels, inside, order = log_of(selector, 150, seed), True, True
        for rows in range(5, 151, 12):
            answer = Drawn(anytime=True, simultaneous=True).rank(pool, labels.head(rows))
            assert answer.estimate.anytime
            assert answer.difference is not None
            inside &= bool(((answer.estimate.low <= actual) & (actual <= answer.estimate.high)).all())
            below = actual[answer.order[0]] - actual
            order &= bool(((answer.difference.low <= below + 1e-9) & (below <= answer.difference.high + 1e-9)).all())
        held.append(inside)
        apart.append(order)
    assert np.mean(held) >= 0.9
    assert np.mean(apart) >= 0.9


def test_peeking_costs_less_than_twice_the_width() -> None:
    pool, _ = example_pool(models=5, samples=200, seed=4)
    labels = log_of(Random(), 100, 0)
    fixed, anytime = (Drawn(anytime=each).rank(pool, labels).estimate for each in (False, True))
    width = (anytime.high - anytime.low) / (fixed.high - fixed.low)
    assert ((width > 1) & (width < 2)).all()


@pytest.mark.parametrize("selector", [VMA(), ActiveTesting()])
def test_weighted_draws_bet_against_high_losses(selector: Selector) -> None:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    labels = log_of(selector, 100, 0)
    at_least = (pool.values == truth)[:, labels.sample].sum(axis=1) / 200  # all that is sure where no bet is made
    assert (Drawn(anytime=True).rank(pool, labels).estimate.low > at_least + 0.01).all()


def test_all_labels_leave_no_width_and_one_less_does() -> None:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    exact = (pool.values == truth).mean(axis=1)
    for selector in (Random(), FrameDraws()):
        labels = log_of(selector, 200, 0)
        estimate = Assisted(anytime=True).rank(pool, labels).estimate
        assert estimate.low == pytest.approx(exact)
        assert estimate.high == pytest.approx(exact)
        short = Assisted(anytime=True).rank(pool, labels.undo()).estimate
        assert (short.high - short.low <= 1 / 200 + 1e-9).all()
        assert (short.high > short.low).all()


def test_a_weight_without_its_largest_allows_no_bet_against_high_losses() -> None:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    labels = Labels.empty(200)
    for sample in range(60):
        labels = labels.add(Pick(sample, 0.5 + sample / 60, sample), int(truth[sample]))
    estimate = Drawn(anytime=True).rank(pool, labels).estimate
    at_least = (pool.values == truth)[:, :60].sum(axis=1) / 200
    assert estimate.low == pytest.approx(at_least, abs=1e-6)


def test_skips_widen_the_interval() -> None:
    pool, _ = example_pool(models=5, samples=200, seed=4)
    labels = log_of(Random(), 60, 0)
    left = np.setdiff1d(np.arange(200), labels.sample)
    plain = Drawn(anytime=True).rank(pool, labels).estimate
    for sample in left[:5]:
        labels = labels.add(Pick(int(sample), 1.0, len(labels)), SKIP)
    skipped = Drawn(anytime=True).rank(pool, labels).estimate
    assert (skipped.high - skipped.low > plain.high - plain.low).all()
