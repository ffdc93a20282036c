"""Newton's method where the answer is known."""

import numpy as np
import pytest
from scipy.optimize import brentq

from adjudge.methods.pooled.newton import newton


def test_without_labels_it_stays_at_the_prior() -> None:
    mean, precision = np.array([0.3, -0.2, 0.1]), np.array([[2.0, 0.5, 0], [0.5, 1.0, 0], [0, 0, 3.0]])
    nothing = np.zeros(0, dtype=np.int64)
    found, factor, value = newton(
        np.zeros((0, 1)), nothing, np.zeros(1, dtype=np.int64), nothing, np.array([0, 1]), mean, precision
    )
    assert found == pytest.approx(mean)
    assert factor @ factor.T == pytest.approx(precision)
    assert value == pytest.approx(0)


def test_one_weight_is_where_the_derivative_is_zero() -> None:
    """Ten samples of two classes, of which one model predicts the first class; eight times that is the label."""
    label = np.array([0] * 8 + [1] * 2)
    found, factor, _ = newton(
        np.ones((10, 1)),
        np.zeros(10, dtype=np.int64),
        np.arange(11),
        label,
        np.zeros(2, dtype=np.int64),  # both classes share a bias, which then has no effect
        np.zeros(2),
        np.eye(2),
    )
    expected = brentq(lambda weight: 8 - 10 / (1 + np.exp(-weight)) - weight, -5, 5)
    chance = 1 / (1 + np.exp(-expected))
    assert found == pytest.approx([expected, 0], abs=1e-5)
    assert (factor @ factor.T)[0, 0] == pytest.approx(1 + 10 * chance * (1 - chance), rel=1e-5)
