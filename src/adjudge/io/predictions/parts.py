"""A pool that is larger than memory: a sequence of parts, each of them ordinary predictions, read when asked for."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from threading import Lock
from time import perf_counter
from typing import Any, ClassVar, NoReturn, Protocol, TypeVar, cast

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array, IntArray, smallest_code_type
from adjudge.core.cache import size_of
from adjudge.core.index import Index, counted
from adjudge.core.predictions import ABSTAINED, MISSING, Predictions, place_of
from adjudge.engine import Engine
from adjudge.errors import MethodError, PredictionsError
from adjudge.io.memory import size_in_words
from adjudge.io.predictions.pieces import HeldColumns, at_places, itself, together

Result = TypeVar("Result")

COPIED = 2e-9  # seconds for each byte: to decode Parquet takes more, and so does a disk


@dataclass(frozen=True)
class Facts:
    """What is known about a pool before its predictions are read: from a manifest, or from a first pass."""

    models: tuple[str, ...]
    classes: tuple[str, ...] | None
    declared: bool
    rows: tuple[int, ...]  # samples of each part
    numbered: bool  # whether the sample ids are 0, 1, 2 and so on
    probabilities: bool = False
    columns: tuple[str, ...] = ()  # of facts about samples
    abstain: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """How parts are looked at, the same for all of them: what a worker is told once."""

    facts: Facts
    room: int  # bytes of parts that a process may hold on to between passes
    only: tuple[str, ...] = ()  # models that are looked at; (): all
    more: tuple[str, ...] = ()  # classes that labels added


class Part(Protocol):
    """A range of samples, by where its predictions are stored; small, since it is sent to workers."""

    def read(self, facts: Facts, first: int) -> Predictions:
        """Its predictions, with codes of the classes of the whole pool; `first` is the number of its first sample."""


@dataclass(frozen=True, eq=False)
class Unread:
    """Stands for an array of a pool in parts: its shape is known, and some of its columns can be had."""

    pool: "PredictionParts"
    what: str

    @property
    def shape(self) -> tuple[int, ...]:
        return len(self.pool.models), sum(self.pool.facts.rows)

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        classes = self.pool.classes
        lowest = ABSTAINED - len(self.pool.models) if self.pool.abstain else MISSING
        return np.dtype(np.float64) if classes is None else smallest_code_type(len(classes), lowest)

    def __getitem__(self, key: Any) -> Array:
        if self.what == "values" and isinstance(key, tuple) and len(key) == 2 and key[0] == slice(None):
            places = np.asarray(key[1])
            if not places.size:
                return np.empty((self.shape[0], 0), dtype=self.dtype)
            if places.dtype.kind in "iu":
                return self.pool.held_columns.get(places)
        return self._refuse()

    def __array__(self, *_args: object, **_options: object) -> NoReturn:
        self._refuse()

    def __iter__(self) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise MethodError(
            f"this needs all predictions in memory, and {counted(self.size, 'prediction')} do not fit into "
            f"{size_in_words(self.pool.memory)}; give more memory (--memory, memory= in Python), or fewer samples"
        )


class PredictionParts(Predictions):
    """Predictions that stay where they are stored.

    What is about models, classes and samples is known at once. Whoever needs the predictions themselves asks
    `over_parts`, which reads one part after the other, here or on the workers of a cluster; `values` gives single
    columns, and refuses to be an array.
    """

    in_parts: ClassVar[bool] = True

    def __init__(
        self,
        parts: Sequence[Part],
        memory: int,
        engine: Engine,
        look: Callable[[], Facts],
        only: tuple[str, ...] = (),
        more: tuple[str, ...] = (),
        whole: Predictions | None = None,
    ) -> None:
        self.parts, self.memory, self.engine, self._look = tuple(parts), memory, engine, look
        self._only, self._more = only, more
        vars(self).update(whole=whole, auxiliary={}, normalization=None)

    @cached_property
    def facts(self) -> Facts:
        return self._look()

    @property
    def values(self) -> Array:
        return cast(Array, Unread(self, "values"))

    @property
    def probabilities(self) -> Array | None:
        return cast(Array, Unread(self, "probabilities")) if self.facts.probabilities else None

    @property
    def models(self) -> tuple[str, ...]:
        return self._only or self.facts.models

    @property
    def classes(self) -> tuple[str, ...] | None:
        known = self.facts.classes
        return None if known is None else (*known, *self._more)

    @property
    def declared(self) -> bool:
        return self.facts.declared

    @property
    def abstain(self) -> tuple[str, ...]:
        return self.facts.abstain

    @cached_property
    def samples(self) -> Index:
        if self.facts.numbered:
            return range(sum(self.facts.rows))
        return pa.concat_arrays(list(self._run(_ids_of, self._tasks(), keep=False)))

    @cached_property
    def columns(self) -> pa.Table | None:
        return pa.concat_tables(self._run(_columns_of, self._tasks(), keep=False)) if self.facts.columns else None

    def over_parts(self, function: Callable[..., Result], *vectors: Array) -> Iterator[Result]:
        return self._run(function, self._tasks(*vectors), keep=True)

    def in_memory(self) -> Predictions:
        """All parts as one pool."""
        return together(list(self._run(itself, self._tasks(), keep=False)))

    def at(self, places: IntArray) -> Predictions:
        """The predictions of some samples, in this order; only the parts that hold them are read."""
        order = np.argsort(places, kind="stable")
        inside = np.searchsorted(places[order], self._bounds)
        tasks = [
            (part, start, places[order][low:high] - start)
            for part, start, (low, high) in zip(self.parts, self._bounds[:-1], pairwise(inside), strict=True)
            if high > low
        ]
        found = together(list(self._run(at_places, tasks, keep=False)))
        return at_places(found, np.argsort(order))

    @cached_property
    def held_columns(self) -> HeldColumns:
        return HeldColumns(lambda places: self.at(places).values, self.memory // 4)

    def only(self, models: Sequence[str]) -> "PredictionParts":
        names = tuple(self.models[place_of(name, self)] for name in models)
        return self._changed(names, self._more, self.whole or self)

    def with_classes(self, names: Sequence[str]) -> "PredictionParts":
        if self.classes is None:
            raise PredictionsError(f"a class {names[0]!r} cannot be added to a regression")
        if self.declared:
            raise PredictionsError(
                f"the label {names[0]!r} is not among the declared classes; correct the label or declare the class"
            )
        return self._changed(self._only, (*self._more, *names), self.whole)

    def _changed(self, only: tuple[str, ...], more: tuple[str, ...], whole: Predictions | None) -> "PredictionParts":
        return PredictionParts(self.parts, self.memory, self.engine, lambda: self.facts, only, more, whole)

    def with_auxiliary(self, name: str, numbers: Array) -> NoReturn:
        raise MethodError(
            f"the numbers {name!r} cannot be added to predictions that are read in parts; give more memory (--memory, "
            "memory= in Python)"
        )

    def __repr__(self) -> str:
        return f"PredictionParts({counted(len(self.parts), 'part')})"

    @cached_property
    def _bounds(self) -> IntArray:
        return np.append(0, np.cumsum(self.facts.rows))

    def _tasks(self, *vectors: Array) -> list[tuple[Any, ...]]:
        return [
            (part, int(low), *(vector[low:high] for vector in vectors))
            for part, (low, high) in zip(self.parts, pairwise(self._bounds), strict=True)
        ]

    def _run(self, function: Callable[..., Result], tasks: list[tuple[Any, ...]], *, keep: bool) -> Iterator[Result]:
        view = View(self.facts, self.memory // 2, self._only, self._more)
        return self.engine.map(partial(_run_on, function, view), tasks, keep=keep)


def refuse_scores(name: str) -> NoReturn:
    """Scores have no classes that a method in parts could count, so they are not read that way."""
    raise PredictionsError(
        f"the scores of {name} are needed in memory at once; give more (--memory, memory= in Python), without --engine"
    )


def refuse_cluster(name: str, cluster: Engine | None) -> None:
    """Refuse work for a cluster, if there is one, on a file that cannot be cut into parts."""
    if cluster is not None:
        raise PredictionsError(
            f"a cluster works on parts, and {name} has none; make some with `adjudge merge {name} --out FOLDER`, or "
            "leave out --engine"
        )


def _ids_of(part: Predictions) -> pa.LargeStringArray:
    return part.samples


def _columns_of(part: Predictions) -> pa.Table:
    return part.columns


def _run_on(function: Callable[..., Result], view: View, task: tuple[Any, ...]) -> Result:
    part, first, *vectors = task
    return function(_held.get(view, part, first), *vectors)


class _Held:
    """Parts that this process has read, as many as there is room for: the next pass over the same pool finds them.

    Only those that took their time: memory that is new costs more than to copy once more what the system has at hand.
    """

    def __init__(self) -> None:
        self._view: View | None = None
        self._parts: dict[Part, Predictions] = {}
        self._lock = Lock()

    def get(self, view: View, part: Part, first: int) -> Predictions:
        with self._lock:
            if self._view != view:
                self._view, self._parts = view, {}
            found = self._parts.get(part)
        if found is not None:
            return found
        start = perf_counter()
        found = part.read(view.facts, first)
        quick = perf_counter() - start < _bytes(found) * COPIED
        if view.more:
            found = replace(found, declared=False).with_classes(view.more)
        if view.only:
            found = replace(found.only(view.only), whole=None)
        with self._lock:
            held = sum(_bytes(each) for each in self._parts.values())
            if self._view == view and not quick and held + _bytes(found) <= view.room:
                self._parts[part] = found
        return found


def _bytes(part: Predictions) -> int:
    return size_of((part.values, part.probabilities))


_held = _Held()
