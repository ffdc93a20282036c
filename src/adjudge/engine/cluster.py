"""A Dask cluster: one that runs already, by the address of its scheduler, or one of this machine."""

import atexit
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from importlib import import_module
from logging import CRITICAL, getLogger
from typing import Any, TypeVar

from adjudge.engine.kept import Kept
from adjudge.errors import AdjudgeError, InputError

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2  # tasks handed out for each thread of the cluster: one that runs, one that waits
SECONDS = 10  # until a scheduler that does not answer counts as lost
PATIENCE = 120  # seconds until the first worker has to be there
LOST = "the Dask scheduler {} is lost ({}); start it again and give the same command, which goes on from what is stored"


class Dask:
    """Work on the workers of a Dask cluster, whose threads need not share a machine or a memory.

    A worker that ends in the middle of a task changes nothing: its task is run again by another. Results are stored as
    they come in, so that after a lost scheduler only what was never finished is computed.
    """

    workers = 1  # of a process of the cluster: parts are sized for each alone

    def __init__(self, scheduler: str | None = None) -> None:
        dask, distributed = _extra("dask"), _extra("distributed")
        dask.config.set({"distributed.comm.timeouts.connect": SECONDS})
        getLogger("distributed").setLevel(CRITICAL)  # what matters is said by our own errors
        try:
            self._client = (
                distributed.Client(scheduler, timeout=SECONDS, set_as_default=False)
                if scheduler is not None
                else distributed.Client(threads_per_worker=1, dashboard_address=None, set_as_default=False)
            )
        except (OSError, ValueError) as problem:
            raise InputError(
                f"no Dask scheduler answers at {scheduler} ({_first_line(problem)}); start it with `dask scheduler`, "
                "or leave out --scheduler for one on this machine"
            ) from problem
        self._address = scheduler or "of this machine"
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as problem:
            raise InputError(
                f"the Dask scheduler {self._address} has no workers; start some with `dask worker {scheduler}`"
            ) from problem
        self._kept = Kept()
        atexit.register(self.close)

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, keep: bool = False) -> Iterator[Result]:
        """`function` of each item, in order; with `keep`, what an earlier run stored is not computed again."""
        try:
            yield from self._in_order(function, items, keep)
        except AdjudgeError:
            raise
        except (CancelledError, OSError) as problem:  # such as those of a connection that was closed
            self._kept.unfinished = True
            raise InputError(LOST.format(self._address, _first_line(problem))) from problem
        except BaseException as problem:
            if not isinstance(problem, GeneratorExit):  # whoever needs no more results has not failed
                self._kept.unfinished = True
            raise

    def _in_order(self, function: Callable[[Item], Result], items: Sequence[Item], keep: bool) -> Iterator[Result]:
        # a task of its own: the scheduler can have it made again if the worker that holds it is lost
        shared = self._client.submit(_same, function, pure=False)
        homes = sorted(self._client.scheduler_info(n_workers=-1)["workers"])
        most = AHEAD * max(1, sum(self._client.nthreads().values()))
        running: deque[tuple[str | None, Any]] = deque()
        for number, item in enumerate(items):
            key = self._kept.key(function, item) if keep else None
            found = None if key is None else self._kept.get(key)
            if found is not None:
                running.append((None, found))
            else:  # the same worker each time, if it is there: it may hold the part
                home = {"workers": [homes[number % len(homes)]], "allow_other_workers": True} if homes else {}
                running.append((key, self._client.submit(_call, shared, item, pure=False, **home)))
            if len(running) >= most:
                yield self._taken(*running.popleft())
        while running:
            yield self._taken(*running.popleft())

    def _taken(self, key: str | None, result: Any) -> Any:
        found = result.result() if hasattr(result, "result") else result
        if key is not None:
            self._kept.put(key, found)
        return found

    def close(self) -> None:
        """Leave the cluster; what was stored is of no more use once all is done."""
        atexit.unregister(self.close)
        self._kept.close()
        self._client.close(timeout=2)


def _same(function: Any) -> Any:
    return function


def _call(function: Callable[[Item], Result], item: Item) -> Result:
    return function(item)


def _first_line(problem: BaseException) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0].rstrip(".")


def _extra(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as problem:
        raise InputError(
            f'--engine dask needs {module}, which is not installed; run: pip install "adjudge[dask]"'
        ) from problem
