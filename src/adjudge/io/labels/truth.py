"""The true value of every sample, for a simulated oracle."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.index import Index, all_ids, ids_at, positions_of
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import LabelsError
from adjudge.io.column_names import TRUTHS, usual
from adjudge.io.files import TABLE_SUFFIXES, PathLike, checked_path, naming, suffix_of, write_table
from adjudge.io.idx import IDX_NAME, read_idx
from adjudge.io.labels.grades import label_rows_of_grades
from adjudge.io.labels.rows import LABEL, holds_grades, read_rows, with_label
from adjudge.io.labels.values import places_of, true_values
from adjudge.io.predictions.arrays import load_npy, open_archive, texts
from adjudge.io.predictions.distinct import all_integers, as_text
from adjudge.io.predictions.encode import class_table
from adjudge.io.predictions.sources import ID_NAMES, open_source
from adjudge.losses.loss import graded_samples


@dataclass(frozen=True, eq=False)
class Truth:
    """True labels as a file has them, matched to samples; they become class codes once the predictions are known."""

    file: str
    samples: Index  # of the pool
    ids: pa.LargeStringArray  # of the rows of the file that are in the pool
    place: IntArray  # where the sample of each row stands in the pool
    labels: "Array | pa.LargeStringArray"  # of each row: text, or numbers as an array holds them
    names: tuple[str, ...] | None = None  # the classes that whole numbers are positions in, if the file has them

    def values(self, predictions: Predictions) -> tuple[Predictions, FloatArray]:
        """Each sample's class code or number, nan where unknown; new classes are added, unless all were declared."""
        with naming(self.file, LabelsError):
            predictions, values = true_values(self._texts(predictions.classes), self.ids, predictions, self.file)
            truth = np.full(len(self.samples), np.nan)
            known = np.flatnonzero(~np.isnan(values))
            truth[self.place[known]] = values[known]
            different = known[truth[self.place[known]] != values[known]]
            if len(different):
                raise LabelsError(
                    f"sample {ids_at(self.ids, different[:1])[0]!r} has two different true values; keep one row for "
                    "each sample"
                )
            return predictions, truth

    def column(self) -> Array:
        """(samples,): the labels as they are written, where every sample has one; a blank is an empty text."""
        row = np.empty(len(self.samples), dtype=np.int64)
        row[self.place] = np.arange(len(self.place))
        if isinstance(self.labels, np.ndarray):
            return self.labels[row]
        return np.asarray(pc.fill_null(self.labels, "").to_numpy(zero_copy_only=False)).astype(str)[row]

    def _texts(self, classes: tuple[str, ...] | None) -> pa.LargeStringArray:
        labels = self.labels
        if not isinstance(labels, np.ndarray):
            return labels
        if labels.dtype.kind in "US" or classes is None:
            return texts(labels)
        if labels.dtype.kind == "b":
            return _named(labels.view(np.uint8), self.names or ("False", "True"), classes, self.ids)
        return _named(labels, self.names, classes, self.ids)


def truth_of(
    path: PathLike,
    samples: Index,
    *,
    id: str | None = None,  # noqa: A002
    label_column: str | None = None,
    complete: bool = False,
) -> Truth:
    """The true labels of samples, before it is known which classes models predict.

    Rows are found by their ids. An array without ids holds one label for each sample, in their order; so does a table
    without ids, where samples have none either.

    Parameters
    ----------
    path
        A CSV, Parquet, npz, npy or IDX file.
    samples
        The ids of the samples, such as those of a `Dataset`.
    complete
        Whether every sample must have a label.
    """
    file = Path(path)
    with naming(file, LabelsError):
        ids, labels, names = _stored(file, samples, id, label_column)
        ids = all_ids(ids)
        place = places_of(ids, samples, file.name)
        if not (place >= 0).any():
            raise LabelsError(
                f"none of the {len(ids):,} samples is in the pool, {ids_at(ids, np.arange(1))[0]!r} for one; "
                "give the true values of these samples, with the same ids"
            )
        inside = np.flatnonzero(place >= 0)
        lacking = np.setdiff1d(np.arange(len(samples)), place[inside]) if complete else inside[:0]
        if len(lacking):
            raise LabelsError(
                f"{len(lacking):,} of {len(samples):,} samples have no label in {file.name}, "
                f"{ids_at(samples, lacking[:1])[0]!r} among them; add them"
            )
        kept = labels[inside] if isinstance(labels, np.ndarray) else labels.take(pa.array(inside))
        return Truth(file.name, samples, ids.take(pa.array(inside)), place[inside], kept, names)


def truth_in_order(labels: Array, samples: Index) -> Truth:
    """True labels of an array: one for each sample, in their order.

    >>> truth_in_order(np.array([1, 0]), range(2)).column().tolist()
    [1, 0]
    """
    given = _checked(np.asarray(labels), samples)
    return Truth("the array", samples, all_ids(samples), np.arange(len(samples)), given)


def read_truth(
    path: PathLike,
    predictions: Predictions,
    *,
    id: str | None = None,  # noqa: A002
    label_column: str | None = None,
) -> tuple[Predictions, FloatArray]:
    """The true value of each sample of the pool.

    Parameters
    ----------
    path
        A CSV or Parquet file with the columns sample_id and label (or truth), or grades, with the columns sample_id,
        answer (or model) and grade; an npz file with the array `labels`, or an npy or IDX file with one label for each
        sample, in their order.
    id, label_column
        The columns of sample ids and of true labels, if they have other names.

    Returns
    -------
    tuple[Predictions, FloatArray]
        The pool, which gains the classes that no model predicted unless all were declared, and (samples,): class codes
        or numbers, nan where unknown. A pool of scores or grades has its truth in itself: 0 marks a sample with some,
        nan one without.
    """
    if label_column is None:
        predictions = _with_grades_of(Path(path), predictions, id)
    if predictions.grades is not None:
        truth, known = np.full(len(predictions.samples), np.nan), graded_samples(predictions)
        truth[[] if known is None else known.sample[known.usable]] = 0.0
        return predictions, truth
    return truth_of(path, predictions.samples, id=id, label_column=label_column).values(predictions)


