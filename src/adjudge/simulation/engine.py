"""Where work runs: in this process while it is short, otherwise on all cores or wherever a joblib back end sends it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import TypeVar

from joblib import Parallel, delayed

Item = TypeVar("Item")
Result = TypeVar("Result")
# what is done and in how many steps, to a context whose value is told how many of them are done
Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]

WORTH_IT = 3.0  # seconds of remaining work from which on starting other processes is faster


def silent(_what: str, _steps: int) -> AbstractContextManager[Callable[[int], None]]:
    """Progress that nobody looks at."""
    return nullcontext(lambda _done: None)


def all_results(
    function: Callable[[Item], Result], items: Sequence[Item], workers: int, progress: Callable[[int], None]
) -> list[Result]:
    """`function` of each item, in order; `progress` is told how many are done."""
    found = []
    for result in results(function, items, workers):
        found.append(result)
        progress(len(found))
    return found


def results(function: Callable[[Item], Result], items: Sequence[Item], workers: int = -1) -> Iterator[Result]:
    """`function` of each item, in order, as they become ready.

    The first item runs in this process and tells how long the others will take. -1 workers: one per core.
    """
    start = perf_counter()
    yield function(items[0])
    rest = items[1:]
    if workers == 1 or (perf_counter() - start) * len(rest) < WORTH_IT:
        yield from map(function, rest)
    else:
        yield from Parallel(n_jobs=workers, return_as="generator")(delayed(function)(item) for item in rest)
