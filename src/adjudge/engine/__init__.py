"""Where work runs: `map` of a function over items, in order, on the threads of this process or on a Dask cluster."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from adjudge.engine.local import Local
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.engine.cluster import Dask

Item = TypeVar("Item")
Result = TypeVar("Result")

ENGINES = ("local", "dask")

__all__ = ["ENGINES", "Engine", "Local", "dask_cluster", "engine_named"]


class Engine(Protocol):
    """Whatever can call a function for many items.

    Results come in the order of the items, whatever runs first: what is added up in that order is the same number on
    any number of workers. With `keep`, results are tuples of arrays, which an engine may store to resume from.
    """

    @property
    def workers(self) -> int:
        """How many items are worked on at the same time, in one process."""

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item], *, keep: bool = False
    ) -> Iterator[Result]: ...


def engine_named(name: str = "local", scheduler: str | None = None) -> Engine:
    """The engine of this name; `scheduler` is the address of a Dask scheduler, without which one is started here."""
    if name not in ENGINES:
        raise InputError(f"there is no engine {name!r}; give {' or '.join(ENGINES)}")
    if name == "local":
        if scheduler is not None:
            raise InputError("a scheduler is given, which only Dask has; add --engine dask (engine= in Python)")
        return Local()
    return dask_cluster(scheduler)


def dask_cluster(scheduler: str | None = None) -> "Dask":
    """A Dask cluster, by the address of its scheduler, or one of this machine: `workers` of `simulate` and `bench`."""
    from adjudge.engine.cluster import Dask

    return Dask(scheduler)
