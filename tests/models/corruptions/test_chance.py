"""Random numbers that depend on the place of a sample alone."""

import numpy as np
import pytest

from adjudge.models.corruptions.chance import keys_of, normal, poisson, uniform, whole

KEYS = keys_of(3, "noise", 2, 0, 50)


def test_a_sample_has_its_numbers_in_any_batch() -> None:
    assert np.array_equal(keys_of(3, "noise", 2, 20, 5), KEYS[20:25])
    assert np.array_equal(uniform(KEYS[20:25], 7), uniform(KEYS, 7)[20:25])
    for other in (keys_of(4, "noise", 2, 0, 50), keys_of(3, "blur", 2, 0, 50), keys_of(3, "noise", 1, 0, 50)):
        assert not np.isin(other, KEYS).any()
    assert not np.isin(uniform(KEYS, 7, stream=1), uniform(KEYS, 7)).any()


def test_numbers_have_their_distribution() -> None:
    even, bell = uniform(KEYS, 2000), normal(KEYS, 2000)
    assert (even.min() >= 0, even.max() < 1) == (True, True)
    assert np.quantile(even, [0.1, 0.5, 0.9]) == pytest.approx([0.1, 0.5, 0.9], abs=0.01)
    assert (bell.mean(), bell.std()) == (pytest.approx(0, abs=0.02), pytest.approx(1, abs=0.02))
    counts = poisson(KEYS, np.full((50, 2000), 4.0))
    assert (counts.mean(), counts.var()) == (pytest.approx(4, abs=0.05), pytest.approx(4, abs=0.15))
    assert set(np.unique(whole(keys_of(0, "x", 1, 0, 300), 5)).tolist()) == {0, 1, 2, 3, 4}
