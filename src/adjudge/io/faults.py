"""All that is wrong with several files in one error, so that nobody mends one after the other."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from adjudge.core.index import shortened
from adjudge.errors import InputError, PredictionsError

MOST = 6  # that are told
Item = TypeVar("Item")
Result = TypeVar("Result")


def tried(function: Callable[[Item], Result], items: Iterable[Item]) -> tuple[list[tuple[Item, Result]], list[str]]:
    """Those for which the function does its work, with what it gave, and what it says of the others."""
    done, faults = list[tuple[Item, Result]](), list[str]()
    for item in items:
        try:
            done.append((item, function(item)))
        except InputError as fault:
            faults.append(str(fault))
    return done, faults


def refuse(faults: Sequence[str]) -> None:
    """Raise one error of these, if there are any."""
    if faults:
        raise PredictionsError(shortened(list(dict.fromkeys(faults)), MOST, "; also, "))
