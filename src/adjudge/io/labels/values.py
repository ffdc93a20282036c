"""Labels as people write them, as class codes, numbers or skips."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.index import Index, all_ids, ids_at, listed, positions_of, repeated
from adjudge.core.labels import NONE_RIGHT, SKIP, Skip
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, LabelsError
from adjudge.io.predictions.abstain import spellings_of
from adjudge.io.predictions.distinct import NUMBER, canonical
from adjudge.io.predictions.encode import class_table
from adjudge.io.predictions.normalize import spelled

FEW = 10  # classes that have a key each
SAMPLES_FOR_A_CLASS = 2  # in the mean, above which classes without --normalize are a list, such as that of ImageNet


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


@dataclass(frozen=True, eq=False)
class ParsedLabels:
    """What people wrote, as labels of a pool."""

    value: FloatArray  # a class code or a number; nan where nothing was written, and for a skip
    answered: BoolArray  # whether anything was written
    new: tuple[str, ...] = ()  # classes that the pool lacks; their codes follow its own


def as_written(answers: Iterable[object]) -> pa.LargeStringArray:
    """Answers of any type, as a file would hold them."""
    texts = (each.value if isinstance(each, Skip) else each for each in answers)
    return pa.array([None if each is None else str(each) for each in texts], pa.large_string())


def parse_labels(
    written: pa.LargeStringArray,
    predictions: Predictions,
    ids: "Index | None" = None,
    name: str = "",
    *,
    declared: bool | None = None,
) -> ParsedLabels:
    """Turn what people wrote into class codes, numbers and skips: the same for files, `fill`, terminal and page.

    Blanks around a text are ignored, 3.0 is the class 3, and SKIP in any case is a skip, unless a class has that name.
    Labels of answers in words are brought to their spelling.

    `ids` and `name` are for messages: the samples that the labels belong to, and the file that they come from.
    `declared` says whether the pool has all classes, so that another one is refused; None: as the pool says.

    >>> pool = Predictions(np.array([[0, 1]]), ("net",), range(2), ("3", "5"))
    >>> parsed = parse_labels(as_written([5, "3.0", " skip ", None, "7"]), pool)
    >>> parsed.value.tolist(), parsed.answered.tolist(), parsed.new
    ([1.0, 0.0, nan, nan, 2.0], [True, True, True, False, True], ('7',))
    """
    written = spelled(written, predictions)
    bare, classes = canonical(written), predictions.classes
    skipped = pc.fill_null(pc.equal(pc.utf8_upper(bare), SKIP.value), False)
    if classes is None:
        number = parsed_numbers(pc.if_else(skipped, None, written), ids, "the label", name)
        return ParsedLabels(number, _flags(bare.is_valid()))
    _refuse_abstentions(bare, predictions, ids, name)
    place, compared = _places(written, bare, classes)
    compared = pc.if_else(pc.and_(skipped, place.is_null()), None, compared)
    new = compared.filter(pc.and_(place.is_null(), compared.is_valid())).unique().to_pylist()
    if new:
        _check_new(new, compared, predictions, ids, name, predictions.declared if declared is None else declared)
        added = pc.index_in(compared, value_set=pa.array(new, pa.large_string()), skip_nulls=True)
        place = pc.coalesce(place, pc.add(added, len(classes)))
    answered = pc.or_(place.is_valid(), bare.is_valid())
    return ParsedLabels(np.asarray(pc.fill_null(place.cast(pa.float64()), np.nan)), _flags(answered), tuple(new))


def _places(
    written: pa.LargeStringArray, bare: pa.LargeStringArray, classes: tuple[str, ...]
) -> tuple[pa.Int32Array, pa.LargeStringArray]:
    """Where each text stands among the classes, by its exact text or as texts are compared; null: nowhere."""
    names = pa.array(classes, pa.large_string())
    compared = _booleans(bare, classes)
    alike = pc.index_in(compared, value_set=canonical(names), skip_nulls=True)
    return pc.coalesce(pc.index_in(written, value_set=names, skip_nulls=True), alike), compared


def _flags(values: pa.BooleanArray) -> BoolArray:
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=bool)


def _check_new(
    new: list[str],
    compared: pa.LargeStringArray,
    predictions: Predictions,
    ids: "Index | None",
    name: str,
    declared: bool,
) -> None:
    """Refuse a class that cannot be new: the list is complete, or it is another class in another spelling."""
    classes = predictions.classes or ()
    if declared:
        at = _at(ids, compared.to_pylist().index(new[0]), name)
        raise LabelsError(
            f"the label {new[0]!r}{at} is not one of the declared classes {listed(classes)}; correct the label, or "
            "declare the class"
        )
    if (found := respelled(new, classes)) is not None:
        label, meant = found
        raise LabelsError(
            f"the label {label!r}{_at(ids, compared.to_pylist().index(label), name)} is the class {meant!r} in another "
            "spelling; correct the label, or declare all classes if these are two: --classes (classes= in Python)"
        )


def _refuse_abstentions(texts: pa.LargeStringArray, predictions: Predictions, ids: "Index | None", name: str) -> None:
    never_right = spellings_of(predictions.abstain, predictions.normalization)
    for row in (row for row, text in enumerate(texts.to_pylist() if never_right else ()) if text in never_right):
        raise LabelsError(
            f"the label {texts[row].as_py()!r}{_at(ids, row, name)} is declared as an abstention (--abstain), which is "
            "never right; correct the label, or leave it blank"
        )


def _at(ids: "Index | None", row: int, name: str) -> str:
    """Where a label stands, for messages."""
    of = "" if ids is None else f" of sample {ids_at(ids, np.array([row]))[0]!r}"
    return of + (f" in {name}" if name else "")


def has_open_answers(pool: Predictions) -> bool:
    """Whether each sample has answers of its own, so that a labeler chooses among these and not among all classes.

    So it is where answers were brought to one spelling, or where there is a class for every other sample; not if all
    classes are declared, or if there are so few that each has a key.

    >>> values = np.arange(24).reshape(2, 12)
    >>> has_open_answers(Predictions(values, ("a", "b"), range(12), tuple(map(str, range(24)))))
    True
    """
    if pool.classes is None or pool.declared or len(pool.classes) <= FEW:
        return False
    return pool.normalization is not None or SAMPLES_FOR_A_CLASS * len(pool.classes) >= len(pool.samples)


def true_values(
    texts: pa.LargeStringArray, ids: Index, predictions: Predictions, name: str
) -> tuple[Predictions, FloatArray]:
    """The labels of a file as class codes or numbers, nan where there is none.

    A class that no model predicted is added to the pool with a warning, if it can be one. Among open answers that is
    nothing special, unless most labels are of this kind: then they may be spelled in another way.
    """
    is_open = has_open_answers(predictions)
    if predictions.classes is not None:
        class_table(predictions.classes)  # refuses names that files cannot tell apart
    parsed = parse_labels(texts, predictions, ids, name)
    if parsed.new:
        predictions = predictions.with_classes(parsed.new)
    unmeant = [label for label in parsed.new if label != NONE_RIGHT]
    if unmeant and (not is_open or 2 * len(unmeant) > np.count_nonzero(~np.isnan(parsed.value))):
        warnings.warn(
            f"{name} has labels of a class that no model predicted: {listed(unmeant, 5)}; every model counts as "
            "wrong on these samples, so correct the label if it is a misspelling",
            AdjudgeWarning,
            stacklevel=4,
        )
    return predictions, parsed.value


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


def _spoken(name: str) -> str:
    return " ".join(name.split()).casefold()


def _booleans(texts: pa.LargeStringArray, classes: tuple[str, ...]) -> pa.LargeStringArray:
    """TRUE as True: spreadsheets write it so, whatever it was before."""
    for name in classes:
        if name in ("True", "true", "False", "false") and name.upper() not in classes:
            texts = pc.if_else(pc.equal(texts, name.upper()), name, texts)
    return texts


def parsed_numbers(texts: pa.LargeStringArray, ids: "Index | None", what: str, name: str) -> FloatArray:
    """Numbers from text, nan where blank; a decimal comma, which spreadsheets write, is a point."""
    bare = canonical(texts)
    number = pc.replace_substring_regex(bare, r"^([^.,]*),([^.,]*)$", r"\1.\2")
    valid = np.asarray(pc.fill_null(pc.match_substring_regex(number, NUMBER), True).to_numpy(zero_copy_only=False))
    _refuse_first(~valid, "is not a number", bare, ids, what, name)
    values = np.asarray(number.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    _refuse_first(np.isinf(values), "is infinite", bare, ids, what, name)
    return values


def _refuse_first(
    wrong: BoolArray, why: str, texts: pa.LargeStringArray, ids: "Index | None", what: str, name: str
) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        unknown = "leave it blank if it is unknown" if name else "skip the sample if nobody can tell"
        raise LabelsError(f"{what} {texts[row].as_py()!r}{_at(ids, row, name)} {why}; correct it, or {unknown}")
