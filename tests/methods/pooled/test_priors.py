"""What the prior of `pooled` knows before any label."""

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.methods.pooled import patterns
from adjudge.methods.pooled.priors import _votes_by_class


@pytest.mark.parametrize("block", [1 << 20, 256])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_votes_by_class_are_those_of_a_plain_count(monkeypatch: pytest.MonkeyPatch, block: int, missing: float) -> None:
    monkeypatch.setattr(patterns, "BLOCK", block)
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, (4, 200)).astype(np.int8)
    values[rng.random(values.shape) < missing] = -1
    values[:, 7] = 0  # one that all models predict
    expected = np.zeros((2, 4, 4))
    for column in values.T:
        named = column[column >= 0]
        share = np.bincount(named, minlength=4) / np.maximum(1, len(named))
        for model in np.flatnonzero(column >= 0):
            expected[0, model, column[model]] += share[column[model]]
            expected[1, model] += share
    pool = Predictions(values, tuple("abcd"), range(200), tuple("wxyz"))
    (found,) = _votes_by_class(np.empty((0, 0, 0), dtype=np.float32), pool)
    assert found == pytest.approx(expected, abs=1e-9)
