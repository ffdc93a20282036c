"""The rows of a file of labels: checked, put in order, one for each sample."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.index import counted, ids_at, shortened
from adjudge.core.labels import RunHeader
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeNote, AdjudgeWarning, LabelsError
from adjudge.io.column_names import TRUTHS, usual
from adjudge.io.labels.values import parsed_numbers, places_of, true_values
from adjudge.io.notes import Notes, values_of
from adjudge.io.predictions.distinct import as_text, canonical
from adjudge.io.predictions.normalize import spelled, stated_equal, with_merges
from adjudge.io.predictions.scores import stated_range
from adjudge.io.predictions.sources import TableSource, stripped_ids
from adjudge.io.spreadsheets import as_meant

MARK = "adjudge labels"
PARAMETER = "parameter "
MODEL = "model"  # one note for each model of the pool when the run began
GIVEN = "given"  # how many of the first rows adjudge did not draw, if any
PAIR = "pair"  # two notes for each pair of models whose differences were drawn from
LABEL = "label"
DRAW = ("order", "weight", "seen", "stratum")
MAX_WEIGHT = "max_weight"  # only where a row says it
ANSWER, GRADE = "answer", "grade"
GRADED = (ANSWER, MODEL, GRADE)  # the columns of grades, of which the second stands in for the first


@dataclass(frozen=True, eq=False)
class RawRows:
    """Rows as they stand in the file, in the order of the log; `draw` is None for a mere list."""

    name: str
    ids: pa.LargeStringArray
    label: pa.LargeStringArray  # null where blank
    draw: dict[str, FloatArray] | None
    header: RunHeader
    answer: "pa.LargeStringArray | None" = None  # whose grade `label` is, where labels are grades
    by_model: bool = False  # whether `answer` is the name of a model whose answer is meant
    span: tuple[float, float] | None = None  # of grades, if the file states it
    merges: Mapping[str, str] = field(default_factory=dict)  # answers that were found to be the same while labeling

    def at(self, rows: Array) -> "RawRows":
        positions = pa.array(rows, pa.int64())
        draw = None if self.draw is None else {name: values[rows] for name, values in self.draw.items()}
        answer = None if self.answer is None else self.answer.take(positions)
        return replace(self, ids=self.ids.take(positions), label=self.label.take(positions), draw=draw, answer=answer)


@dataclass(frozen=True, eq=False)
class LabelRows:
    """Rows that fit a pool, each sample once."""

    sample: IntArray
    value: FloatArray
    answered: BoolArray
    draw: dict[str, FloatArray] | None
    header: RunHeader


def read_rows(
    source: TableSource, id_name: str | None = None, label_name: str | None = None, *, from_text: bool = False
) -> RawRows:
    """The rows of a log, or of a list with only the columns sample_id and label, or with answer and grade.

    A log in a text file keeps cells that a spreadsheet would run behind an apostrophe.
    """
    source = source.in_lower_case((*DRAW, MAX_WEIGHT, *GRADED))
    graded = holds_grades(source)
    if not graded:
        source = with_label(source, label_name)
    marked = bool(values_of(source.notes, MARK))
    is_log = marked or "weight" in source.columns
    own = is_log and id_name in (*DRAW, MAX_WEIGHT)  # a pool may name its samples by "order", a log does not
    id_column = source.id_column(None if own else id_name, or_usual=True)
    if is_log:
        source.need(*DRAW)
    written = source.column(id_column).combine_chunks()
    ids = (as_text(written) if marked else stripped_ids(written)).fill_null("")
    told = as_text(source.column(GRADE if graded else LABEL).combine_chunks())
    by_model, answer = ANSWER not in source.columns, None
    if graded:
        answer = as_text(source.column(MODEL if by_model else ANSWER).combine_chunks())
    if marked and from_text:
        ids, told = as_meant(ids), as_meant(told)
        answer = None if answer is None else as_meant(answer)
    label = canonical(told)
    blank = np.asarray(pc.equal(ids, "").to_numpy(zero_copy_only=False))
    if (blank & label.is_valid().to_numpy(zero_copy_only=False)).any():
        raise LabelsError(f"a row of {source.name} has a label but no sample id; give it one")
    draw = _draw(source, ids) if is_log else None
    header, span = _header(source.notes, source.name), stated_range(source.notes)
    merges = stated_equal(source.notes)
    rows = RawRows(source.name, ids, label, draw, header, answer, by_model, span, merges)
    rows = rows.at(np.flatnonzero(~blank))  # a spreadsheet may save rows that once held something
    if rows.draw is not None:
        rows = rows.at(np.argsort(rows.draw["order"], kind="stable"))
    else:
        rows = rows.at(np.flatnonzero(rows.label.is_valid().to_numpy(zero_copy_only=False)))
    if not len(rows.ids) and not marked:
        columns = f"sample_id, {MODEL if by_model else ANSWER} and {GRADE}" if graded else "sample_id and label"
        raise LabelsError(f"{source.name} holds no label; add a row with {columns} for each")
    return rows


def holds_grades(source: TableSource) -> bool:
    """Whether labels are grades here, of answers or of the answers of models."""
    columns = source.in_lower_case(GRADED).columns
    return GRADE in columns and (ANSWER in columns or MODEL in columns)


def with_label(source: TableSource, told: str | None) -> TableSource:
    """The table with its labels in the column `label`, whatever the name of the column that holds them is."""
    found = usual(source.columns, TRUTHS)
    name = told if told in source.columns else found[0] if found else LABEL
    if name not in source.columns:
        raise LabelsError(
            f"the column 'label' is missing in {source.name}, which has {source.listed()}; name the column of the "
            "labels (--label-column, label_column= in Python), or give a file that has them (--labels or --truth)"
        )
    lacking = told not in (None, *source.columns) and not values_of(source.notes, MARK)  # a log names its own
    if lacking or (name not in (told, *TRUTHS[:2]) and name.lower() != LABEL):
        why = f", since it has no column {told!r} (--label-column, label_column= in Python)" if lacking else ""
        warnings.warn(f"{source.name}: labels from {name!r}{why}", AdjudgeNote, stacklevel=4)
    return source if name == LABEL else source.renamed(name, LABEL)


def label_rows(rows: RawRows, predictions: Predictions) -> tuple[Predictions, LabelRows]:
    """The rows as codes or numbers, each sample once."""
    if predictions.grades is not None:
        raise LabelsError(
            f"{rows.name} has a label for each sample, but these predictions have scores; give grades, with the "
            f"columns sample_id, {MODEL} and {GRADE}"
        )
    predictions = with_merges(predictions, rows.merges)
    rows = rows if rows.draw is not None else _of_the_pool(rows, predictions)
    sample = known_places(rows.ids, predictions, rows.name)
    label = spelled(rows.label, predictions)
    predictions, value = true_values(rows.label, rows.ids, predictions, rows.name)
    rows = replace(rows, label=label)
    answered = rows.label.is_valid().to_numpy(zero_copy_only=False)
    kept, source = _one_row_each(rows, sample, answered, value)
    rows = rows.at(kept)
    check_draw(rows)
    return predictions, LabelRows(sample[kept], value[source], answered[source], rows.draw, rows.header)


def known_places(ids: pa.LargeStringArray, predictions: Predictions, name: str, what: str = "labels") -> IntArray:
    """Where the sample of each row stands in the pool; refused if one is not in it."""
    sample = places_of(ids, predictions.samples, name)
    unknown = np.flatnonzero(sample < 0)
    if len(unknown):
        are = "are" if what == "samples" else "are of samples that are"
        raise LabelsError(
            f"{len(unknown):,} of {len(sample):,} {what} in {name} {are} not in the pool, "
            f"{ids_at(ids, unknown[:1])[0]!r} among them; remove them, or give the pool they belong to"
        )
    return sample


def _of_the_pool(rows: RawRows, predictions: Predictions) -> RawRows:
    """A list without the labels of samples that are not in the pool, if it has others."""
    inside = places_of(rows.ids, predictions.samples, "") >= 0
    if inside.all() or not inside.any():
        return rows
    warnings.warn(
        f"{np.count_nonzero(~inside):,} of {len(inside):,} labels in {rows.name} are of samples that are not in the "
        f"pool, {ids_at(rows.ids, np.flatnonzero(~inside)[:1])[0]!r} among them; they are ignored",
        AdjudgeWarning,
        stacklevel=4,
    )
    return rows.at(np.flatnonzero(inside))


def _one_row_each(rows: RawRows, sample: IntArray, answered: BoolArray, value: FloatArray) -> tuple[IntArray, IntArray]:
    """For each sample its first row, and the first of its rows that has an answer."""
    _, first, group = np.unique(sample, return_index=True, return_inverse=True)
    answer = np.full(len(first), len(sample))
    np.minimum.at(answer, group[answered], np.flatnonzero(answered))
    answer = np.where(answer < len(sample), answer, first)
    said = np.where(np.isnan(value), np.inf, value)  # skips are equal
    against = np.flatnonzero(answered & (said != said[answer[group]]))
    if len(against):
        each = [
            f"{rows.ids[row].as_py()!r} ({rows.label[answer[group[row]]].as_py()!r} and {rows.label[row].as_py()!r})"
            for row in against.tolist()
        ]
        raise LabelsError(
            f"{counted(len(each), 'sample has', 'samples have')} different labels in {rows.name}: "
            f"{shortened(each, 5)}; keep the right one"
        )
    if len(first) < len(sample):
        again = int(np.setdiff1d(np.arange(len(sample)), first)[0])
        warnings.warn(
            f"{len(sample) - len(first):,} of {len(sample):,} rows of {rows.name} repeat a sample that has a "
            f"row already, {rows.ids[again].as_py()!r} for one; the first row of each sample is kept",
            AdjudgeWarning,
            stacklevel=4,
        )
    in_order = np.argsort(first)
    return first[in_order], answer[in_order]


def _draw(source: TableSource, ids: pa.LargeStringArray) -> dict[str, FloatArray]:
    draw = {MAX_WEIGHT: np.full(len(ids), np.nan)}
    for name in (*DRAW, *[MAX_WEIGHT] * (MAX_WEIGHT in source.columns)):
        texts = as_text(source.column(name).combine_chunks())
        draw[name] = parsed_numbers(texts, ids, f"the {name}", source.name)
    return draw


def check_draw(rows: RawRows) -> None:
    if rows.draw is None:
        return
    position = np.arange(len(rows.ids))
    for name in ("order", "seen", "stratum"):
        number = rows.draw[name]
        _refuse(rows, ~(number >= 0) | (number != np.trunc(number)), name, "is not a whole number from 0 up")
    _refuse(rows, rows.draw["weight"] <= 0, "weight", "is not above zero")
    below = rows.draw[MAX_WEIGHT] < rows.draw["weight"] * (1 - 1e-9)
    _refuse(rows, below, MAX_WEIGHT, "is below the weight of the row")
    again = np.append(False, np.diff(rows.draw["order"]) == 0)[: len(position)]
    _refuse(rows, again, "order", "stands in another row too")
    _refuse(rows, rows.draw["order"] != position, "order", "does not follow the row before, so rows are missing")
    late = rows.draw["seen"] > position
    _refuse(rows, late, "seen", "is larger than the number of rows before it, so rows are missing")


def _refuse(rows: RawRows, wrong: BoolArray, column: str, why: str) -> None:
    if rows.draw is not None and wrong.any():
        row = int(np.argmax(wrong))
        number = rows.draw[column][row]
        found = "is blank" if np.isnan(number) else f"is {number:g}, which {why}"
        raise LabelsError(
            f"the {column} of sample {rows.ids[row].as_py()!r} in {rows.name} {found}; restore the row as it was "
            "written, or treat the labels as not randomly drawn (--drawn unknown, drawn= in Python)"
        )


def _header(notes: Notes, name: str) -> RunHeader:
    found = dict(notes)
    for key in ("seed", GIVEN):
        if (number := found.get(key, "")) and not number.isdecimal():
            raise LabelsError(f"the {key} {number!r} in {name} is not a whole number; restore the line as it was")
    seed = found.get("seed", "")
    return RunHeader(
        method=found.get("method", ""),
        parameters={key.removeprefix(PARAMETER): value for key, value in notes if key.startswith(PARAMETER)},
        seed=int(seed) if seed else None,
        pool=found.get("pool", ""),
        version=found.get("version", ""),
        models=values_of(notes, MODEL),
        pairs=_pairs(values_of(notes, PAIR), name),
        given=int(found.get(GIVEN) or 0),
    )


def _pairs(names: tuple[str, ...], file: str) -> tuple[tuple[str, str], ...]:
    if len(names) % 2:
        raise LabelsError(f"{file} has an odd number of lines '# {PAIR}: MODEL', which go by two; restore them")
    return tuple(zip(names[::2], names[1::2], strict=True))