def _with_grades_of(file: Path, predictions: Predictions, id_name: str | None) -> Predictions:
    """The pool with the grades of a table, if it holds grades and no labels."""
    if file.suffix.lower() not in TABLE_SUFFIXES or not file.is_file():
        return predictions
    with naming(file, LabelsError):
        source = open_source(file)
        if usual(source.columns, TRUTHS) or not holds_grades(source):
            return predictions
        return label_rows_of_grades(read_rows(source, id_name), predictions)[0]


def write_truth(truth: Array, predictions: Predictions, path: PathLike) -> None:
    """Write the true value of each sample, a class code or a number, nan where unknown, to a CSV or Parquet file."""
    file = Path(path)
    suffix_of(file, TABLE_SUFFIXES)
    with naming(file, LabelsError):
        values = np.asarray(truth, dtype=np.float64)
        if values.shape != (len(predictions.samples),):
            raise LabelsError(
                f"true values have the shape {values.shape} but the pool has {len(predictions.samples):,} samples; "
                "give one for each"
            )
        unknown = np.isnan(values)
        label = pa.array(values, mask=unknown)
        if predictions.classes is not None:
            class_table(predictions.classes)
            codes = pa.array(np.where(unknown, 0, values).astype(np.int64), mask=unknown)
            label = pa.array(predictions.classes, pa.string()).take(codes)
        table = pa.table({"sample_id": all_ids(predictions.samples), "label": label})
        write_table(table, file)


def _stored(
    file: Path, samples: Index, id_name: str | None, label_name: str | None
) -> "tuple[Index, Array | pa.LargeStringArray, tuple[str, ...] | None]":
    """The ids and labels of a file, and the classes that whole numbers are positions in."""
    if IDX_NAME.search(file.name) and file.is_file():
        labels = _checked(read_idx(file), samples)
        return _in_order(samples), labels, None
    checked_path(file)
    suffix = file.suffix.lower()
    if suffix == ".npy":
        return _in_order(samples), _checked(load_npy(file), samples), None
    if suffix != ".npz":
        return *_from_table(file, samples, id_name, label_name), None
    with open_archive(file) as archive:
        labels, names = _checked(archive.need("labels")), archive.names("class_names")
        if "sample_ids" in archive.held:
            return archive.samples(len(labels)), labels, names
        return _in_order(samples), _checked(labels, samples), names


def _from_table(
    file: Path, samples: Index, id_name: str | None, label_name: str | None
) -> tuple[Index, pa.LargeStringArray]:
    source = with_label(open_source(file), label_name)
    labels = as_text(source.column(LABEL).combine_chunks())
    if not len(labels):
        raise LabelsError(f"{file.name} has column names but no rows; add one for each sample")
    if isinstance(samples, range) and id_name not in source.columns and not usual(source.columns, ID_NAMES):
        _check_count(len(labels), samples)
        return samples, labels
    return source.ids(id_name, or_usual=True), labels


def _checked(labels: Array, samples: "Index | None" = None) -> Array:
    """Labels as one row of numbers or text; one for each sample, where these are told."""
    if labels.ndim != 1 or not labels.size:
        raise LabelsError(
            f"labels have the shape {labels.shape}; give one true value for each sample, in a file of its "
            "own (--truth or --labels FILE) where this one holds predictions"
        )
    if labels.dtype.kind not in "biufUS":
        raise LabelsError(f"labels are stored as {labels.dtype}; store numbers or text")
    if samples is not None:
        _check_count(len(labels), samples)
    return np.asarray(labels, dtype=labels.dtype.newbyteorder("="))


def _check_count(count: int, samples: Index) -> None:
    if count != len(samples):
        raise LabelsError(
            f"{count:,} labels without ids do not fit {len(samples):,} samples; give one for each, in their order, or "
            "a table with ids"
        )


def _in_order(samples: Index) -> Index:
    """The ids of labels that have none: those of the samples; refused where these are numbered in another order."""
    place = positions_of(samples, range(len(samples)))
    if (place >= 0).all() and (np.diff(place) < 0).any():
        raise LabelsError(
            "the labels have no ids, and the samples are numbered from 0 but stand in another order; give the labels "
            "as a table with ids"
        )
    return samples


def _named(
    labels: Array, names: tuple[str, ...] | None, classes: tuple[str, ...], samples: Index
) -> pa.LargeStringArray:
    """Numbers as class names: positions in the stored names, or in the pool's, or names themselves."""
    if names is None and all_integers(classes):
        blank = np.zeros(len(labels), dtype=bool) if "-1" in classes else labels == MISSING
        return pc.if_else(pa.array(blank), None, texts(labels))
    names = names or classes
    wrong = np.flatnonzero(
        (labels < MISSING) | (labels >= len(names)) | (np.trunc(labels) != labels) & ~np.isnan(labels)
    )
    if len(wrong):
        raise LabelsError(
            f"the label {labels[wrong[0]]:g} of sample {ids_at(samples, wrong[:1])[0]!r} is not a valid class code "
            f"(0-{len(names) - 1}); give -1 if it is unknown"
        )
    codes = np.where(np.isnan(labels), MISSING, labels).astype(np.int64)
    return pa.array(names, pa.large_string()).take(pa.array(codes, mask=codes == MISSING))
