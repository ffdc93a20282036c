"""Votes are counted alike, whichever way counts faster."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core import tally
from adjudge.core.arrays import Array
from adjudge.core.votes import votes
from tests.support.votes import matrices, pool_of


def test_blocks_do_not_change_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).integers(-1, 4, (7, 501)).astype(np.int8)
    whole = votes(pool_of(values))
    monkeypatch.setattr(tally, "COMPARED", 400)
    for few in (4, 3):  # by comparing, and by counting
        monkeypatch.setattr(tally, "FEW", few)
        monkeypatch.setattr(tally, "SCRATCH", 40)
        pieces = votes(pool_of(values))
        for name in ("present", "top", "tied", "majority", "pairs"):
            assert (getattr(whole, name) == getattr(pieces, name)).all()


@pytest.mark.parametrize("models", [255, 256, 300])
def test_more_models_than_a_byte_counts(models: int) -> None:
    values = np.zeros((models, 3), dtype=np.int8)
    values[:100, 1], values[:, 2] = 1, -1
    counted = votes(pool_of(values))
    assert counted.top.tolist() == [models, models - 100, 0]
    assert counted.pairs.tolist() == [models * (models - 1), 9900 + (models - 100) * (models - 101), 0]
    assert counted.majority.tolist() == [0, 0, -1]


@given(matrices, st.data())
def test_few_and_many_classes_are_counted_alike(values: Array, data: st.DataObject) -> None:
    known = data.draw(st.sampled_from([np.empty(0, dtype=np.int64), np.arange(values.shape[1]) % 5 - 1]))
    found, values = [], values.astype(data.draw(st.sampled_from([np.int8, np.int16, np.int64])))
    for few in (4, 3):
        vectors = tuple(np.full(values.shape[1], start, dtype=np.int32) for start in (0, 0, 0, -1, 0))
        share, n_predicted = np.zeros((2, len(values))), np.zeros(len(values), dtype=np.int64)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tally, "FEW", few)
            tally.tally_votes(values, known, 4, vectors, share, n_predicted)
        found.append((np.stack(vectors).tolist(), n_predicted.tolist(), share.round(9).tolist()))
    assert found[0] == found[1]
