"""Beta variables: against scipy and against draws."""

import numpy as np
import pytest
from scipy import stats

from adjudge.methods.peers.betas import BetaGrid, beta_from_moments, largest, moments, probability_largest

ONE, TWO = np.array([3.0, 8.0, 20.0]), np.array([2.0, 3.0, 9.0])


def test_the_chance_to_be_the_largest_is_that_of_draws() -> None:
    draws = np.random.default_rng(0).beta(ONE, TWO, (200_000, 3)).argmax(axis=1)
    assert probability_largest((ONE, TWO)) == pytest.approx(np.bincount(draws) / len(draws), abs=0.005)


def test_models_that_are_right_have_the_other_parameters() -> None:
    right, wrong = BetaGrid.of((ONE + 1, TWO)), BetaGrid.of((ONE, TWO + 1))
    voters = np.array([[True, False, False], [False, False, True]])
    for found, told in zip(largest(voters, right, wrong), voters, strict=True):
        assert found == pytest.approx(probability_largest((ONE + told, TWO + ~told)), abs=1e-6)


def test_moments_are_those_of_scipy_and_give_the_parameters_back() -> None:
    mean, variance = moments(ONE, TWO, np.ones(3))
    assert mean == pytest.approx(stats.beta(ONE, TWO).mean())
    assert variance == pytest.approx(stats.beta(ONE, TWO).var())
    one, two = beta_from_moments(mean, variance)
    assert one == pytest.approx(ONE)
    assert two == pytest.approx(TWO)
