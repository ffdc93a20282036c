"""The surrogate for the truth: against a plain count."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.predictions import MISSING
from adjudge.methods import surrogate
from adjudge.methods.surrogate import mean_probabilities, probability_right
from tests.support.pools import pool_of


def test_shares_are_of_those_who_vote_in_any_block(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).integers(-1, 3, (5, 40))
    monkeypatch.setattr(surrogate, "BLOCK", 7)
    found = np.concatenate([share for _, share in probability_right(pool_of(values), soft=False)], axis=1)
    same = (values[:, None] == values[None]).sum(axis=1) / np.maximum((values >= 0).sum(axis=0), 1)
    assert np.array_equal(found, np.where(values == MISSING, np.nan, same), equal_nan=True)


def test_probabilities_count_where_they_are_given() -> None:
    stated = np.array([[[0.9, 0.1]], [[0.5, 0.5]], [[np.nan, np.nan]]])
    assert mean_probabilities(stated).tolist() == [[pytest.approx(0.7), pytest.approx(0.3)]]
    pool = replace(pool_of([[0], [0], [1]], classes=2), probabilities=stated)
    ((_, soft),) = probability_right(pool, soft=True)
    ((_, hard),) = probability_right(pool, soft=False)
    assert soft[:, 0] == pytest.approx([0.7, 0.7, 0.3])
    assert hard[:, 0] == pytest.approx([2 / 3, 2 / 3, 1 / 3])
