import math

import numpy as np
import pytest

from adjudge.errors import InputError
from adjudge.evaluation import mean_squared_error, relative_efficiency


def test_mean_squared_error_counts_bias_and_spread() -> None:
    estimates = np.array([0.6, 0.7, 0.9])
    expected = estimates.var() + (estimates.mean() - 0.5) ** 2
    assert mean_squared_error(estimates, truth=0.5) == pytest.approx(expected)


def test_efficiency_is_the_share_of_labels_needed() -> None:
    rng = np.random.default_rng(0)
    means = {labels: rng.binomial(labels, 0.8, size=20_000) / labels for labels in (50, 100)}
    # 100 draws stand in for a method that is as good with 50 labels: it halves the variance
    assert relative_efficiency(means[100], means[50], truth=0.8) == pytest.approx(0.5, abs=0.03)


def test_an_exact_baseline_cannot_be_beaten() -> None:
    assert relative_efficiency([0.5], baseline=[0.75], truth=0.75) == math.inf
    assert math.isnan(relative_efficiency([0.75], baseline=[0.75], truth=0.75))
    assert relative_efficiency([0.75], baseline=[0.5], truth=0.75) == 0.0


@pytest.mark.parametrize("estimates", [[], [[0.5, 0.6]]])
def test_repetitions_are_needed(estimates: list[float]) -> None:
    with pytest.raises(InputError, match="one estimate a repetition"):
        mean_squared_error(estimates, truth=0.5)
