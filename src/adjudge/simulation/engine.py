"""Where runs are made: in this process while it is short, otherwise on all cores, or on a Dask cluster."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed

from adjudge.engine.cluster import Dask
from adjudge.engine.garbage import collect_rarely

Item = TypeVar("Item")
Result = TypeVar("Result")
Workers = int | Dask  # so many processes of this machine, -1: one per core; or a cluster
# what is done and in how many steps, to a context whose value is told how many of them are done
Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]

WORTH_IT = 3.0  # seconds of remaining work from which on starting other processes is faster


def silent(_what: str, _steps: int) -> AbstractContextManager[Callable[[int], None]]:
    """Progress that nobody looks at."""
    return nullcontext(lambda _done: None)


def all_results(
    function: Callable[[Item], Result], items: Sequence[Item], workers: Workers, progress: Callable[[int], None]
) -> list[Result]:
    """`function` of each item, in order; `progress` is told how many are done.

    On a cluster, results are dictionaries or tuples of numbers, which are stored to resume from.
    """
    found = []
    for result in _stored(function, items, workers) if isinstance(workers, Dask) else results(function, items, workers):
        found.append(result)
        progress(len(found))
    return found


def results(
    function: Callable[[Item], Result], items: Sequence[Item], workers: Workers = -1
) -> Generator[Result, None, None]:
    """`function` of each item, in order, as they become ready.

    The first item runs in this process and tells how long the others will take. -1 workers: one per core.
    """
    if isinstance(workers, Dask):
        yield from workers.map(function, items)
        return
    start = perf_counter()
    yield function(items[0])
    rest = items[1:]
    if workers == 1 or (perf_counter() - start) * len(rest) < WORTH_IT:
        yield from map(function, rest)
    else:
        yield from Parallel(n_jobs=workers, return_as="generator")(
            delayed(_in_process)(function, item) for item in rest
        )


def _in_process(function: Callable[[Item], Result], item: Item) -> Result:
    """In a process that was started for it."""
    collect_rarely()
    return function(item)


def _stored(function: Callable[[Item], Any], items: Sequence[Item], cluster: Dask) -> Iterator[Any]:
    for names, *arrays in cluster.map(partial(_as_arrays, function), items, keep=True):
        yield dict(zip(names.tolist(), arrays, strict=True)) if names.size else tuple(arrays)


def _as_arrays(function: Callable[[Item], Any], item: Item) -> tuple[Any, ...]:
    """What the function returns, with its names, if it has any, as the first array."""
    found = function(item)
    named = found if isinstance(found, dict) else {}
    return (np.array(list(named), dtype=str), *map(np.asarray, named.values() if named else found))
