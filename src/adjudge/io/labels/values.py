"""Labels as people write them, as class codes, numbers or skips."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.index import Index, all_ids, ids_at, listed, positions_of, repeated, shortened
from adjudge.core.labels import NONE_RIGHT, SKIP, Skip
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, LabelsError
from adjudge.io.predictions.abstain import spellings_of
from adjudge.io.predictions.distinct import NUMBER, canonical, unclear, with_points
from adjudge.io.predictions.encode import class_table
from adjudge.io.predictions.normalize import spelled

FEW = 10  # classes that have a key each
SAMPLES_FOR_A_CLASS = 2  # in the mean, above which classes without --normalize are a list, such as that of ImageNet
# What people write when they cannot tell, in capitals; a skip unless a class has that name.
UNSURE = ("?", "??", "N/A", "NA", "UNSURE", "NOT SURE", "DON'T KNOW", "IDK", "CAN'T TELL", "CANNOT TELL", "UNCLEAR")
NOTHING = ("NoneType", "NAType", "NaTType")  # types by name, since pandas may not be installed


def places_of(ids: pa.LargeStringArray, samples: Index, name: str) -> IntArray:
    """Where each row's sample stands in the pool, -1 if nowhere; a spreadsheet takes 007 for a number and saves 7.

    `name` is the file that a warning names; without one there is none.
    """
    place = positions_of(samples, ids)
    if (place < 0).any() and not repeated(bare := pc.utf8_trim_whitespace(all_ids(samples))):
        place = np.where(place < 0, positions_of(bare, pc.utf8_trim_whitespace(ids)), place)
    digits = np.asarray(pc.utf8_is_decimal(ids).to_numpy(zero_copy_only=False))
    lost = np.flatnonzero((place < 0) & digits)
    if len(lost) and not repeated(bare := pc.utf8_ltrim(all_ids(samples), "0")):  # else 7 may be 07 or 007
        place[lost] = positions_of(bare, pc.utf8_ltrim(ids.take(pa.array(lost)), "0"))
        if name and len(found := lost[place[lost] >= 0]):
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
    respelled: Mapping[str, str] = field(default_factory=dict)  # texts that were taken for a class in another spelling
    unsure: tuple[str, ...] = ()  # texts that were taken for a skip

    def warn(self, name: str) -> None:
        """Say what was taken for what; `name` is the file of the labels."""
        if self.respelled:
            pairs = [f"{written!r} as {meant!r}" for written, meant in self.respelled.items()]
            warnings.warn(
                f"labels in {name} are taken for classes in another spelling: {shortened(pairs, 5)}; if these are "
                "classes of their own, declare all: --classes (classes= in Python)",
                AdjudgeWarning,
                stacklevel=4,
            )
        if self.unsure:
            warnings.warn(
                f"labels in {name} are taken for {SKIP.value}, which means that nobody can tell: "
                f"{listed(self.unsure, 5)}",
                AdjudgeWarning,
                stacklevel=4,
            )


def as_written(answers: Iterable[object]) -> pa.LargeStringArray:
    """Answers of any type, as a file would hold them; null where there is none, which pandas may call NA."""
    texts = (each.value if isinstance(each, Skip) else each for each in answers)
    return pa.array([None if type(each).__name__ in NOTHING else str(each) for each in texts], pa.large_string())


def parse_labels(
    written: pa.LargeStringArray,
    predictions: Predictions,
    ids: "Index | None" = None,
    name: str = "",
    *,
    declared: bool | None = None,
) -> ParsedLabels:
    """Turn what people wrote into class codes, numbers and skips: the same for files, `fill`, terminal and page.

    Blanks around a text are ignored, 3.0 is the class 3, and SKIP in any case is a skip, unless a class has that name;
    so is what people write when they cannot tell, such as "?". Other capitals, blanks or hyphens than those of a class
    still mean it, if they can mean no other. Labels of answers in words are brought to their spelling.

    `ids` and `name` are for messages: the samples that the labels belong to, and the file that they come from.
    `declared` says whether the pool has all classes, so that another one is refused; None: as the pool says.

    >>> pool = Predictions(np.array([[0, 1]]), ("net",), range(2), ("3", "5"))
    >>> parsed = parse_labels(as_written([5, "3.0", " skip ", None, "7"]), pool)
    >>> parsed.value.tolist(), parsed.answered.tolist(), parsed.new
    ([1.0, 0.0, nan, nan, 2.0], [True, True, True, False, True], ('7',))
    """
    written = spelled(written, predictions)
    bare, classes = canonical(written), predictions.classes
    skipped, unsure = _skips(bare, classes or ())
    if classes is None:
        number = parsed_numbers(pc.if_else(skipped, None, written), ids, "the label", name)
        return ParsedLabels(number, _flags(bare.is_valid()), unsure=unsure)
    place, compared = _places(written, bare, classes)
    compared = pc.if_else(pc.and_(skipped, place.is_null()), None, compared)
    beyond = compared.filter(pc.and_(place.is_null(), compared.is_valid())).unique().to_pylist()
    meant = respelled(beyond, classes)
    for label, name_of_class in meant.items():
        compared = pc.if_else(pc.fill_null(pc.equal(compared, label), False), name_of_class, compared)
    place = pc.coalesce(place, _places(compared, compared, classes)[0])
    new = list(dict.fromkeys(meant.get(label, label) for label in beyond if meant.get(label) not in classes))
    where = Where(compared, ids, name)
    complete = predictions.declared if declared is None else declared
    _refuse_wrong(new, bare, predictions, where, complete)
    added = pc.index_in(compared, value_set=pa.array(new, pa.large_string()), skip_nulls=True)
    place = pc.coalesce(place, pc.add(added, len(classes)))
    value = np.asarray(pc.fill_null(place.cast(pa.float64()), np.nan))
    return ParsedLabels(value, _flags(pc.or_(place.is_valid(), bare.is_valid())), tuple(new), meant, unsure)


def _skips(bare: pa.LargeStringArray, classes: Sequence[str]) -> tuple[pa.BooleanArray, tuple[str, ...]]:
    """Which texts say that nobody can tell: SKIP, or words for it that are no class; and those words."""
    upper = pc.utf8_upper(bare)
    known = {name.upper() for name in classes}
    words = pa.array([word for word in UNSURE if word not in known], pa.large_string())
    other = pc.is_in(upper, value_set=words)
    skipped = pc.or_(pc.fill_null(pc.equal(upper, SKIP.value), False), other)
    return skipped, tuple(bare.filter(other).unique().to_pylist())


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


@dataclass(frozen=True, eq=False)
class Where:
    """Texts with the samples that they are about and the file that they stand in, for messages."""

    texts: pa.LargeStringArray
    ids: "Index | None"
    name: str

    def told(self, rows: Sequence[int], what: str, why: str) -> str:
        """All of these rows in a clause: what they say, where they stand, and what is wrong with them."""
        within = f" in {self.name}" if self.name else ""
        if len(rows) == 1:
            of = "" if self.ids is None else f" of sample {self._samples(rows)[0]!r}"
            return f"{what} {self.texts[rows[0]].as_py()!r}{of}{within} is {why}"
        by_text: dict[str, list[int]] = {}
        for row in rows:
            by_text.setdefault(self.texts[row].as_py(), []).append(row)
        each = [repr(text) + self._of(found) for text, found in by_text.items()]
        return f"{what.rstrip(',')}{within} is {why} in {len(rows):,} rows: {shortened(each, 10)}"

    def _of(self, rows: Sequence[int]) -> str:
        return "" if self.ids is None else f" ({shortened(list(map(repr, self._samples(rows))), 3)})"

    def _samples(self, rows: Sequence[int]) -> list[str]:
        assert self.ids is not None
        return ids_at(self.ids, np.array(rows))


def _refuse_wrong(
    new: Sequence[str], bare: pa.LargeStringArray, predictions: Predictions, where: Where, declared: bool
) -> None:
    """Refuse classes that cannot be new, all at once: the list is complete, or an abstention is never right."""
    classes, faults = predictions.classes or (), []
    never_right = spellings_of(predictions.abstain, predictions.normalization)
    if rows := [row for row, text in enumerate(bare.to_pylist() if never_right else ()) if text in never_right]:
        why = "declared as an abstention (--abstain), which is never right"
        told = replace(where, texts=bare).told(rows, "the label", why)
        faults.append(f"{told}; correct the label, or leave it blank")
    said = where.texts.to_pylist() if new else []
    if declared and new:
        why, outside = f"not one of the declared classes {listed(classes)}", set(new) - never_right
        if rows := [row for row, text in enumerate(said) if text in outside]:
            told = where.told(rows, "the label", why)
            faults.append(f"{told}; correct the label, declare the class, or write {SKIP.value} if nobody can tell")
    else:
        twins = Counter(map(_spoken, classes))
        if rows := [row for row, text in enumerate(said) if text in new and twins[_spoken(text)] > 1]:
            told = where.told(rows, "the label", "one of several classes in another spelling")
            faults.append(f"{told}; correct the label")
    if faults:
        raise LabelsError("; ".join(faults))


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
    return bool(pool.normalization) or SAMPLES_FOR_A_CLASS * len(pool.classes) >= len(pool.samples)


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
    parsed.warn(name)
    if parsed.new:
        predictions = predictions.with_classes(parsed.new)
    unmeant = [label for label in parsed.new if label != NONE_RIGHT]
    if unmeant and (not is_open or 2 * len(unmeant) > np.count_nonzero(~np.isnan(parsed.value))):
        warnings.warn(
            f"{name} has labels of a class that no model predicted: {listed(unmeant, 5)}; every model counts as "
            f"wrong on these samples, so correct the label if it is a misspelling, or write {SKIP.value} if nobody can "
            "tell",
            AdjudgeWarning,
            stacklevel=4,
        )
    return predictions, parsed.value


def respelled(labels: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """The labels that can only be one class, or an earlier label, in other capitals, blanks or hyphens; and that one.

    >>> respelled(["wolf", "Dog", "big-cat"], ("big_cat", "dog"))
    {'Dog': 'dog', 'big-cat': 'big_cat'}
    >>> respelled(["Frog", "frog", "CAT"], ("cat", "Cat"))
    {'frog': 'Frog'}
    """
    twins = Counter(map(_spoken, classes))
    meant = {_spoken(name): name for name in reversed((*classes, *labels))}
    pairs = {label: meant[_spoken(label)] for label in labels if twins[_spoken(label)] < 2}
    return {label: first for label, first in pairs.items() if label != first}


def _spoken(name: str) -> str:
    return " ".join(re.sub(r"(?<=\w)[_-](?=\w)", " ", name).split()).casefold()


def _booleans(texts: pa.LargeStringArray, classes: tuple[str, ...]) -> pa.LargeStringArray:
    """TRUE as True: spreadsheets write it so, whatever it was before."""
    for name in classes:
        if name in ("True", "true", "False", "false") and name.upper() not in classes:
            texts = pc.if_else(pc.equal(texts, name.upper()), name, texts)
    return texts


def parsed_numbers(texts: pa.LargeStringArray, ids: "Index | None", what: str, name: str) -> FloatArray:
    """Numbers from text, nan where blank; a decimal comma is a point."""
    bare = canonical(texts)
    where = Where(bare, ids, name)
    if found := unclear(bare):
        raise LabelsError(where.told([found[0]], what, found[1]))
    number = with_points(bare)
    valid = np.asarray(pc.fill_null(pc.match_substring_regex(number, NUMBER), True).to_numpy(zero_copy_only=False))
    _refuse(~valid, "not a number", where, what)
    values = np.asarray(number.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    _refuse(np.isinf(values), "infinite", where, what)
    return values


def _refuse(wrong: BoolArray, why: str, where: Where, what: str) -> None:
    if wrong.any():
        unknown = "leave it blank if it is unknown" if where.name else "skip the sample if nobody can tell"
        told = where.told(np.flatnonzero(wrong).tolist(), what, why)
        raise LabelsError(f"{told}; correct it, or {unknown}")
