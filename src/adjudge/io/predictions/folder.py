"""A folder with one file for each model, named after it."""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array
from adjudge.core.index import Index, ids_at, positions_of, repeated
from adjudge.core.predictions import Predictions
from adjudge.errors import PredictionsError
from adjudge.io.files import TABLE_SUFFIXES
from adjudge.io.predictions.align import JOIN_ADVICE, PROBABILITY, Options, assembled, taken
from adjudge.io.predictions.arrays import from_matrix, load_npy
from adjudge.io.predictions.normalize import read_normalized
from adjudge.io.predictions.sources import TableSource, open_source

VECTORS = (".npy",)
ONE_MODEL = (*TABLE_SUFFIXES, *VECTORS)


def read_folder(path: Path, options: Options) -> Predictions:
    """Predictions from a folder of CSV or Parquet files with ids, or of npy vectors without."""
    files = sorted(
        file for file in path.iterdir() if file.suffix.lower() in ONE_MODEL and not file.name.startswith(".")
    )
    if not files:
        raise PredictionsError(
            f"the folder {path.name} holds no file that ends in {', '.join(ONE_MODEL)}; give one file for each model"
        )
    for before, file in pairwise(files):
        if before.stem == file.stem:
            raise PredictionsError(f"{before.name} and {file.name} name the same model; keep one of them")
    vectors = [file for file in files if file.suffix.lower() in VECTORS]
    if not vectors:
        return read_normalized(partial(_tables, files), options)
    if len(vectors) < len(files):
        other = next(file for file in files if file not in vectors)
        raise PredictionsError(
            f"{other.name} has sample ids but {vectors[0].name} has none, so they cannot be aligned; "
            "give all models with ids, or all without"
        )
    return read_normalized(partial(_vectors, vectors), options)


def _tables(files: list[Path], options: Options) -> Predictions:
    sources = [open_source(file) for file in files]
    stated = _probability_columns(sources[0])
    for source in sources:
        source.need("prediction")
        if _probability_columns(source) != stated:
            raise PredictionsError(
                f"{source.name} and {sources[0].name} have different columns of probabilities; "
                f"give every model the same columns {PROBABILITY}<class>, or none"
            )
    if options.columns:
        raise PredictionsError("columns= names facts about samples, which a folder of models does not hold")
    samples = _shared_samples(sources, options)

    def column(name: str) -> Iterator[pa.ChunkedArray]:
        for source in sources:  # ids are read again, since the ids of all models would not fit in memory
            yield taken(next(source.load([name])), positions_of(source.ids(options.id), samples))

    return assembled(column, stated, [file.stem for file in files], samples, options)


def _probability_columns(source: TableSource) -> list[str]:
    return sorted(name for name in source.columns if name.startswith(PROBABILITY))


def _shared_samples(sources: list[TableSource], options: Options) -> Index:
    """The samples that all models predict, or with an outer join any model, in the order of the files."""
    samples = _unique_ids(sources[0], options)
    for source in sources[1:]:
        ids = _unique_ids(source, options)
        lacking, new = positions_of(ids, samples) < 0, positions_of(samples, ids) < 0
        if options.join == "outer":
            samples = pa.concat_arrays([samples, ids.filter(pa.array(new))])
        elif options.join == "inner":
            samples = samples.filter(pa.array(~lacking))
        elif lacking.any() or new.any():
            _refuse(sources[0], source, ids_at(samples, np.flatnonzero(lacking)), ids_at(ids, np.flatnonzero(new)))
    if not len(samples):
        raise PredictionsError(
            "no sample is predicted by every model; keep all samples (--join outer, join= in Python)"
        )
    return samples


def _refuse(first: TableSource, source: TableSource, lacking: list[str], new: list[str]) -> None:
    has, lacks = (first, source) if lacking else (source, first)
    different = lacking or new
    raise PredictionsError(
        f"{lacks.name} has no prediction for {len(different):,} of the samples of {has.name}, "
        f"{different[0]!r} among them; {JOIN_ADVICE}"
    )


def _unique_ids(source: TableSource, options: Options) -> pa.LargeStringArray:
    ids = source.ids(options.id)
    if not len(ids):
        raise PredictionsError(f"{source.name} has column names but no rows; add one for each sample")
    if twice := repeated(ids):
        raise PredictionsError(
            f"the sample id {twice[0]!r} occurs more than once in {source.name}; keep one row for each sample"
        )
    return ids


def _vectors(files: list[Path], options: Options) -> Predictions:
    rows: list[Array] = []
    for file in files:
        row = load_npy(file)
        if row.ndim != 1:
            raise PredictionsError(
                f"{file.name} has the shape {row.shape}; a file of a folder holds the predictions of one "
                "model, as a vector"
            )
        if rows and len(row) != len(rows[0]):
            raise PredictionsError(
                f"{file.name} has {len(row):,} predictions but {files[0].name} has {len(rows[0]):,}; "
                "pass the same samples to every model, or give them ids"
            )
        rows.append(row)
    return from_matrix(np.stack(rows), tuple(file.stem for file in files), options)
