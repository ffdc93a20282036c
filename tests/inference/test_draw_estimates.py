"""Mean differences from draws: without a control variate as usual, and with one sharper and still unbiased."""

import numpy as np
import pytest

from adjudge.inference.draw_estimates import CoefficientPrior, DrawEstimates, mean_differences
from adjudge.inference.draws import draws_by_stratum
from tests.support.pools import pool_of, uniform_log

ROWS, SAMPLES = 30, 1000
RNG = np.random.default_rng(1)
LOSSES = (RNG.random((3, ROWS)) < np.array([[0.2], [0.4], [0.6]])).astype(np.float64)
(DRAWS,) = draws_by_stratum(pool_of(RNG.integers(0, 2, (3, SAMPLES))), uniform_log(np.zeros(SAMPLES), np.arange(ROWS)))


def test_from_uniform_draws_they_are_those_of_sample_means() -> None:
    rows = DrawEstimates(LOSSES)
    mean, variance = mean_differences(rows, rows.zero, DRAWS)
    assert mean[:, 0] == pytest.approx(LOSSES.mean(axis=1), abs=0.01)
    assert variance[:, 0] == pytest.approx(LOSSES.var(axis=1, ddof=1), rel=0.05)
    between, _ = mean_differences(rows, rows, DRAWS)
    assert between == pytest.approx(mean - mean.T)


def test_a_control_variate_that_tells_the_losses_leaves_hardly_any_variance() -> None:
    control = LOSSES - LOSSES.mean(axis=1, keepdims=True)
    rows = DrawEstimates(LOSSES, control, CoefficientPrior(-1.0, 1e9, ()))
    _, variance = mean_differences(rows, rows.zero, DRAWS)
    assert variance[:, 0] == pytest.approx(0, abs=1e-3)
