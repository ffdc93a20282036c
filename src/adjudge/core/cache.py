"""What was computed about a pool, kept for the next call: one cache for all methods."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, is_dataclass
from itertools import count
from threading import RLock
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.predictions import Predictions

Value = TypeVar("Value")
BYTE_BUDGET = 1 << 30


@dataclass
class _Entry:
    value: Any
    size: int
    used: int  # time of the last access, as a count of accesses


class PoolCache:
    """Values by pool and name; they are dropped with the last reference to the pool.

    Above the byte budget, the least recently used values are dropped; the newest always stays, so that a value larger
    than the budget is computed once and not at every call.

    >>> cache, pool = PoolCache(), Predictions(np.array([[0, 1]]), ("a",), range(2), ("x", "y"))
    >>> cache.get(pool, "squares", lambda: np.arange(3) ** 2)
    array([0, 1, 4])
    >>> cache.size
    24
    >>> cache.clear()
    >>> cache.size
    0
    """

    def __init__(self, budget: int = BYTE_BUDGET) -> None:
        self.budget = budget
        self._pools: WeakKeyDictionary[Predictions, dict[Hashable, _Entry]] = WeakKeyDictionary()
        self._clock = count()
        self._at_most = 0  # bytes held, if no pool had gone and nothing had been replaced
        self._lock = RLock()

    def get(self, pool: Predictions, name: Hashable, make: Callable[[], Value]) -> Value:
        """The value of this name; made where it is not there."""
        found = self.peek(pool, name)
        if found is None:
            found = make()
            self.put(pool, name, found)
        return cast(Value, found)

    def get_for(self, pool: Predictions, name: Hashable, state: object, make: Callable[[], Value]) -> Value:
        """The value of this name for a state, such as a log; only the latest state is kept."""
        kept = self.peek(pool, name)
        if kept is None or kept[0] != state:
            kept = state, make()
            self.put(pool, name, kept)
        return cast(Value, kept[1])

    def peek(self, pool: Predictions, name: Hashable) -> Any | None:
        """The value of this name, if it is there."""
        with self._lock:
            entry = self._pools.get(pool, {}).get(name)
            if entry is None:
                return None
            entry.used = next(self._clock)
            return entry.value

    def put(self, pool: Predictions, name: Hashable, value: object) -> None:
        """Keep a value under this name, in place of an older one."""
        with self._lock:
            entry = _Entry(value, size_of(value), next(self._clock))
            self._pools.setdefault(pool, {})[name] = entry
            self._at_most += entry.size
            if self._at_most > self.budget:
                self._make_room()
                self._at_most = self.size

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._pools.clear()
            self._at_most = 0

    @property
    def size(self) -> int:
        """Bytes that the values take."""
        with self._lock:
            return sum(entry.size for held in self._pools.values() for entry in held.values())

    def _make_room(self) -> None:
        over = self.size - self.budget
        if over <= 0:
            return
        places = [(entry.used, held, name) for held in self._pools.values() for name, entry in held.items()]
        for _, held, name in sorted(places, key=lambda place: place[0])[:-1]:
            over -= held.pop(name).size
            if over <= 0:
                return


def size_of(value: object) -> int:
    """Bytes of the arrays in a value: an array, a dataclass, or a collection of them."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, Predictions):  # owned by the caller, so not counted
        return 0
    if isinstance(value, dict):
        return sum(map(size_of, value.values()))
    if isinstance(value, tuple | list):
        return sum(map(size_of, value))
    if is_dataclass(value):
        return sum(size_of(getattr(value, field.name)) for field in fields(value))
    return 0


cache = PoolCache()
