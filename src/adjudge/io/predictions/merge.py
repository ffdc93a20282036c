"""Any predictions as one file that needs no options, or as a folder of parts, of which one is in memory at a time."""

import os
import secrets
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, Unpack

import pyarrow as pa

from adjudge.core.predictions import Predictions
from adjudge.engine import Local
from adjudge.errors import AdjudgeNote, AdjudgeWarning, InputError, PredictionsError
from adjudge.io.files import (
    TEXT_SUFFIXES,
    PathLike,
    check_beside,
    check_target,
    make_folder,
    naming,
    suffix_of,
    write_table,
)
from adjudge.io.labels.replacing import refuse_labels, refuse_loss
from adjudge.io.memory import bytes_of
from adjudge.io.predictions.abstain import warned_of_unused
from adjudge.io.predictions.align import Options, ReadOptions
from adjudge.io.predictions.distinct import in_order
from adjudge.io.predictions.pieces import itself, sliced
from adjudge.io.predictions.read import as_paths, read_within
from adjudge.io.predictions.roles import Kind, guesses, roles_of
from adjudge.io.predictions.sources import csv_batches, open_source
from adjudge.io.predictions.table_parts import CODE, LARGEST, SHARE, table_parts
from adjudge.io.predictions.tables import by_roles, noted
from adjudge.io.predictions.truth_columns import true_labels
from adjudge.io.predictions.write import TARGETS, write_predictions
from adjudge.io.storage import is_folder, local_path, refuse_what_is_read, url_of

TruthBeside: TypeAlias = Callable[[Predictions], pa.Table | None]  # the true labels of a pool; None: not asked for


@dataclass(frozen=True)
class MergeSummary:
    """What `merge` wrote."""

    models: tuple[str, ...]
    samples: int
    parts: int | None = None  # None: one file
    truth: int | None = None  # true labels that were written; None: they were not asked for


def merge(
    path: PathLike | Sequence[PathLike],
    out: PathLike,
    *,
    with_truth: PathLike | None = None,
    memory: int | str | None = None,
    rows: int | None = None,
    **options: Unpack[ReadOptions],
) -> MergeSummary:
    """Write predictions once, so that `read` needs no options: what was told about them is kept in the file.

    Parameters
    ----------
    path
        What `read` takes: a file, several files of one model each, or a folder.
    out
        A Parquet, CSV or npz file; or a folder that is not there yet, for parts: Parquet files with a manifest. Files
        go into parts without being in memory as a whole; the rows of a long table must be sorted by sample.
    with_truth
        Write the true labels that stand beside the predictions here: CSV or Parquet, for `read_labels`.
    memory, rows
        How much predictions may take, such as "2GB" (by default half of what is free); samples of a part.
    **options
        Those of `read`.
    """
    told, size, target, paths = Options(**options), bytes_of(memory), Path(out), as_paths(path)
    if rows is not None and rows < 1:
        raise InputError(f"parts of {rows} samples are asked for; give 1 or more")
    _check_targets(target, with_truth, paths)

    def truth_beside(pool: Predictions) -> pa.Table | None:
        if with_truth is None:
            return None
        truth = true_labels(paths, pool, told)
        refuse_loss(with_truth, truth, "choose another name for --with-truth")
        return truth

    with naming(paths[0] if len(paths) == 1 else f"{len(paths):,} files", PredictionsError):
        if target.suffix:
            _check_file(target, paths, rows)
            pool = warned_of_unused(read_within(paths, told, size), told.abstain)
            summary, truth = _written_as_file(pool, target, truth_beside)
        else:
            summary, truth = _written_in_parts(_parts(paths, told, size, rows), target, size, truth_beside)
        if with_truth is None or truth is None:
            return summary
        write_table(truth, with_truth)
        return replace(summary, truth=truth.num_rows)


def _check_targets(out: Path, with_truth: PathLike | None, paths: Sequence[PathLike]) -> None:
    """Refuse files that would replace labels, or what is read or written."""
    refuse_labels(out, "choose another name for --out")
    if with_truth is not None:
        check_beside(with_truth, out)
        refuse_what_is_read(with_truth, paths, "--with-truth", folders=True)


