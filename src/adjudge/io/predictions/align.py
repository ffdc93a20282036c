"""Predictions from rows in any order: which row of a table says what a model said about a sample."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypedDict
from warnings import warn

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array, BoolArray, IntArray, smallest_code_type
from adjudge.core.index import Index, counted, ids_at, listed
from adjudge.core.normalization import Normalization
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import AdjudgeNote, AdjudgeWarning, PredictionsError
from adjudge.io.column_names import PROBABILITY
from adjudge.io.predictions.distinct import Place, in_order, numbers_of
from adjudge.io.predictions.encode import class_table, encode

JOINS = (None, "inner", "outer")
Normalize: TypeAlias = str | Callable[[str], str] | Normalization | None  # as told, or as a file remembers it


class ReadOptions(TypedDict, total=False):
    """What the caller of `read` or `from_frame` may say about predictions."""

    id: str | None
    join: str | None
    columns: Sequence[str]
    classes: Sequence[str] | None
    regression: bool | None
    normalize: Normalize
    scores: bool | None
    abstain: Sequence[str]
    prediction_column: str | None
    label_column: str | None
    model_column: str | None


@dataclass(frozen=True)
class Options:
    """What is known about predictions before they are read: what the caller said, and notes in the file."""

    id: str | None = None
    join: str | None = None
    columns: Sequence[str] = ()
    classes: Sequence[str] | None = None
    regression: bool | None = None
    normalize: Normalize = None
    scores: bool | None = None
    abstain: Sequence[str] = ()
    prediction_column: str | None = None
    label_column: str | None = None
    model_column: str | None = None
    declared: bool = True  # whether `classes` are all there can be

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "abstain", (self.abstain,) if isinstance(self.abstain, str) else tuple(self.abstain))
        object.__setattr__(self, "classes", None if self.classes is None else tuple(map(str, self.classes)))
        if self.join not in JOINS:
            raise PredictionsError(f"join={self.join!r} is not known; use 'inner', 'outer' or None")


Column = Callable[[str], Iterator[pa.ChunkedArray]]  # a column's name to its values, one array a model


def assembled(
    column: Column,
    probability_columns: Sequence[Sequence[str]],
    models: Sequence[str],
    samples: Index,
    options: Options,
) -> Predictions:
    """Predictions, with probabilities where `probability_columns` names the classes that a model has them of."""
    classes, names = options.classes, list(dict.fromkeys(name for each in probability_columns for name in each))
    regression = False if names and classes is None else options.regression
    values, found = encode(column("prediction"), models, samples, classes=classes, regression=regression)
    if found is not None and names:
        meant = [_meant(each, found) for each in probability_columns]
        if classes is not None or any(not set(each.values()).isdisjoint(found) for each in meant):
            alike = len({frozenset(each) for each in probability_columns}) == 1
            every = _fitting(meant, found, declared=classes is not None, alike=alike)
            code = np.array([*map(every.index, found), MISSING], dtype=smallest_code_type(len(every)))
            probabilities = _probabilities(column, meant, every, models, samples)
            declared = options.declared and (classes is not None or alike)
            return Predictions(code[values], tuple(models), samples, every, probabilities, declared=declared)
        warn(
            f"the columns of probabilities are for {listed(names, 4)}, and no model predicts any of these; they are "
            "ignored, unless they are named after the classes",
            AdjudgeWarning,
            stacklevel=2,
        )
    declared = options.declared and found is not None and classes is not None
    return Predictions(values, tuple(models), samples, found, declared=declared)


def taken(column: pa.ChunkedArray, rows: IntArray) -> pa.ChunkedArray:
    """The column at these rows; null where the row is -1."""
    return column.take(pa.array(rows, mask=rows < 0))


def check_join(
    join: str | None, model: str, samples: Index, lacking: IntArray, shared: BoolArray, present: int, models: int
) -> None:
    """Say what it costs that models have different samples, or refuse it if nobody said what to do.

    `model` is the one that lacks most samples, `shared` those that all of the models have, and `present` is the number
    of all predictions.
    """
    kept, total, cells = int(np.count_nonzero(shared)), len(samples), models * len(samples)
    inner = f"keeps {kept:,} of {counted(total, 'sample')}, those of all {models:,} models"
    outer = f"keeps all {total:,}, with {cells - present:,} of {cells:,} predictions missing"
    if join == "inner" and not kept:
        raise PredictionsError(f"no sample is predicted by every model; --join outer {outer} (that is join= in Python)")
    if join is not None:
        warn(f"--join {join} {inner if join == 'inner' else outer}", AdjudgeNote, stacklevel=2)
        return
    raise PredictionsError(
        f"model {model!r} has no prediction for {len(lacking):,} of {counted(total, 'sample')}, "
        f"{ids_at(samples, lacking[:1])[0]!r} among them: --join inner {inner}; --join outer {outer} (that is join= in "
        "Python)"
    )


def _meant(names: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """The class that each name stands for: the same, or else the only one that differs by capitals."""
    spelled = dict(zip(class_table(classes).to_pylist(), classes, strict=True))
    given = class_table(names).to_pylist()
    left = [name for text, name in spelled.items() if text not in given]
    capitals = {
        name.casefold(): name for name in left if [each.casefold() for each in left].count(name.casefold()) == 1
    }
    return {
        name: spelled[text] if text in spelled else capitals.get(text.casefold(), name)
        for text, name in zip(given, names, strict=True)
    }


def _fitting(
    meant: Sequence[Mapping[str, str]], found: Sequence[str], *, declared: bool, alike: bool
) -> tuple[str, ...]:
    """All classes: those that are predicted, and those that probabilities are stated of."""
    named = {name for each in meant for name in each.values()}
    more, lacking = named - set(found), set(found) - named
    if (declared and more) or (alike and lacking):
        raise PredictionsError(
            f"the columns of probabilities do not fit the classes: {sorted(more | lacking)[0]!r} is on one side only; "
            f"give one column {PROBABILITY}<class> for each class"
        )
    return tuple(found) if declared else in_order([*found, *sorted(more)])


def _probabilities(
    column: Column, meant: Sequence[Mapping[str, str]], classes: Sequence[str], models: Sequence[str], samples: Index
) -> Array:
    """(models, samples, classes): nan for a model that states none, 0 for a class that it does not name."""
    probabilities = np.zeros((len(models), len(samples), len(classes)), dtype=np.float32)
    for name in dict.fromkeys(name for each in meant for name in each):
        for model, values in enumerate(column(f"{PROBABILITY}{name}")):
            if name in meant[model]:
                place = classes.index(meant[model][name])
                probabilities[model, :, place] = numbers_of(values, Place(models[model], samples), name)
    probabilities[[not each for each in meant]] = np.nan
    return probabilities
