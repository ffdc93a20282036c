"""Functions that workers of a cluster import, and that end a process when they are told to."""

import os
import signal
from pathlib import Path

import numpy as np

from adjudge.core.arrays import Array


def counted_square(folder: str, victim: int, item: int) -> tuple[Array]:
    """The square of a number, with a mark in the folder; the first call for 5 ends a process: 0 stands for its own."""
    mark = Path(folder) / f"{item}-{os.getpid()}"
    first = not list(Path(folder).glob(f"{item}-*"))
    mark.touch()
    if item == 5 and first:
        os.kill(victim or os.getpid(), signal.SIGKILL)
    return (np.array([item**2]),)