def _check_file(target: Path, paths: Sequence[PathLike], rows: int | None) -> None:
    """Refuse a file that cannot be written, or that would replace what is read."""
    if target.suffix.lower() not in TARGETS:
        raise InputError(
            f"{target.name} ends in {target.suffix!r}; use .parquet, .csv, .tsv or .npz, or a name without an ending "
            "for a folder of parts"
        )
    check_target(target, TARGETS)
    if rows is not None:
        raise InputError(f"--rows is for a folder of parts, and {target.name} is one file; leave out one of the two")
    refuse_what_is_read(target, paths, "--out", folders=True)


def _written_as_file(
    pool: Predictions, target: Path, truth_beside: TruthBeside
) -> tuple[MergeSummary, pa.Table | None]:
    """What was written, and the true labels; where these are refused, nothing is."""
    if pool.in_parts:
        raise PredictionsError(
            f"the predictions do not fit into memory; name a folder of parts with --out, such as {target.stem}"
        )
    truth = truth_beside(pool)
    write_predictions(pool, target)
    return MergeSummary(pool.models, len(pool.samples)), truth


def _written_in_parts(
    parts: Iterator[Predictions], target: Path, size: int, truth_beside: TruthBeside
) -> tuple[MergeSummary, pa.Table | None]:
    """The same, for parts of a pool."""
    if target.exists():
        raise InputError(f"{target} exists; name a folder that is not there yet")
    half = target.with_name(f".adjudge-{secrets.token_hex(8)}.tmp")
    make_folder(half)
    try:
        count, lost = 0, set[str]()
        for count, part in enumerate(parts, start=1):
            lost |= set(part.auxiliary)
            write_predictions(replace(part, auxiliary={}), half / f"part-{count - 1:06}.parquet")
        if not count:
            raise PredictionsError("there are no rows; add one for each sample")
        pool = table_parts(half, Options(), size, Local())
        summary = MergeSummary(pool.models, len(pool.samples), count)  # looks at all parts, and writes the manifest
        truth = truth_beside(pool)
        os.replace(half, target)
        _warn_about(lost, target)
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return summary, truth


def _warn_about(lost: set[str], target: Path) -> None:
    if lost:
        warnings.warn(
            f"{target.name} is written without {' and '.join(sorted(lost))}; the prices of models can be given as a "
            "table of their own (--prices, read_prices in Python)",
            AdjudgeWarning,
            stacklevel=3,
        )


def _parts(paths: Sequence[PathLike], options: Options, memory: int, rows: int | None) -> Iterator[Predictions]:
    """The pool, a part at a time, all with the same classes."""
    first = paths[0]
    alone = len(paths) == 1 and url_of(first) is None and not is_folder(first)
    if alone and suffix_of(local_path(first)) in TEXT_SUFFIXES:
        yield from _from_text(local_path(first), options, memory, rows)
        return
    pool = read_within(paths, options, memory)
    for part in pool.over_parts(itself):
        stated = 1 if part.probabilities is None else 1 + part.probabilities.shape[2]
        many = rows or max(1, min(LARGEST, memory // SHARE) // (CODE * stated * len(part.models)))
        for start in range(0, len(part.samples), many):
            yield sliced(part, start, start + many)


def _from_text(file: Path, options: Options, memory: int, rows: int | None) -> Iterator[Predictions]:
    """Two passes: which classes there are, or whether there are fractions, is only known after the first."""
    source = open_source(file)
    options = noted(source, options)
    roles = roles_of(source, options)
    if (sentence := guesses([roles])) is not None:
        warnings.warn(sentence, AdjudgeNote, stacklevel=5)
    size, classes, numbers = min(LARGEST, memory // SHARE), set[str](), False
    how = (size, rows, roles.id, roles.kind is Kind.LONG)
    for source in csv_batches(file, *how):
        part = by_roles(roles.of_rows(source), source, options)
        classes.update(part.classes or ())
        numbers |= part.classes is None
    known = (
        options
        if options.classes is not None
        else replace(options, classes=None if numbers else in_order(list(classes)), regression=numbers, declared=False)
    )
    for source in csv_batches(file, *how):
        yield by_roles(roles.of_rows(source), source, known)
