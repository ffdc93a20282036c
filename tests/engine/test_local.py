"""Threads of this process."""

from collections.abc import Iterator
from itertools import islice

import pytest

from adjudge.engine import Local


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_order(workers: int) -> None:
    assert list(Local(workers).map(lambda item: item**2, range(20))) == [item**2 for item in range(20)]


def test_whoever_stops_asking_stops_the_work() -> None:
    done: list[int] = []
    found: Iterator[None] = Local(2).map(done.append, range(1000))
    list(islice(found, 3))
    found.close()  # type: ignore[attr-defined]
    assert len(done) < 20


def test_an_error_ends_it() -> None:
    with pytest.raises(ZeroDivisionError):
        list(Local(2).map(lambda item: 1 // item, [1, 0, 2, 3]))
