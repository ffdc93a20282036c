"""Any predictions as a folder of parts, of which only one is in memory at a time."""

import os
import secrets
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from adjudge.core.predictions import Predictions
from adjudge.engine import Local
from adjudge.errors import AdjudgeWarning, InputError, PredictionsError
from adjudge.io.files import TEXT_SUFFIXES, PathLike, make_folder, naming, suffix_of
from adjudge.io.memory import bytes_of
from adjudge.io.predictions.align import Options, ReadOptions
from adjudge.io.predictions.distinct import in_order
from adjudge.io.predictions.pieces import itself, sliced
from adjudge.io.predictions.read import read_within, write_predictions
from adjudge.io.predictions.sources import csv_batches
from adjudge.io.predictions.table_parts import CODE, LARGEST, SHARE, table_parts
from adjudge.io.predictions.tables import from_source
from adjudge.io.storage import is_folder, local_path, url_of


def convert(
    path: PathLike,
    out: PathLike,
    *,
    memory: int | str | None = None,
    rows: int | None = None,
    **options: Unpack[ReadOptions],
) -> int:
    """Write predictions as a folder of Parquet files with a manifest, which `read` takes part by part.

    CSV, Parquet, npy and npz files, and folders of parts, are never in memory as a whole. The rows of a long table must
    be sorted by sample.

    Parameters
    ----------
    out
        A folder that is not there yet.
    memory
        How much predictions may take, such as "2GB"; None: half of what is free.
    rows
        Samples of a part; None: as many as suit the memory.
    **options
        Those of `read`: `id`, `join`, `columns`, `classes`, `regression`.

    Returns
    -------
    int
        How many parts were written.
    """
    told, size, target = Options(**options), bytes_of(memory), Path(out)
    if rows is not None and rows < 1:
        raise InputError(f"parts of {rows} samples are asked for; give 1 or more")
    if target.exists():
        raise InputError(f"{target} exists; name a folder that is not there yet")
    half = target.with_name(f".adjudge-{secrets.token_hex(8)}.tmp")
    make_folder(half)
    try:
        with naming(Path(path), PredictionsError):
            count, lost = 0, set[str]()
            for count, part in enumerate(_parts(path, told, size, rows), start=1):
                lost |= set(part.auxiliary)
                write_predictions(replace(part, auxiliary={}), half / f"part-{count - 1:06}.parquet")
            if not count:
                raise PredictionsError(f"{Path(path).name} has no rows; add one for each sample")
        _check(half, size)
        os.replace(half, target)
        _warn_about(lost, target)
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return count


def _warn_about(lost: set[str], target: Path) -> None:
    if lost:
        warnings.warn(
            f"{target.name} is written without {' and '.join(sorted(lost))}; the prices of models can be given as a "
            "table of their own (--prices, read_prices in Python)",
            AdjudgeWarning,
            stacklevel=3,
        )


def _check(folder: Path, memory: int) -> None:
    """What only shows when all parts are looked at; the manifest is written with it."""
    table_parts(folder, Options(), memory, Local()).facts  # noqa: B018


def _parts(path: PathLike, options: Options, memory: int, rows: int | None) -> Iterator[Predictions]:
    """The pool, a part at a time, all with the same classes."""
    if url_of(path) is None and not is_folder(path) and suffix_of(local_path(path)) in TEXT_SUFFIXES:
        yield from _from_text(local_path(path), options, memory, rows)
        return
    pool = read_within(path, options, memory)
    for part in pool.over_parts(itself):
        stated = 1 if part.probabilities is None else 1 + part.probabilities.shape[2]
        many = rows or max(1, min(LARGEST, memory // SHARE) // (CODE * stated * len(part.models)))
        for start in range(0, len(part.samples), many):
            yield sliced(part, start, start + many)


def _from_text(file: Path, options: Options, memory: int, rows: int | None) -> Iterator[Predictions]:
    """Two passes: which classes there are, or whether there are fractions, is only known after the first."""
    size, classes, numbers = min(LARGEST, memory // SHARE), set[str](), False
    for source in csv_batches(file, size, rows, options.id):
        part = from_source(source, options)
        classes.update(part.classes or ())
        numbers |= part.classes is None
    known = (
        options
        if options.classes is not None
        else replace(options, classes=None if numbers else in_order(list(classes)), regression=numbers, declared=False)
    )
    for source in csv_batches(file, size, rows, options.id):
        yield from_source(source, known)
