"""What people type, checked at the border."""

import json
import unicodedata
from math import isnan

from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, LabelsError
from adjudge.io.labels.values import as_written, parse_labels
from adjudge.labeling.session.additions import numbers_at

LONGEST_NAME, LONGEST_LABEL, LONGEST_NOTE = 60, 500, 2000
LONGEST_ANSWER = 20_000  # characters of a label that is an answer of a model, or a list of grades


def checked_person(name: str) -> str:
    """A name that can stand in a log."""
    if not 0 < len(name) <= LONGEST_NAME or name != name.strip() or _hidden(name):
        raise InputError(f"the name {name!r} does not have 1 to {LONGEST_NAME} visible characters")
    return name


def checked_note(note: str) -> str:
    if len(note) > LONGEST_NOTE:
        raise InputError(f"a note of {len(note):,} characters is too long; {LONGEST_NOTE:,} are allowed")
    if any(each == "\0" or "\ud800" <= each <= "\udfff" for each in note):
        raise InputError("a note holds a character that cannot be stored; type it again")
    return note


def checked_label(label: str, predictions: Predictions, span: tuple[float, float] | None = None) -> str | None:
    """A class or a number as it is kept in the log; None: a skip.

    A class that no model named is taken unless all classes are declared. Numbers must be within the span, if any.

    >>> from adjudge import from_frame
    >>> checked_label(" dog ", from_frame({"id": ["a"], "net": ["cat"]}))
    'dog'
    """
    if predictions.classes is not None and label in predictions.classes:
        return label
    if len(label) > LONGEST_LABEL or not label.strip() or _hidden(label):
        raise LabelsError(f"a label has 1 to {LONGEST_LABEL} visible characters; this one has {len(label):,}")
    parsed = parse_labels(as_written([label]), predictions)
    if not parsed.answered[0]:
        raise LabelsError(f"the label {label!r} means a missing value; skip the sample if nobody can tell")
    if parsed.new:
        return parsed.new[0]
    value = float(parsed.value[0])
    if isnan(value):
        return None
    if span is not None and not span[0] <= value <= span[1]:
        raise LabelsError(f"the label {label!r} is outside the stated range {span[0]:g} to {span[1]:g}; correct it")
    return predictions.text_of(value)


def checked_grades(label: str, pool: Predictions, sample: int) -> str:
    """Grades for the answers to a sample as they are kept in the log: a list in JSON, in the order of their numbers."""
    assert pool.grades is not None
    assert pool.grades.span is not None
    wanted, (low, high) = len(numbers_at(pool, sample)), pool.grades.span
    try:
        grades = [float(each) for each in json.loads(label)]
    except (ValueError, TypeError, RecursionError):
        raise LabelsError("grades are a list of numbers, one for each answer; load the page again") from None
    if len(grades) != wanted:
        raise LabelsError(f"{len(grades):,} grades are given for {wanted:,} answers; grade each of them")
    if outside := [each for each in grades if not low <= each <= high]:
        raise LabelsError(f"the grade {outside[0]:g} is outside the range {low:g} to {high:g}; correct it")
    return json.dumps(grades)


def _hidden(text: str) -> bool:
    return any(unicodedata.category(each) in ("Cc", "Cs") for each in text)
