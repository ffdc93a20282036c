"""Writes that come at once, written together: that costs one wait for the disk."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Generic, TypeVar


@dataclass(eq=False)
class Waiting:
    """Something to be written."""

    woken: Event = field(default_factory=Event, init=False)  # it is done, or it is the one to write for all who wait
    done: bool = field(default=False, init=False)


Job = TypeVar("Job", bound=Waiting)


@dataclass
class Together(Generic[Job]):
    """One of those who wait writes for all of them, wakes them, and then the first of those who have come meanwhile.

    Nobody waits for a lock that others only pass on: with many people that takes longer than to write.
    """

    writing: AbstractContextManager[object]  # held by whoever writes
    write_all: Callable[[list[Job]], None]  # leaves each of them done
    _queue: list[Job] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)  # for the queue, never while something is written
    _busy: bool = False  # whether somebody writes, or was woken to

    def write(self, job: Job) -> None:
        """Return when it is done, by whichever thread."""
        with self._lock:
            self._queue.append(job)
            first, self._busy = not self._busy, True
        if not first:
            job.woken.wait()
        if not job.done:
            self._write_queue()

    def _write_queue(self) -> None:
        jobs: list[Job] = []
        try:
            with self.writing:
                with self._lock:
                    jobs, self._queue = self._queue, []
                self.write_all(jobs)
        finally:
            with self._lock:
                following = self._queue[:1]
                self._busy = bool(following)
            for job in jobs + following:
                job.woken.set()
