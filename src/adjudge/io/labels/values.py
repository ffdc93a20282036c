"""True values as people write them, as codes of classes or as numbers."""

import warnings
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.index import Index, all_ids, ids_at, listed, positions_of, repeated
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, LabelsError
from adjudge.io.predictions.distinct import NUMBER, canonical
from adjudge.io.predictions.encode import class_table


def places_of(ids: pa.LargeStringArray, samples: Index, name: str) -> IntArray:
    """Where each row's sample stands in the pool, -1 if nowhere; a spreadsheet takes 007 for a number and saves 7."""
    place = positions_of(samples, ids)
    digits = np.asarray(pc.utf8_is_decimal(ids).to_numpy(zero_copy_only=False))
    lost = np.flatnonzero((place < 0) & digits)
    if len(lost) and not repeated(bare := pc.utf8_ltrim(all_ids(samples), "0")):  # else 7 may be 07 or 007
        place[lost] = positions_of(bare, pc.utf8_ltrim(ids.take(pa.array(lost)), "0"))
        if len(found := lost[place[lost] >= 0]):
            short, whole = ids_at(ids, found[:1])[0], ids_at(samples, place[found[:1]])[0]
            warnings.warn(
                f"{len(found):,} of {len(place):,} ids in {name} have lost zeros at their beginning, {short!r} is "
                f"{whole!r} for one; they are taken for the samples that the numbers say",
                AdjudgeWarning,
                stacklevel=4,
            )
    return place


def true_values(
    texts: pa.LargeStringArray, ids: Index, predictions: Predictions, name: str
) -> tuple[Predictions, FloatArray]:
    """Each text as a class code or a number, nan where it is null.

    A class that no model predicted is added to the pool with a warning. It is refused if the list of
    classes was declared, or if it is another class in another spelling.
    """
    if predictions.classes is None:
        return predictions, parsed_numbers(texts, ids, "the label", name)
    compared = _booleans(canonical(texts), predictions.classes)
    place = pc.index_in(compared, value_set=class_table(predictions.classes))
    unknown = compared.filter(pc.and_(place.is_null(), compared.is_valid())).unique().to_pylist()
    if unknown:
        if predictions.declared:
            row = compared.to_pylist().index(unknown[0])
            raise LabelsError(
                f"sample {ids_at(ids, np.array([row]))[0]!r} has the label {unknown[0]!r} in {name}, which is "
                "not one of the declared classes; correct the label, or declare the class"
            )
        if (found := respelled(unknown, predictions.classes)) is not None:
            row = compared.to_pylist().index(found[0])
            raise LabelsError(f"sample {ids_at(ids, np.array([row]))[0]!r} has {respelling(*found, f' in {name}')}")
        predictions = predictions.with_classes(unknown)
        warnings.warn(
            f"{name} has labels of a class that no model predicted: {listed(unknown, 5)}; every model counts as wrong "
            "on these samples, so correct the label if it is a misspelling",
            AdjudgeWarning,
            stacklevel=4,
        )
        place = pc.index_in(compared, value_set=class_table(predictions.classes or ()))
    return predictions, np.asarray(pc.fill_null(place.cast(pa.float64()), np.nan))


def respelled(labels: Sequence[str], classes: Sequence[str]) -> tuple[str, str] | None:
    """The first label that is a class, or an earlier label, in other capitals and blanks, and that one; None: no such.

    >>> respelled(["cat", "wolf", "Dog"], ("cat", "dog"))
    ('Dog', 'dog')
    >>> respelled(["Frog", "wolf", "frog"], ("cat", "dog"))
    ('frog', 'Frog')
    """
    meant, known = {_spoken(name): name for name in reversed((*classes, *labels))}, set(classes)
    pairs = ((label, meant[_spoken(label)]) for label in labels if label not in known)
    return next(((label, first) for label, first in pairs if label != first), None)


def respelling(label: str, meant: str, where: str = "") -> str:
    """What is wrong with such a label, and the way out."""
    return (
        f"the label {label!r}{where}, which is the class {meant!r} in another spelling; correct the label, or declare "
        "all classes if these are two: --classes (classes= in Python)"
    )


def _spoken(name: str) -> str:
    return " ".join(name.split()).casefold()


def _booleans(texts: pa.LargeStringArray, classes: tuple[str, ...]) -> pa.LargeStringArray:
    """TRUE as True: spreadsheets write it so, whatever it was before."""
    for name in classes:
        if name in ("True", "true", "False", "false") and name.upper() not in classes:
            texts = pc.if_else(pc.equal(texts, name.upper()), name, texts)
    return texts


def parsed_numbers(texts: pa.LargeStringArray, ids: Index, what: str, name: str) -> FloatArray:
    """Numbers from text, nan where blank; a decimal comma, which spreadsheets write, is a point."""
    bare = canonical(texts)
    number = pc.replace_substring_regex(bare, r"^([^.,]*),([^.,]*)$", r"\1.\2")
    valid = np.asarray(pc.fill_null(pc.match_substring_regex(number, NUMBER), True).to_numpy(zero_copy_only=False))
    _refuse_first(~valid, "is not a number", bare, ids, what, name)
    values = np.asarray(number.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    _refuse_first(np.isinf(values), "is infinite", bare, ids, what, name)
    return values


def _refuse_first(wrong: BoolArray, why: str, texts: pa.LargeStringArray, ids: Index, what: str, name: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        raise LabelsError(
            f"{what} {texts[row].as_py()!r} of sample {ids_at(ids, np.array([row]))[0]!r} in {name} {why}; "
            "correct it, or leave it blank if it is unknown"
        )
