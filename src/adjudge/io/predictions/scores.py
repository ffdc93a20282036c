"""Scores and answers to be graded: pools whose labels are a grade for each answer."""

from dataclasses import replace
from math import inf

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array, FloatArray, Grades, locked, smallest_code_type
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import InputError, MethodError
from adjudge.io.column_names import PROBABILITY
from adjudge.io.notes import Notes, values_of
from adjudge.io.predictions.abstain import as_answers
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.distinct import in_order
from adjudge.io.predictions.sources import TableSource
from adjudge.losses.loss import mean_grade

SCORE, PREDICTION = "score", "prediction"
KIND, RANGE = ("kind", "scores"), "range"  # notes of a file of scores


def graded(predictions: Predictions, low: float, high: float) -> Predictions:
    """The pool with labels that are grades from `low` to `high`, one for each distinct answer to a sample.

    A pool of scores, or with grades already, keeps them, within this range.

    Examples
    --------
    >>> pool = Predictions(np.array([[0, 1], [0, 0]]), ("a", "b"), range(2), ("yes", "no"))
    >>> graded(pool, 1, 5)
    Predictions(2 models x 2 samples, 3 answers to grade)
    """
    return to_grade(predictions, (float(low), float(high)))


def to_grade(predictions: Predictions, span: tuple[float, float] | None) -> Predictions:
    """The same, with a range only if one is given."""
    if predictions.in_parts:
        raise MethodError("grades need all answers in memory, and these are read in parts; give more memory (--memory)")
    if predictions.grades is None:
        predictions = as_answers(predictions)  # the grade says what an abstention is worth
        values, texts = _numbered(predictions)
        grades = Grades(locked(np.full(len(texts), np.nan)), None, texts)
        whole = None if predictions.whole is None else to_grade(predictions.whole, span)
        predictions = replace(
            predictions, values=values, classes=None, probabilities=None, declared=False, grades=grades, whole=whole
        )
    assert predictions.grades is not None
    if span is None:
        return predictions
    mean_grade(predictions.grades, span)  # refuses an empty range, and grades outside of it
    return replace(predictions, grades=replace(predictions.grades, span=span))


def ungraded(predictions: Predictions) -> Predictions:
    """A pool to be graded as one of classes: its answers, without the grades; any other pool as it is.

    >>> pool = Predictions(np.array([[0, 1], [0, 0]]), ("a", "b"), range(2), ("yes", "no"))
    >>> back = ungraded(graded(pool, 1, 5))
    >>> back.classes, back.values.tolist()
    (('no', 'yes'), [[1, 0], [1, 1]])
    """
    grades = predictions.grades
    if grades is None or grades.texts is None:
        return predictions
    said = grades.texts.to_pylist()
    classes = in_order(list(dict.fromkeys(said)))
    code = {name: at for at, name in enumerate(classes)}
    table = np.array([*(code[text] for text in said), MISSING], dtype=smallest_code_type(len(classes)))
    values = table[np.where(np.isnan(predictions.values), -1, predictions.values).astype(np.int64)]
    return replace(predictions, values=values, classes=classes, grades=None)


def _numbered(predictions: Predictions) -> "tuple[FloatArray, pa.LargeStringArray]":
    """(models, samples): the number of each answer, the same for equal answers to a sample; the texts of all answers.

    Answers are numbered sample by sample.
    """
    said, present = predictions.values, predictions.is_present(predictions.values)
    names: pa.Array
    if predictions.classes is None:
        distinct, code = np.unique(said[present], return_inverse=True)
        names = pa.array([repr(each) for each in distinct.tolist()], pa.large_string())
    else:
        code, names = said[present].astype(np.int64), pa.array(predictions.classes, pa.large_string())
    sample = np.broadcast_to(np.arange(said.shape[1]), said.shape)[present]
    found, number = np.unique(sample * len(names) + code, return_inverse=True)
    values = np.full(said.shape, np.nan)
    values[present] = number
    return values, names.take(pa.array(found % len(names)))


def as_scores(predictions: Predictions, span: tuple[float, float] | None = None) -> Predictions:
    """A pool of numbers as one of scores, each the grade of an answer that nobody knows.

    >>> pool = as_scores(Predictions(np.array([[0.5, 1.0], [0.0, np.nan]]), ("a", "b"), range(2), None))
    >>> pool.grades.given.tolist(), pool.values.tolist()
    ([0.5, 1.0, 0.0, nan], [[0.0, 1.0], [2.0, nan]])
    """
    numbers = np.asarray(predictions.values, dtype=np.float64)
    values = np.where(np.isnan(numbers), np.nan, np.arange(numbers.size).reshape(numbers.shape))
    grades = Grades(locked(numbers.ravel()), span, quantity="mean score")
    if span is not None:
        mean_grade(grades, span)  # refuses what is outside
    return replace(predictions, values=values, grades=grades)


def scores_of(predictions: Predictions) -> FloatArray:
    """(models, samples): the grade of each model's answer; nan where there is none."""
    assert predictions.grades is not None
    present = ~np.isnan(predictions.values)
    found = np.full(predictions.values.shape, np.nan)
    found[present] = predictions.grades.given[predictions.values[present].astype(np.int64)]
    return found


def told_as_scores(source: TableSource, options: Options) -> tuple[TableSource, Options]:
    """The table and the options by which its scores are read as numbers, if it holds scores or is said to."""
    lone = SCORE in source.columns and "model" in source.columns and PREDICTION not in source.columns
    if options.scores is None:
        options = replace(options, scores=lone or values_of(source.notes, KIND[0]) == KIND[1:])
    if not options.scores:
        return source, options
    if SCORE in source.columns and "model" in source.columns:
        source = source.renamed(SCORE, PREDICTION)
        source = replace(source, columns=tuple(name for name in source.columns if not name.startswith(PROBABILITY)))
    return source, numbers_only(options)


def numbers_only(options: Options) -> Options:
    """The options for reading scores."""
    if options.classes is not None or options.regression is False:
        raise InputError("scores are numbers, and classes are asked for; leave out one of the two")
    return replace(options, regression=True, normalize=None, abstain=())


def stated_range(notes: Notes) -> tuple[float, float] | None:
    """The range of grades that a file states, if it does."""
    told = "".join(values_of(notes, RANGE))
    if not told:
        return None
    try:
        low, high = map(float, told.split())
    except ValueError:
        low, high = inf, -inf
    if not -inf < low < high < inf:
        raise InputError(f"the range of grades is written as {told!r}; write the lowest and the highest: # range: 1 5")
    return low, high


def stored_range(array: Array | None) -> tuple[float, float] | None:
    """The same of an array in an npz file."""
    return None if array is None else stated_range(((RANGE, " ".join(map(str, array.ravel().tolist()))),))


def noted_range(span: tuple[float, float] | None) -> list[tuple[str, str]]:
    """The range as a note of a file."""
    return [] if span is None else [(RANGE, " ".join(repr(float(end)) for end in span))]
