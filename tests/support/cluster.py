"""A Dask scheduler and its workers, as processes of their own on the loopback device."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from adjudge import __file__ as home

SECONDS = 60.0  # until a process that does not start counts as one that never will


@dataclass
class Cluster:
    """A scheduler and workers, which can be ended one by one."""

    folder: Path
    port: int
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def add_worker(self) -> None:
        told = ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--memory-limit", "0"]
        told += ["--local-directory", str(self.folder)]
        self.workers.append(_start("distributed.cli.dask_worker", self.address, *told))

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """At once, as a machine that is switched off would."""
    process.send_signal(signal.SIGKILL)
    process.wait()


@contextmanager
def cluster(folder: Path, workers: int, port: int = 0) -> Iterator[Cluster]:
    """A scheduler that answers, and workers that are on their way."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", port))
        port = probe.getsockname()[1]
    told = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
    made = Cluster(folder, port, _start("distributed.cli.dask_scheduler", *told))
    try:
        for _ in range(workers):
            made.add_worker()
        _wait(port, made.scheduler)
        yield made
    finally:
        made.stop()


def _start(module: str, *words: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(Path(home).parents[1]), str(Path(__file__).parents[2])])
    return subprocess.Popen(
        [sys.executable, "-m", module, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": path, "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1"},
    )


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    last = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < last:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the scheduler did not start")
