import math

import numpy as np
import pytest

from adjudge.evaluation import coverage, mean_width

NAN = float("nan")


def test_coverage_is_a_share_of_the_models_with_an_interval() -> None:
    low, high = [0.1, 0.5, 0.6, NAN, 0.2], [0.3, 0.7, 0.9, NAN, 0.4]
    assert coverage(low, high, truth=[0.2, 0.7, 0.5, 0.5, NAN]) == pytest.approx(2 / 3)
    assert coverage(low, high, truth=[0.2, 0.4, 0.95, 0.5, NAN]) == pytest.approx(1 / 3)


def test_an_exact_interval_holds_a_truth_that_was_rounded_otherwise() -> None:
    assert coverage([0.3], [0.3], [0.1 + 0.2]) == 1.0
    assert coverage([0.1 + 0.2], [0.1 + 0.2], [0.3]) == 1.0
    assert coverage([0.3], [0.3], [0.3001]) == 0.0


def test_no_interval_has_no_coverage_and_no_width() -> None:
    assert math.isnan(coverage([NAN], [NAN], [0.5]))
    assert math.isnan(mean_width([NAN], [NAN]))


def test_mean_width_leaves_out_models_without_an_interval() -> None:
    assert mean_width([0.1, NAN, 0.2], [0.3, NAN, 0.6]) == pytest.approx(0.3)


def test_coverage_reads_many_runs_at_once() -> None:
    truth = np.array([0.5, 0.6])
    low = np.array([[0.4, 0.5], [0.6, 0.5]])
    assert coverage(low, low + 0.2, truth) == 0.75
