"""Groups of samples with equal predictions."""

import numpy as np
import pytest
from hypothesis import given

from adjudge.core.arrays import Array
from adjudge.methods import patterns as module
from adjudge.methods.patterns import patterns
from tests.support.votes import matrices, pool_of


@given(matrices)
def test_patterns_group_equal_columns_and_no_others(values: Array) -> None:
    first, group = patterns(pool_of(values))
    columns = [tuple(column) for column in values.T.tolist()]
    assert len(first) == len(set(columns))
    for sample, column in enumerate(columns):
        assert columns[first[group[sample]]] == column


def test_patterns_survive_a_hash_that_collides(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.array([[0, 1, 0, 2]], dtype=np.int8)
    real = module._hash_columns
    tries: list[int] = []

    def weak(matrix: Array, seed: np.uint64) -> Array:
        tries.append(int(seed))
        return np.zeros(4, dtype=np.uint64) if len(tries) == 1 else real(matrix, seed)

    monkeypatch.setattr(module, "_hash_columns", weak)
    first, group = patterns(pool_of(values))
    assert len(tries) == 2
    assert len(first) == 3
    assert group[0] == group[2]
