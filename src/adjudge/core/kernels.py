"""Compiled functions."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import Any, Generic, ParamSpec, TypeVar

from adjudge._version import __version__

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# Python takes about a microsecond for each number; numba takes half a second to load, and up to two for a kernel
PLAIN_NUMBERS = 1 << 16
PATIENCE = 1.0  # seconds of compiling that nobody asks about
FOLDER = Path(__file__).parent / "__pycache__"  # where numba keeps machine code, unless told otherwise
MARKER = f"adjudge-{__version__}-told-of-compiling"

_compiling = RLock()
_listeners: list[Callable[[], None]] = []


class Kernel(Generic[Arguments, Result]):
    """A function that numba compiles at its first call, keeping the machine code on disk; other threads may run.

    numba is imported then, too, so what needs no kernel does not wait for it. Kernels may call each other.
    """

    __wrapped__: Callable[Arguments, Result]

    def __init__(self, function: Callable[Arguments, Result], plain_numbers: int) -> None:
        self.plain_numbers = plain_numbers  # that Python may still work on: more are worth compiling
        update_wrapper(self, function)

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        if self.plain_numbers > 0:
            self.plain_numbers -= max(getattr(each, "size", 0) for each in args)
            if self.plain_numbers >= 0:
                return self.__wrapped__(*args, **kwargs)
        return self.compiled(*args, **kwargs)  # type: ignore[no-any-return]

    @cached_property
    def compiled(self) -> Any:
        """The dispatcher of numba, which makes or reads machine code for each combination of types."""
        with _compiling:
            if "compiled" in vars(self):  # by another thread, in the meantime
                return vars(self)["compiled"]
            found = _numba().njit(nogil=True)(self.__wrapped__)
            with suppress(RuntimeError):  # no folder to write to, as in some containers
                found._cache = _machine_code()(self.__wrapped__)
            return found

    @property
    def _numba_type_(self) -> Any:
        """What numba asks a function for that another one calls."""
        return self.compiled._numba_type_


def kernel(function: Callable[Arguments, Result]) -> Kernel[Arguments, Result]:
    """Compile at first use."""
    return Kernel(function, plain_numbers=0)


def exact_kernel(function: Callable[Arguments, Result]) -> Kernel[Arguments, Result]:
    """Compile at first use, except for a few small inputs: for functions that are the same in Python to the last bit.

    They count, compare, and add or multiply numbers of one type that cannot overflow. Functions such as exp, and sums
    of whole arrays, are rounded differently by numpy and numba.
    """
    return Kernel(function, PLAIN_NUMBERS)


def when_compiling(listener: Callable[[], None]) -> None:
    """Call this function once machine code takes more than a second to be made, the first time on this machine."""
    _listeners[:] = [listener]


@cache
def _machine_code() -> Any:
    """The class of what numba keeps on disk for a function."""
    # by name: whether they have types depends on what else is checked
    caching, runtime = (import_module(f"numba.core.{name}") for name in ("caching", "runtime"))

    class MachineCode(caching.FunctionCache):  # type: ignore[misc, name-defined]
        """Without the tables that only compiling needs: numba takes a quarter of a second to fill them."""

        def load_overload(self, sig: object, target_context: object) -> object:
            runtime.rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)

    return MachineCode


@cache
def _numba() -> Any:
    import numba
    from numba.core import event

    class Told(event.Listener):  # type: ignore[misc]
        """Kernels that call each other are compiled inside each other."""

        spent, started, depth = 0.0, 0.0, 0

        def on_start(self, event: object) -> None:
            if not self.depth:
                self.started = monotonic()
            self.depth += 1
            if _listeners and self.spent + monotonic() - self.started > PATIENCE:
                tell, marker = _listeners.pop(), Path(getattr(numba.config, "CACHE_DIR", "") or FOLDER) / MARKER
                if not marker.exists():
                    tell()
                    with suppress(OSError):  # where nothing can be kept, all is compiled again, which is told again
                        marker.parent.mkdir(parents=True, exist_ok=True)
                        marker.touch()

        def on_end(self, event: object) -> None:
            self.depth -= 1
            if not self.depth:
                self.spent += monotonic() - self.started

    event.register("numba:compile", Told())
    return numba
