"""Threads of this process: enough for parts, which are read and counted by code that lets other threads run."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Local:
    """Work in this process."""

    workers: int = min(4, os.cpu_count() or 1)

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, keep: bool = False) -> Iterator[Result]:
        """`function` of each item, in order; whoever stops asking stops the work."""
        if self.workers == 1 or len(items) < 2:
            yield from map(function, items)
            return
        with ThreadPoolExecutor(self.workers) as pool:
            running: deque[Future[Result]] = deque()
            try:
                for item in items:
                    running.append(pool.submit(function, item))
                    if len(running) > self.workers:  # no more at a time, so that few results wait
                        yield running.popleft().result()
                while running:
                    yield running.popleft().result()
            finally:
                for each in running:
                    each.cancel()
