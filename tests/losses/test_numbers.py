"""Losses of numbers, in the users' units: lower is better, and intervals have their ends in order."""

import numpy as np
import pytest

import adjudge
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.losses.loss import reported, reported_interval
from adjudge.losses.numbers import Percentage, Quantile, Squared, number_loss
from tests.support.pools import uniform_log

TRUTH = np.random.default_rng(0).uniform(20, 80, 200)
VALUES = TRUTH + np.random.default_rng(1).normal(0, [[5.0], [10.0], [20.0]], (3, 200))
POOL = Predictions(VALUES, ("near", "far", "farther"), range(200), None)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mse", ((VALUES - TRUTH) ** 2).mean(axis=1)),
        ("mae", np.abs(VALUES - TRUTH).mean(axis=1)),
        ("mape", (np.abs(VALUES - TRUTH) / TRUTH).mean(axis=1)),
        ("quantile", np.maximum(0.9 * (TRUTH - VALUES), -0.1 * (TRUTH - VALUES)).mean(axis=1)),
    ],
)
def test_means_are_in_the_units_of_users(name: str, expected: np.ndarray) -> None:
    share = 0.9 if name == "quantile" else None
    for span in (None, (-100.0, 200.0)):
        loss = number_loss(name, span, POOL, Labels.complete(TRUTH), share)
        each = loss(VALUES, TRUTH)
        assert 0 <= each.min() <= each.max() <= 1
        assert reported(loss, each.mean(axis=1)) == pytest.approx(expected)
        found = adjudge.rank(POOL, Labels.complete(TRUTH), loss=loss)
        assert found.estimate.value == pytest.approx(expected)
        assert found.estimate.lower_is_better
        assert found.models[0] == found.best


def test_ends_of_intervals_are_in_order_and_words_are_about_the_unit() -> None:
    log = uniform_log(TRUTH, np.random.default_rng(2).permutation(200)[:60])
    ranking = adjudge.rank(POOL, log, loss=Squared(-100, 200))
    estimate = ranking.estimate
    assert (estimate.low < estimate.value).all()
    assert (estimate.value < estimate.high).all()
    assert (estimate.low > 0).all()
    assert estimate.quantity == "MSE"
    assert ranking.recommendation is not None
    assert "MSE worse than the best" in str(ranking)
    assert "point" not in str(ranking)
    assert ranking.recommendation.margin == pytest.approx(0.05 * estimate.value[0], rel=0.5)
    found = adjudge.compare(POOL, "near", "far", log, loss=Squared(-100, 200))
    assert found.low < found.difference < found.high < 0
    assert found.holds
    assert adjudge.compare(POOL, "far", "near", log).verdict == "refuted"
    assert not adjudge.compare(POOL, "near", "far", log, margin=2 * found.gain).holds
    assert adjudge.compare(POOL, "near", "far", log, test="non-inferior", margin=1.0).holds


def test_digits_follow_the_size_of_the_numbers() -> None:
    shown = repr(adjudge.rank(POOL, Labels.complete(TRUTH)))
    assert "Ranking by MSE" in shown
    small = Predictions(VALUES / 1e4, POOL.models, range(200), None)
    assert f"{((VALUES[0] - TRUTH) ** 2).mean() / 1e8:.9f}" in repr(adjudge.rank(small, Labels.complete(TRUTH / 1e4)))


def test_higher_values_change_the_ends() -> None:
    ends = tuple(np.array([each]) for each in (0.2, 0.1, 0.3))
    assert np.concatenate(reported_interval(adjudge.ZeroOne(), ends)) == pytest.approx([0.8, 0.7, 0.9])  # type: ignore[arg-type]
    assert np.concatenate(reported_interval(Squared(0, 10), ends)) == pytest.approx([20, 10, 30])  # type: ignore[arg-type]


def test_what_has_no_percentage_or_quantile_is_refused() -> None:
    with pytest.raises(InputError, match="a label is 0; use mae"):
        Percentage(-1, 1)(np.array([[0.5]]), np.array([0.0]))
    with pytest.raises(InputError, match=r"nearer to 0 than 0\.5"):
        Percentage(0, 1, smallest=0.5)(np.array([[0.5]]), np.array([0.2]))
    with pytest.raises(InputError, match="the quantile 90 is not between 0 and 1"):
        Quantile(0, 1, share=90)
