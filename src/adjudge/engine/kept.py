"""Results of part functions on disk, so that the next run can go on where this one was interrupted."""

import os
import pickle
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from adjudge._version import __version__


class Kept:
    """Tuples of arrays by a hash of what they were computed from; files hold numbers alone and are not unpickled."""

    def __init__(self) -> None:
        self.unfinished = False  # whether the run was interrupted, so that the next one needs its results
        self._used: set[str] = set()

    @cached_property
    def folder(self) -> Path:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return Path(home) / "adjudge" / "parts"

    @staticmethod
    def key(function: object, item: object) -> str:
        return blake2b(pickle.dumps((__version__, function, item), protocol=5), digest_size=16).hexdigest()

    def get(self, key: str) -> tuple[Any, ...] | None:
        found: list[Any] = []
        try:
            with self._file(key).open("rb") as stored:
                size = os.fstat(stored.fileno()).st_size
                while stored.tell() < size:
                    found.append(np.lib.format.read_array(stored, allow_pickle=False))
        except (OSError, ValueError, EOFError):
            return None
        if not found:  # an empty file
            return None
        self._used.add(key)
        return tuple(found)

    def put(self, key: str, result: tuple[Any, ...]) -> None:
        """Store it whole or not at all; a disk that cannot take it costs a later run time, and nothing else."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            half = self.folder / f".{key}-{os.getpid()}"
            with half.open("wb") as stored:  # one array after the other: to make the checksums of a zip file costs more
                for each in result:
                    np.lib.format.write_array(stored, np.asarray(each), allow_pickle=False)
            os.replace(half, self._file(key))
            self._used.add(key)

    def close(self) -> None:
        """Remove what this run stored, unless it was interrupted."""
        for key in set() if self.unfinished else self._used:
            with suppress(OSError):
                self._file(key).unlink()

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.npys"
