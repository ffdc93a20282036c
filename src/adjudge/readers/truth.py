"""The true value of every sample, to play the oracle with."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.index import Index, all_ids, ids_at
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import LabelsError
from adjudge.readers.answers import places_of, true_values
from adjudge.readers.arrays import open_archive, texts
from adjudge.readers.distinct import all_integers, as_text
from adjudge.readers.encode import class_table
from adjudge.readers.files import TABLE_SUFFIXES, TEXT_SUFFIXES, PathLike, checked_path, naming, suffix_of, write_table
from adjudge.readers.sources import open_source
from adjudge.readers.tables import TRUTH


def read_truth(
    path: PathLike,
    predictions: Predictions,
    *,
    id: str | None = None,  # noqa: A002
) -> tuple[Predictions, FloatArray]:
    """The true value of each sample of the pool: a class code or a number, nan where unknown.

    From the array `labels` of an npz file, or a CSV or Parquet file with the columns sample_id and
    label (or truth); `id` names another column of ids. A class that no model predicted is added to the
    predictions, or refused if the list of classes was declared.
    """
    file = Path(path)
    with naming(file, LabelsError):
        checked_path(file, (*TEXT_SUFFIXES, ".parquet", ".npz"))
        ids, labels = _from_archive(file, predictions) if file.suffix.lower() == ".npz" else _from_table(file, id)
        ids = all_ids(ids)
        place = places_of(ids, predictions.samples, file.name)
        if not (place >= 0).any():
            raise LabelsError(
                f"none of the {len(ids):,} samples is in the pool, {ids_at(ids, np.arange(1))[0]!r} for one; "
                "give the true values of these samples, with the same ids"
            )
        inside = np.flatnonzero(place >= 0)
        ids, place = ids.take(pa.array(inside)), place[inside]
        predictions, values = true_values(labels.take(pa.array(inside)), ids, predictions, file.name)
        truth = np.full(len(predictions.samples), np.nan)
        known = np.flatnonzero(~np.isnan(values))
        truth[place[known]] = values[known]
        different = known[truth[place[known]] != values[known]]
        if len(different):
            raise LabelsError(
                f"sample {ids_at(ids, different[:1])[0]!r} has two different true values; keep one row for each sample"
            )
        return predictions, truth


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


def _from_table(file: Path, id_name: str | None) -> tuple[Index, pa.LargeStringArray]:
    source = open_source(file)
    name = next((name for name in TRUTH if name in source.columns), TRUTH[0])
    if name not in source.columns:
        raise LabelsError(
            f"{file.name} has no column 'label' or 'truth' but {source.listed()}; give the true labels in a file "
            "of their own (--truth FILE)"
        )
    ids = source.ids(id_name, or_usual=True)
    if not len(ids):
        raise LabelsError(f"{file.name} has column names but no rows; add one for each sample")
    return ids, as_text(source.column(name).combine_chunks())


def _from_archive(file: Path, predictions: Predictions) -> tuple[Index, pa.LargeStringArray]:
    with open_archive(file) as archive:
        labels = archive.need("labels")
        names = archive.names("class_names")
        if labels.ndim != 1 or not labels.size:
            raise LabelsError(f"labels have the shape {labels.shape}; store one true value for each sample")
        samples = archive.samples(len(labels))
    if labels.dtype.kind in "US" or predictions.classes is None:
        return samples, texts(labels)
    if labels.dtype.kind == "b":
        labels = labels.view(np.uint8)
        names = names or ("False", "True")
    return samples, _named(labels, names, predictions.classes, samples)


def _named(
    labels: Array, names: tuple[str, ...] | None, classes: tuple[str, ...], samples: Index
) -> pa.LargeStringArray:
    """Numbers as class names: positions in the stored names, or in the pool's, or names themselves."""
    if names is None and all_integers(classes):
        blank = np.zeros(len(labels), dtype=bool) if "-1" in classes else labels == MISSING
        return pc.if_else(pa.array(blank), None, texts(labels))
    names = names or classes
    known = labels[~np.isnan(labels)] if labels.dtype.kind == "f" else labels
    outside = (labels < MISSING) | (labels >= len(names))
    if labels.dtype.kind not in "iuf" or outside.any() or (known != np.trunc(known)).any():
        sample = ids_at(samples, np.flatnonzero(outside)[:1] if outside.any() else np.arange(1))[0]
        raise LabelsError(
            f"sample {sample!r} has a label that is no code of the {len(names)} classes; codes count from 0, "
            "and -1 is an unknown one"
        )
    codes = np.where(np.isnan(labels), MISSING, labels).astype(np.int64)
    return pa.array(names, pa.large_string()).take(pa.array(codes, mask=codes == MISSING))
