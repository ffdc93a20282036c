"""Losses in [0, 1], and how they are reported in the user's own units."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from adjudge.core.arrays import Array, FloatArray, Grades, locked
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import InputError

WIDEST = 1e150  # the square of a wider range may overflow


class Loss(Protocol):
    """What a wrong prediction costs: 0 for a right one, 1 for the worst possible one.

    A report says `best - max_loss * loss`, so that accuracy, "1 - MSE" and grades keep their own units.
    """

    @property
    def quantity(self) -> str: ...
    @property
    def max_loss(self) -> float: ...
    @property
    def best(self) -> float: ...
    @property
    def bounded(self) -> bool: ...
    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        """(models, samples) of predictions against (samples,) of true values; nan where missing."""
        ...


@dataclass(frozen=True)
class ZeroOne:
    """1 for a wrong class."""

    quantity: str = "accuracy"
    max_loss: float = 1.0
    best: ClassVar[float] = 1.0
    bounded: bool = True

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        return np.where(predicted == MISSING, np.nan, predicted != truth)


@dataclass(frozen=True)
class _WithinRange:
    """What losses of numbers have in common: predictions and labels lie in a range."""

    low: float
    high: float
    quantity: str = ""
    bounded: bool = True
    best: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        _check_range(self.low, self.high)


@dataclass(frozen=True)
class Squared(_WithinRange):
    """The squared difference, as a share of the largest one possible within a stated range.

    Parameters
    ----------
    low, high
        The range that predictions and labels lie in.
    quantity
        How tables call 1 - loss.
    bounded
        Whether the user gave the range, or it is only that of the values seen.
    """

    quantity: str = "1 - MSE"

    @property
    def max_loss(self) -> float:
        return (self.high - self.low) ** 2

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        return _distance(predicted, truth, self.low, self.high) ** 2


@dataclass(frozen=True)
class Absolute(_WithinRange):
    """The absolute difference, as a share of the largest one possible within a stated range.

    Its parameters are those of `Squared`.
    """

    quantity: str = "1 - MAE"

    @property
    def max_loss(self) -> float:
        return self.high - self.low

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        return _distance(predicted, truth, self.low, self.high)


@dataclass(frozen=True, eq=False)
class Cost:
    """A cost for each pair of true class (row) and predicted class (column); an abstention costs the most there is.

    Examples
    --------
    >>> Cost([[0, 1], [5, 0]])(np.array([[0, 1]]), np.array([1, 0])).tolist()  # the first mistake is the worst one
    [[1.0, 0.2]]
    """

    matrix: FloatArray
    quantity: str = "1 - cost"
    bounded: bool = True
    best: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        matrix = np.array(self.matrix, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"a cost matrix is square, one row and column a class; this is {matrix.shape}")
        if not np.isfinite(matrix).all() or matrix.min() < 0 or matrix.max() <= 0:
            raise InputError("costs are finite, not negative, and at least one is above zero")
        object.__setattr__(self, "matrix", locked(matrix))

    @property
    def max_loss(self) -> float:
        return float(self.matrix.max())

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        if truth.size and truth.max() >= len(self.matrix):
            raise InputError(
                f"a label is not among the {len(self.matrix)} classes of the cost matrix; add a row for it"
            )
        cost = self.matrix[truth.astype(np.int64), np.maximum(predicted, 0)] / self.max_loss
        return np.where(predicted == MISSING, np.nan, np.where(predicted < MISSING, 1.0, cost))


@dataclass(frozen=True)
class MeanGrade:
    """How far a grade is below the highest possible one, as a share of the range.

    It looks the grade up by the number of the answer (`Predictions.grades`): a label only says that the sample is
    graded.

    Examples
    --------
    >>> grades = Grades(np.array([5.0, 3.0, 1.0]))
    >>> MeanGrade(grades, 1, 5)(np.array([[0.0, 2.0], [1.0, np.nan]]), np.zeros(2)).tolist()
    [[0.0, 1.0], [0.5, nan]]
    """

    grades: Grades
    low: float
    high: float
    bounded: bool = True

    def __post_init__(self) -> None:
        _check_range(self.low, self.high)
        given = self.grades.given
        _refuse_outside("grade", given[~np.isnan(given)], self.low, self.high)

    @property
    def quantity(self) -> str:
        return self.grades.quantity

    @property
    def max_loss(self) -> float:
        return self.high - self.low

    @property
    def best(self) -> float:
        return self.high

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        known = ~np.isnan(predicted)
        grade = np.full(predicted.shape, np.nan)
        grade[known] = self.grades.given[predicted[known].astype(np.int64)]
        if np.isnan(grade[known]).any():
            raise InputError("an answer to a labeled sample has no grade; grade all answers of a sample, or none")
        return np.asarray((self.high - grade) / self.max_loss)


def mean_grade(grades: Grades, span: tuple[float, float] | None = None) -> MeanGrade:
    """The loss of grades within this range, or the stated one, or that of the grades given so far."""
    if (stated := span or grades.span) is not None:
        return MeanGrade(grades, *stated)
    given = grades.given[~np.isnan(grades.given)]
    low, high = (float(given.min()), float(given.max())) if given.size else (0.0, 1.0)
    return MeanGrade(grades, low, high if high > low else low + 1.0, bounded=False)


def graded_samples(predictions: Predictions) -> Labels | None:
    """The samples whose answers all have a grade, as labels of which it is not known how they were chosen.

    A sample without any answer cannot be graded: it counts as skipped. None: no sample is graded, or the labels of
    this pool are not grades.
    """
    if predictions.grades is None:
        return None
    given, graded = predictions.grades.given, np.ones(predictions.values.shape[1], dtype=bool)
    answered = np.zeros(len(graded), dtype=bool)
    for row in predictions.values:
        present = ~np.isnan(row)
        answered |= present
        graded[present] &= ~np.isnan(given[row[present].astype(np.int64)])
    if not (graded & answered).any():
        return None
    known = np.flatnonzero(graded)
    return Labels.known(len(graded), known, np.where(answered[known], 0.0, np.nan))


def default_loss(predictions: Predictions, labels: Labels) -> Loss:
    """0-1 for classes, `MeanGrade` for grades; for regression the squared error within the range of all values seen."""
    if predictions.grades is not None:
        return mean_grade(predictions.grades)
    if predictions.classes is not None:
        return ZeroOne()
    bought = labels.value[labels.usable]
    low, high = np.fmin.reduce([predictions.span[0], *bought]), np.fmax.reduce([predictions.span[1], *bought])
    return Squared(float(low), float(high if high > low else low + 1.0), bounded=False)


def named_loss(name: str | None, span: tuple[float, float] | None, predictions: Predictions) -> Loss | None:
    """The loss "zero-one", "squared" or "absolute", the last two within a range; None: the default one.

    Examples
    --------
    >>> pool = Predictions(np.array([[0.5, 2.0]]), ("a",), range(2), None)
    >>> named_loss("absolute", (0, 10), pool)
    Absolute(low=0, high=10, quantity='1 - MAE', bounded=True)
    """
    if name is None and span is None:
        return None
    if predictions.grades is not None:
        if name is not None:
            raise InputError(f"--loss {name} compares answers with a label, but these have grades; leave it out")
        return mean_grade(predictions.grades, span)
    for_numbers = name != "zero-one"
    if for_numbers != (predictions.classes is None):
        kinds = ("numbers", "classes") if for_numbers else ("classes", "numbers")
        raise InputError(f"--loss {name or 'with a range'} is for {kinds[0]}, but these predictions are {kinds[1]}")
    if not for_numbers:
        return ZeroOne()
    if span is None:
        raise InputError(f"--loss {name} needs the lowest and highest possible value; add --range LOW HIGH")
    return Absolute(*span) if name == "absolute" else Squared(*span)


def _distance(predicted: Array, truth: Array, low: float, high: float) -> FloatArray:
    _refuse_outside("prediction", predicted, low, high)
    _refuse_outside("label", truth, low, high)
    return np.asarray(np.abs(predicted - truth) / (high - low))


def _refuse_outside(what: str, values: Array, low: float, high: float) -> None:
    outside = values[(values < low) | (values > high)]
    if outside.size:
        raise InputError(
            f"a {what} of {outside.flat[0]:g} is outside the stated range {low:g} to {high:g}; state a wider one"
        )


def _check_range(low: float, high: float) -> None:
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise InputError(f"the range {low:g} to {high:g} is empty; give the lowest and the highest possible value")
    if high - low > WIDEST:
        raise InputError(
            f"values from {low:g} to {high:g} are too far apart to be squared; if a huge number stands for a missing "
            "value, leave it blank"
        )
