"""Predictions of many models for many samples."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import (
    Array,
    Auxiliary,
    BoolArray,
    FloatArray,
    Grades,
    IntArray,
    check_names,
    locked,
    native,
    one_code_a_row,
    smallest_code_type,
)
from adjudge.core.index import Index, as_index, counted, label_text, listed, repeated
from adjudge.core.normalization import Normalization
from adjudge.errors import LabelsError, MethodError, PredictionsError

AUXILIARY = "auxiliary_"  # how the names of such arrays begin in an npz file
JUDGE = "judge "  # how the names of auxiliary numbers begin that are scores of a judge
Result = TypeVar("Result")
MISSING = -1  # the code of a class prediction that is not there; nan for regression
ABSTAINED = -2  # the code of an abstention of the first model, and one less for each model after it: no two are equal


@dataclass(frozen=True, eq=False)
class Predictions:
    """The prediction of each model for each sample; checked once, then read-only.

    Two Predictions are equal only if they are the same object, which makes them safe keys for caches.

    Parameters
    ----------
    values
        (models, samples): class codes, or floats for regression. A missing prediction is -1 or nan. A code below -1 is
        an abstention, kept as -2 less the place of the model: no two are equal.
    probabilities
        (models, samples, classes), where they are known.
    columns
        Facts about samples: text, domain, cost.
    declared
        True: `classes` is the complete list. False: only the classes seen so far.
    whole
        The pool that this is a part of, whose models define the strata.
    auxiliary
        Numbers about samples, for methods.
    normalization
        How answers were brought to one spelling, if they were; labels are read in the same way.
    grades
        The grades of answers, where labels are grades: then `values` are numbers of answers, and `classes` is None.
    abstain
        The answers that were abstentions: never right, and no classes.

    Examples
    --------
    >>> pool = Predictions(np.array([[0, 1, 1], [0, -1, 0]]), ("a", "b"), range(3), ("cat", "dog"))
    >>> pool
    Predictions(2 models x 3 samples, 2 classes, 1 missing)
    """

    values: Array
    models: tuple[str, ...]
    samples: Index
    classes: tuple[str, ...] | None
    probabilities: Array | None = None
    columns: pa.Table | None = None
    declared: bool = False
    whole: "Predictions | None" = None
    auxiliary: Mapping[str, Auxiliary] = field(default_factory=dict)
    normalization: Normalization | None = None
    grades: Grades | None = None
    abstain: tuple[str, ...] = ()
    in_parts: ClassVar[bool] = False  # whether `values` are not in memory

    def __post_init__(self) -> None:
        values = native(np.asanyarray(self.values), classes=self.classes is not None)
        object.__setattr__(self, "models", tuple(self.models))
        object.__setattr__(self, "samples", as_index(self.samples))
        if values.ndim != 2 or not values.size:
            raise PredictionsError(
                f"predictions have the shape {values.shape}; at least one model and one sample are "
                "needed, as (models, samples)"
            )
        check_names("model", self.models, values.shape[0])
        if len(self.samples) != values.shape[1]:
            raise PredictionsError(
                f"{values.shape[1]} samples are predicted but {len(self.samples)} sample ids are given; "
                "give one id to each column of the predictions"
            )
        if twice := repeated(self.samples):
            raise PredictionsError(
                f"{counted(len(twice), 'sample id occurs', 'sample ids occur')} more than once, {twice[0]!r} among "
                "them; give each sample one id and one row"
            )
        if self.classes is None:
            if np.isinf(values).any():
                model, sample = np.argwhere(np.isinf(values))[0]
                raise PredictionsError(
                    f"model {self.models[model]!r} predicts an infinite value at position {sample}; "
                    "leave it blank if it is missing"
                )
        else:
            object.__setattr__(self, "classes", tuple(self.classes))
            check_names("class", self.classes, max(1, len(self.classes)))
            if (values.min() < MISSING and not self.abstain) or values.max() >= len(self.classes):
                raise PredictionsError(
                    f"class codes run from {values.min()} to {values.max()} but {len(self.classes)} classes are named; "
                    "codes count from 0, -1 is a missing prediction, and -2 an abstention if `abstain` names any"
                )
            values = one_code_a_row(values, ABSTAINED, len(self.classes)) if self.abstain else values
        if self.probabilities is not None:
            self._check_probabilities(self.probabilities)
        if self.columns is not None and (rows := self.columns.num_rows) != values.shape[1]:
            raise PredictionsError(f"the columns of facts have {rows} rows for {values.shape[1]} samples")
        fitting = {name: each for name, each in self.auxiliary.items() if each.values.shape[-1] == values.shape[1]}
        object.__setattr__(self, "auxiliary", fitting)  # a pool of other samples has none of these numbers
        object.__setattr__(self, "values", locked(values))

    def _check_probabilities(self, probabilities: Array) -> None:
        if self.classes is None:
            raise PredictionsError("probabilities are given for a regression; they belong to classes")
        expected = (*self.values.shape, len(self.classes))
        if probabilities.shape != expected:
            found = f"probabilities have the shape {probabilities.shape}"
            raise PredictionsError(f"{found} but {expected} (models, samples, classes) is needed")
        for name, rows in zip(self.models, probabilities, strict=True):
            total = rows.sum(axis=1, dtype=np.float64)
            if not (np.isnan(total) | (np.abs(total - 1) < 0.02)).all() or (rows < 0).any():
                raise PredictionsError(
                    f"the probabilities of model {name!r} do not sum to 1 for every sample; "
                    "give probabilities, not scores"
                )
        object.__setattr__(self, "probabilities", locked(probabilities))

    def is_present(self, values: Array) -> BoolArray:
        """Which of some predictions are not missing, and so are judged: abstentions are among them."""
        return np.asarray(~np.isnan(values) if self.classes is None else values != MISSING)

    def as_judged(self, values: Array) -> Array:
        """Codes that are equal where no label can make a difference: all abstentions are equally wrong."""
        return np.maximum(values, ABSTAINED) if self.abstain else values

    def over_parts(self, function: Callable[..., Result], *vectors: Array) -> Iterator[Result]:
        """The function of each part and of its share of each vector (samples,), in order; in memory: the whole pool."""
        yield function(self, *vectors)

    @cached_property
    def n_predicted(self) -> IntArray:
        """(models,): how many samples the model is judged on: those that it predicts, or abstains from."""
        return np.asarray(self._ranges[0], dtype=np.int64)

    @cached_property
    def n_abstained(self) -> IntArray:
        """(models,): from how many samples the model abstains."""
        return np.asarray(self._ranges[3], dtype=np.int64)

    @property
    def extremes(self) -> FloatArray:
        """(2, models): the lowest and the highest prediction of each model, nan where it has none."""
        return self._ranges[1:3]

    @cached_property
    def _ranges(self) -> FloatArray:
        count, low, high, silent = np.stack([each for (each,) in self.over_parts(_ranges)], axis=1)
        return locked(np.stack([count.sum(axis=0), np.fmin.reduce(low), np.fmax.reduce(high), silent.sum(axis=0)]))

    @cached_property
    def constant(self) -> BoolArray:
        """(models,): whether all predictions of a model are equal, and there are at least two."""
        return locked((self.extremes[0] == self.extremes[1]) & (self.n_predicted > 1))

    @cached_property
    def span(self) -> tuple[float, float]:
        """The lowest and the highest number that any model predicted."""
        return float(np.fmin.reduce(self.extremes[0])), float(np.fmax.reduce(self.extremes[1]))

    @property
    def judges(self) -> dict[str, FloatArray]:
        """(models, samples) for each judge by its name: its scores, higher is better, nan where it gave none."""
        found = {name.removeprefix(JUDGE): each for name, each in self.auxiliary.items() if name.startswith(JUDGE)}
        return {name: np.broadcast_to(each.among(self.models), self.values.shape) for name, each in found.items()}

    def check_labels(self, values: FloatArray) -> None:
        """Refuse labels that are not valid class codes of this pool; nan stands for none."""
        known = values[~np.isnan(values)]
        if self.classes is None or not known.size:
            return
        wrong = known[(known < 0) | (known >= len(self.classes)) | (known != np.trunc(known))]
        if wrong.size:
            raise LabelsError(
                f"the label {wrong[0]:g} is not a valid class code (0 to {len(self.classes) - 1}); use the labels with "
                "the pool that `read_labels` returns with them"
            )

    def needed_probabilities(self, method: str) -> Array:
        """The probabilities, for a method that needs them."""
        if self.probabilities is None:
            raise MethodError(
                f"{method} needs the probabilities of each class, and these predictions have none; "
                "store them in an npz, or as columns p_<class> of a long table"
            )
        return self.probabilities

    def text_of(self, label: float) -> str:
        """A label as text: the name of a class, or a number with all its digits."""
        return label_text(label, self.classes)

    def with_classes(self, names: Sequence[str]) -> "Predictions":
        """The same pool with more classes, which no model predicted."""
        if self.classes is None:
            raise PredictionsError(f"a class {names[0]!r} cannot be added to a regression")
        if self.declared:
            raise PredictionsError(
                f"the label {names[0]!r} is not among the declared classes {listed(self.classes)}; correct the label "
                "or declare the class"
            )
        classes = (*self.classes, *names)
        lowest = ABSTAINED - len(self.models) if self.abstain else MISSING
        wider = self.values.astype(smallest_code_type(len(classes), lowest), copy=False)
        stated, more = self.probabilities, ((0, 0), (0, 0), (0, len(names)))
        probabilities = None if stated is None else np.pad(stated, more)
        return replace(self, values=wider, classes=classes, probabilities=probabilities)

    def only(self, models: Sequence[str]) -> "Predictions":
        """Some of the models, such as finalists: labels that were drawn for all of them stay valid.

        Examples
        --------
        >>> pool = Predictions(np.array([[0, 1], [0, 0], [1, 1]]), ("a", "b", "c"), range(2), ("cat", "dog"))
        >>> pool.only(["c", "a"])
        Predictions(2 models x 2 samples, 2 classes)
        """
        places = [place_of(name, self) for name in models]
        return replace(
            self,
            values=self.values[places],
            models=tuple(self.models[place] for place in places),
            probabilities=None if self.probabilities is None else self.probabilities[places],
            whole=self.whole or self,
        )

    def with_auxiliary(self, name: str, numbers: Array) -> "Predictions":
        """The same pool with numbers about its samples, as (samples,) or (models, samples); nan where one is missing.

        Examples
        --------
        >>> pool = Predictions(np.array([[0, 1, 1], [0, 1, 0]]), ("a", "b"), range(3), ("cat", "dog"))
        >>> pool.with_auxiliary("surprise", np.array([0.3, 2.5, np.nan])).auxiliary["surprise"].of("a")
        array([0.3, 2.5, nan])
        """
        numbers, (models, samples) = np.asarray(numbers), self.values.shape
        if numbers.shape not in ((samples,), (models, samples)) or numbers.dtype.kind not in "buif":
            raise PredictionsError(
                f"the numbers {name!r} have the shape {numbers.shape} and the type {numbers.dtype}; give "
                f"({samples},), or ({models}, {samples}) for each model its own"
            )
        if self.columns is not None and name in self.columns.column_names:
            raise PredictionsError(f"there is a column {name!r} already; rename it, or give the numbers another name")
        added = Auxiliary(locked(numbers), self.models if numbers.ndim == 2 else ())
        return replace(self, auxiliary={**self.auxiliary, name.removeprefix(AUXILIARY): added})

    def __repr__(self) -> str:
        models, samples = self.values.shape
        kind = "regression" if self.classes is None else counted(len(self.classes), "class", "classes")
        if self.grades is not None:
            kind = "scores" if self.grades.texts is None else f"{counted(len(self.grades.given), 'answer')} to grade"
        missing, abstained = self.values.size - int(self.n_predicted.sum()), int(self.n_abstained.sum())
        parts = [f"{counted(models, 'model')} x {counted(samples, 'sample')}", kind]
        parts += ["probabilities"] * (self.probabilities is not None)
        parts += [f"{missing:,} missing"] * bool(missing) + [counted(abstained, "abstention")] * bool(abstained)
        return f"Predictions({', '.join(parts)})"


def place_of(model: str, predictions: Predictions) -> int:
    """The position of a model; the message for an unknown name suggests the nearest one."""
    if model in predictions.models:
        return predictions.models.index(model)
    near = get_close_matches(str(model), predictions.models, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the models are {listed(predictions.models)}"
    raise MethodError(f"there is no model {model!r}; {hint}")


def _ranges(part: Predictions) -> tuple[FloatArray]:
    """(4, models): how many predictions there are, the lowest and the highest, and how many are abstentions."""
    found = np.full((4, len(part.models)), np.nan)
    for model, row in enumerate(part.values):
        present = row[part.is_present(row)]
        found[:3, model] = present.size, *((present.min(), present.max()) if present.size else (np.nan, np.nan))
        found[3, model] = np.count_nonzero(present < MISSING) if part.abstain else 0
    return (found,)
