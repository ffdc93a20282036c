"""What votes say about samples: the four numbers, and where nothing is known."""

from dataclasses import replace

import numpy as np
import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.methods.papers.laf import LaF
from adjudge.methods.papers.sds import SDS
from adjudge.methods.peers.vote_entropy import VoteEntropy
from adjudge.simulation.contract import example_pool
from tests.support.pools import pool_of


def test_the_numbers_are_those_of_the_methods() -> None:
    pool, _ = example_pool(models=7, samples=100)
    found = adjudge.samples(pool, seed=3)
    assert found.discrimination.tolist() == SDS().discrimination(pool, 3).tolist()
    assert found.difficulty == pytest.approx(LaF().difficulty(pool), nan_ok=True)
    assert found.entropy.tolist() == VoteEntropy().entropy(pool).tolist()
    most = [np.bincount(column).max() / 7 for column in pool.values.T]
    assert found.agreement == pytest.approx(most)


def test_unknown_is_not_zero() -> None:
    found = adjudge.samples(pool_of([[0, 1, -1], [0, 0, -1], [0, 1, -1]]))
    assert np.isnan(found.difficulty).tolist() == [True, False, True]
    for name in ("discrimination", "entropy", "agreement"):
        assert np.isnan(getattr(found, name)).tolist() == [False, False, True]
    assert found.agreement[:2] == pytest.approx([1, 2 / 3])
    rows = found.to_dict()["samples"]
    assert isinstance(rows, list)
    assert rows[2] == {
        "sample_id": "2", "discrimination": None, "difficulty": None, "entropy": None, "agreement": None,
    }  # fmt: skip


def test_the_highest_come_first_and_equal_ones_as_in_the_pool() -> None:
    pool, _ = example_pool(models=4, samples=60)
    found = replace(adjudge.samples(pool), difficulty=np.array([1.0, np.nan, 3.0, 1.0] + [0.0] * 56))
    assert found.order("difficulty")[:4].tolist() == [2, 0, 3, 4]
    assert 1 not in found.order("difficulty")


def test_numbers_have_no_votes() -> None:
    pool = adjudge.from_frame({"id": ["a", "b"], "net": [0.5, 1.5], "tree": [0.25, 1.0]})
    with pytest.raises(InputError, match="item analysis needs votes for classes, and these predictions are"):
        adjudge.samples(pool)
