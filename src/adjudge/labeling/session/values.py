"""What people type, checked at the border."""

import unicodedata
from math import isnan

import pyarrow as pa

from adjudge.core.index import listed
from adjudge.core.labels import SKIP
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, LabelsError
from adjudge.io.labels.values import parsed_numbers, respelled, respelling
from adjudge.io.predictions.distinct import canonical

LONGEST_NAME, LONGEST_LABEL, LONGEST_NOTE = 60, 500, 2000


def checked_person(name: str) -> str:
    """A name that can stand in a log."""
    if not 0 < len(name) <= LONGEST_NAME or name != name.strip() or _hidden(name):
        raise InputError(f"the name {name!r} does not have 1 to {LONGEST_NAME} visible characters")
    return name


def checked_note(note: str) -> str:
    if len(note) > LONGEST_NOTE or "\0" in note:
        raise InputError(f"a note of {len(note):,} characters is too long; {LONGEST_NOTE:,} are allowed")
    return note


def checked_label(label: str, predictions: Predictions, span: tuple[float, float] | None = None) -> str:
    """A class or a number as it is kept in the log; a class that no model named is taken if the list is open.

    Numbers must be within the span, where one was stated.

    >>> from adjudge import from_frame
    >>> checked_label(" dog ", from_frame({"id": ["a"], "net": ["cat"]}))
    'dog'
    """
    if predictions.classes is not None and label in predictions.classes:
        return label
    if len(label) > LONGEST_LABEL or not label.strip() or _hidden(label):
        raise LabelsError(f"a label has 1 to {LONGEST_LABEL} visible characters; this one has {len(label):,}")
    text = pa.array([label], pa.large_string())
    if predictions.classes is None:
        number = float(parsed_numbers(text, pa.array(["it"], pa.large_string()), "the label", "the answer")[0])
        if isnan(number):
            raise LabelsError(f"the label {label!r} is not a number; skip the sample if nobody can tell")
        if span is not None and not span[0] <= number <= span[1]:
            raise LabelsError(f"the label {label!r} is outside the stated range {span[0]:g} to {span[1]:g}; correct it")
        return repr(number)
    bare = canonical(text)[0].as_py()
    if bare is None or bare.upper() == SKIP.value:
        raise LabelsError(f"{label!r} cannot be the name of a class; choose another name")
    if predictions.declared and bare not in predictions.classes:
        raise LabelsError(f"{label!r} is none of the declared classes {listed(predictions.classes)}")
    if (found := respelled([bare], predictions.classes)) is not None:
        raise LabelsError(f"you gave {respelling(*found)}")
    return str(bare)


def _hidden(text: str) -> bool:
    return any(unicodedata.category(each) in ("Cc", "Cs") for each in text)
