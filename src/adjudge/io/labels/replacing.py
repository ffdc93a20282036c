"""Files of labels are not replaced where labels would be lost."""

import warnings
from pathlib import Path

import pyarrow as pa

from adjudge.core.arrays import Frame
from adjudge.core.index import counted, listed
from adjudge.core.labels import SKIP
from adjudge.errors import InputError
from adjudge.io.column_names import LAYOUT, OPTIONS, QUESTIONS
from adjudge.io.files import PathLike
from adjudge.io.labels.log import LOG, LOG_SUFFIXES, labels_source
from adjudge.io.labels.rows import DRAW, GRADE, GRADED, LABEL, MAX_WEIGHT, read_rows
from adjudge.io.notes import values_of

HELD = (*LOG, MAX_WEIGHT, *GRADED, *QUESTIONS, OPTIONS)  # all columns that a log may have


def refuse_loss(path: PathLike, new: pa.Table | None, advice: str) -> None:
    """Refuse to replace a file that holds what the new table does not: labels, or something else than labels."""
    file = Path(path)
    if not file.is_file():
        return
    try:
        old, held = _said(file)
    except InputError:
        raise InputError(f"{file} exists and is not a file of labels; {advice}") from None
    lost = old - (set() if new is None else _said(new)[0])
    if lost:
        skips = len({name for name, _, label in lost if label.upper() == SKIP.value})
        told = counted(sum(label.upper() != SKIP.value for *_, label in lost), GRADE if GRADE in held else LABEL)
        also = f" and {counted(skips, 'skip')}" if skips else ""
        raise InputError(f"{file} holds {told}{also}, which would be lost; {advice}")
    kept = HELD if new is None or DRAW[0] in new.column_names else new.column_names
    if others := [name for name in held if name not in kept]:  # such as the chances of draws, which a list has not
        raise InputError(f"{file} holds more than labels ({listed(others, 3)}), which would be lost; {advice}")


def refuse_labels(path: PathLike, advice: str) -> None:
    """Refuse to replace a file of labels by something else."""
    file = Path(path)
    if not file.is_file() or file.suffix.lower() not in LOG_SUFFIXES:
        return
    try:
        if values_of(labels_source(file)[0].notes, LAYOUT):  # a pool, whose facts may be named as labels are
            return
        labels = len(_said(file)[0])
    except InputError:  # it is no file of labels
        return
    if labels:
        raise InputError(f"{file} holds {counted(labels, LABEL)}, which would be lost; {advice}")


def _said(given: "PathLike | Frame") -> tuple[set[tuple[str, str, str]], tuple[str, ...]]:
    """The sample, the answer that is graded (if any), and the label of each row that has one; and the columns."""
    source, text = labels_source(given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = read_rows(source, from_text=text)
    answers = pa.nulls(len(rows.ids), pa.string()) if rows.answer is None else rows.answer
    told = zip(rows.ids.to_pylist(), answers.to_pylist(), rows.label.to_pylist(), strict=True)
    return {(name.strip(), answer or "", label) for name, answer, label in told if label is not None}, source.columns
