"""Losses in [0, 1], and how they are reported in the users' own units."""

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

import numpy as np

from adjudge.core.arrays import Array, FloatArray, Grades, locked
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.ranking import ACCURACY
from adjudge.errors import InputError
from adjudge.losses.numbers import Absolute, Squared, check_range, number_loss, refuse_outside

Number = TypeVar("Number", float, FloatArray)
Ends = tuple[FloatArray, FloatArray, FloatArray]  # value, low and high


class Loss(Protocol):
    """What a wrong prediction costs: 0 for a right one, 1 for the worst possible one.

    Reports are in the users' units (`reported`): `best` is what a model without mistakes has, and the worst possible
    one is `max_loss` away from it, above where `lower_is_better`, as for MSE and costs, and below for accuracy.
    """

    @property
    def quantity(self) -> str: ...
    @property
    def max_loss(self) -> float: ...
    @property
    def best(self) -> float: ...
    @property
    def lower_is_better(self) -> bool: ...
    @property
    def bounded(self) -> bool: ...
    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        """(models, samples) of predictions against (samples,) of true values; nan where missing."""
        ...


@dataclass(frozen=True)
class ZeroOne:
    """1 for a wrong class."""

    quantity: str = ACCURACY
    max_loss: float = 1.0
    best: ClassVar[float] = 1.0
    lower_is_better: ClassVar[bool] = False
    bounded: bool = True

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        return np.where(predicted == MISSING, np.nan, predicted != truth)


@dataclass(frozen=True, eq=False)
class Cost:
    """A cost for each pair of true class (row) and predicted class (column); an abstention costs the most there is.

    Examples
    --------
    >>> Cost([[0, 1], [5, 0]])(np.array([[0, 1]]), np.array([1, 0])).tolist()  # the first mistake is the worst one
    [[1.0, 0.2]]
    """

    matrix: FloatArray
    quantity: str = "cost"
    bounded: bool = True
    best: ClassVar[float] = 0.0
    lower_is_better: ClassVar[bool] = True

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
    lower_is_better: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_range(self.low, self.high)
        given = self.grades.given
        refuse_outside("grade", given[~np.isnan(given)], self.low, self.high)

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


def reported(loss: Loss, error: Number) -> Number:
    """A mean loss in [0, 1], in the users' units."""
    away = loss.max_loss * error
    return loss.best + away if loss.lower_is_better else loss.best - away


def reported_interval(loss: Loss, error: Ends) -> Ends:
    """A mean loss and the ends of its interval, in the users' units: where higher is better, the ends change places."""
    value, low, high = (reported(loss, each) for each in error)
    return (value, low, high) if loss.lower_is_better else (value, high, low)


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
    return number_loss("mse", None, predictions, labels)


def named_loss(name: str | None, span: tuple[float, float] | None, predictions: Predictions) -> Loss | None:
    """The loss "zero-one", "squared" or "absolute", the last two within a range; None: the default one.

    Examples
    --------
    >>> pool = Predictions(np.array([[0.5, 2.0]]), ("a",), range(2), None)
    >>> named_loss("absolute", (0, 10), pool)
    Absolute(low=0, high=10, bounded=True, quantity='MAE')
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
