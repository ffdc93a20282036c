"""Predictions from any file, several files, or a folder."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from adjudge.core.predictions import Predictions
from adjudge.engine import Engine, engine_named
from adjudge.errors import PredictionsError
from adjudge.io.files import TEXT_SUFFIXES, PathLike, checked_path, naming, suffix_of
from adjudge.io.memory import bytes_of, size_in_words
from adjudge.io.predictions.abstain import warned_of_unused
from adjudge.io.predictions.align import Normalize, Options
from adjudge.io.predictions.array_parts import array_parts, matrix_size
from adjudge.io.predictions.arrays import read_npy, read_npz
from adjudge.io.predictions.dataset_folders import is_dataset, read_dataset
from adjudge.io.predictions.folder import read_files, read_folder, refuse_project
from adjudge.io.predictions.parts import refuse_cluster
from adjudge.io.predictions.questions import ask_about_spelling
from adjudge.io.predictions.scores import as_scores, numbers_only
from adjudge.io.predictions.table_parts import footers_of, is_parts, predictions_in_parts, table_parts
from adjudge.io.predictions.tables import read_table
from adjudge.io.storage import fetched, is_folder, local_path, url_of


def read(
    path: PathLike | Sequence[PathLike],
    *,
    id: str | None = None,  # noqa: A002
    join: str | None = None,
    columns: Sequence[str] = (),
    classes: Sequence[str] | None = None,
    regression: bool | None = None,
    normalize: Normalize = None,
    scores: bool | None = None,
    abstain: Sequence[str] = (),
    prediction_column: str | None = None,
    label_column: str | None = None,
    model_column: str | None = None,
    memory: int | str | None = None,
    engine: str = "local",
    scheduler: str | None = None,
) -> Predictions:
    """What models said about samples, from a CSV, Parquet, npz or npy file, several files, or a folder of them.

    Several files, or those of a folder, are one for each model, named after it; a folder may also hold parts of one
    pool as Parquet files, or a dataset of Hugging Face. A path may be a URL such as s3://bucket/folder. What does not
    fit into memory is read part by part. Columns are found by their usual names, and a note (`AdjudgeNote`) says so.

    Parameters
    ----------
    id, join
        The column of sample ids, if it has no usual name such as `sample_id`, `id` or `image`; what to do when models
        have different samples: keep those of all ("inner") or of any ("outer").
    columns, classes, regression
        Columns that are facts about samples, not models; all classes, in order; whether the values are numbers, which
        otherwise fractions among them decide.
    normalize, abstain
        How answers in words are brought to one spelling, and labels with them: "auto", steps such as "case,numbers",
        "package.module:function" or a function, or a table of equal answers. Answers that are none, such as "(none)":
        they can never be right and agree with nobody; an empty text stands for blank answers, which else are missing.
    scores
        Whether the values are scores, higher is better; by default where a file holds `scores` or a column `score`.
    prediction_column, label_column, model_column
        The columns of predictions, true labels and model names, if they have no usual names. True labels are not used.
    memory, engine, scheduler
        How much predictions may take, such as "2GB" (by default half of what is free); where parts are worked on:
        "local", or "dask" with the address of a scheduler or a cluster of this machine.
    """
    paths, named = as_paths(path), (prediction_column, label_column, model_column)
    with naming(paths[0] if len(paths) == 1 else f"{len(paths):,} files", PredictionsError):
        options = Options(id, join, columns, classes, regression, normalize, scores, abstain, *named)
        where = engine_named(engine, scheduler)
        pool = read_within(paths, options, bytes_of(memory), None if engine == "local" else where)
        return warned_of_unused(pool, options.abstain)


def as_paths(path: PathLike | Sequence[PathLike]) -> list[PathLike]:
    """One path or several, as a list."""
    paths: list[PathLike] = [path] if isinstance(path, str | os.PathLike) else [*path]
    if not paths:
        raise PredictionsError("no file is given; name at least one")
    return paths


def read_within(paths: Sequence[PathLike], options: Options, memory: int, cluster: Engine | None = None) -> Predictions:
    """Predictions in memory if they fit, and in parts otherwise, or if a cluster is to work on them."""
    if len(paths) > 1:
        return _read_several(paths, options, cluster)
    [path] = paths
    url, engine = url_of(path), cluster or engine_named()
    if url is None:
        refuse_project(local_path(path))
    if is_parts(path, options):
        fits = cluster is None and sum(part.size for part in footers_of(path)) <= memory
        if fits:
            return table_parts(path, options, memory, engine).in_memory()
        return predictions_in_parts(path, options, memory, engine)
    if url is None:
        return _read_local(local_path(path), options, memory, cluster)
    if is_folder(url):
        raise PredictionsError(f"{url} holds no Parquet files that are parts of one pool; copy the folder here")
    suffix = suffix_of(Path(url))
    if suffix == ".parquet" and (cluster or sum(each.size for each in footers_of(url)) > memory):
        return predictions_in_parts(url, options, memory, engine)
    with fetched(url) as copy:
        found = _read_local(copy, options, memory, cluster)
    if found.in_parts:  # of a copy that is gone
        raise PredictionsError(
            f"{url} can be read in parts only here, or as Parquet; copy it here, or turn it into parts (adjudge merge)"
        )
    return found


def _read_several(paths: Sequence[PathLike], options: Options, cluster: Engine | None) -> Predictions:
    for path in paths:
        if url_of(path) is not None or is_folder(path):
            raise PredictionsError(f"{path} is given among several; give files of this machine, or one folder alone")
    if gone := [path for path in paths if not local_path(path).exists() and not Path(path).suffix]:
        raise PredictionsError(
            f"{gone[0]} does not exist; give files of predictions, and name models with an option (--models, --only)"
        )
    files = [checked_path(local_path(path)) for path in paths]
    refuse_cluster(files[0].name, cluster)
    return _as_told(partial(read_files, files), options)


def _read_local(file: Path, options: Options, memory: int, cluster: Engine | None) -> Predictions:
    if file.is_dir():
        refuse_cluster(file.name, cluster)
        return _as_told(partial(read_dataset if is_dataset(file) else read_folder, file), options)
    suffix, engine = suffix_of(file) if file.exists() else "", cluster or engine_named()
    if suffix in (".npy", ".npz") and (cluster or matrix_size(file) > memory):
        return array_parts(file, options, memory, engine)
    if suffix == ".parquet" and (cluster or sum(each.size for each in footers_of(checked_path(file))) > memory):
        return predictions_in_parts(file, options, memory, engine)
    if suffix in TEXT_SUFFIXES and file.stat().st_size > memory:
        raise PredictionsError(
            f"{file.name} has {size_in_words(file.stat().st_size)} of text, and {size_in_words(memory)} of memory may "
            f"be used; turn it into parts with `adjudge merge {file.name} --out FOLDER`, or give more (--memory)"
        )
    reader = {".npz": read_npz, ".npy": read_npy}.get(suffix, read_table)
    if suffix:
        refuse_cluster(file.name, cluster)
    pool = _as_told(partial(reader, file), options) if reader is read_npy else reader(file, options)
    if reader is not read_table:  # which asks by itself
        ask_about_spelling(pool, options)
    return pool


def _as_told(reader: Callable[[Options], Predictions], options: Options) -> Predictions:
    """From files that cannot say themselves that their values are scores."""
    return as_scores(reader(numbers_only(options))) if options.scores else reader(options)
