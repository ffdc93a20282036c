"""The cache: values by pool, within its bytes, and only as long as their pool."""

import gc
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.cache import PoolCache, size_of
from tests.support.pools import pool_of


@dataclass(frozen=True)
class Pair:
    left: Array
    right: tuple[Array, int]


def test_a_value_is_made_once() -> None:
    cache, pool, made = PoolCache(), pool_of([[0, 1]]), []
    for _ in range(3):
        assert cache.get(pool, ("a", 1), lambda: made.append(1) or np.ones(4)).sum() == 4  # type: ignore[func-returns-value]
    assert len(made) == 1
    assert cache.peek(pool, "b") is None
    assert cache.peek(pool_of([[0, 1]]), ("a", 1)) is None  # another pool, though it looks the same


def test_a_value_for_another_state_is_replaced() -> None:
    cache, pool, made = PoolCache(), pool_of([[0, 1]]), []
    for state in ("one", "one", "two", "one"):
        found = cache.get_for(pool, "fit", state, lambda: made.append(state) or np.full(4, len(made)))  # type: ignore[func-returns-value]  # noqa: B023
    assert made == ["one", "two", "one"]
    assert found.tolist() == [3] * 4
    assert cache.size == found.nbytes


def test_the_values_not_asked_for_longest_go_first() -> None:
    cache, pool, other = PoolCache(budget=80 * 3), pool_of([[0, 1]]), pool_of([[1, 1]])
    for name in ("first", "second"):
        cache.put(pool, name, np.ones(10))
    cache.put(other, "third", np.ones(10))
    cache.peek(pool, "first")
    cache.put(other, "fourth", np.ones(10))
    assert cache.peek(pool, "second") is None
    assert cache.peek(pool, "first") is not None
    assert cache.size == 240
    cache.put(other, "large", np.ones(1000))  # larger than the budget: it alone stays
    assert cache.size == 8000


def test_a_value_that_was_replaced_takes_no_room() -> None:
    cache, pool = PoolCache(budget=80 * 2), pool_of([[0, 1]])
    cache.put(pool, "first", np.ones(10))
    for _ in range(5):
        cache.put(pool, "second", np.ones(10))
    assert cache.peek(pool, "first") is not None
    assert cache.size == 160


def test_a_pool_takes_its_values_with_it() -> None:
    cache, pool = PoolCache(), pool_of([[0, 1]])
    cache.put(pool, "a", np.ones(10))
    del pool
    gc.collect()
    assert cache.size == 0


def test_sizes_are_those_of_the_arrays_inside() -> None:
    assert size_of(Pair(np.ones(2), (np.ones(3), 7))) == 40
    assert size_of({"a": [np.ones(1)], "b": pool_of([[0]])}) == 8
