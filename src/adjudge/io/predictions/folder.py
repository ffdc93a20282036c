"""Several files, or a folder of them: one for each model, named after it."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from warnings import warn

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeNote, PredictionsError
from adjudge.io.faults import refuse, tried
from adjudge.io.files import TABLE_SUFFIXES
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.arrays import from_matrix, load_npy
from adjudge.io.predictions.distinct import as_text
from adjudge.io.predictions.model_rows import ModelRows, from_models
from adjudge.io.predictions.normalize import as_they_stand, finished
from adjudge.io.predictions.questions import questioned
from adjudge.io.predictions.roles import LONG, TOLD, Kind, Roles, guesses, roles_of
from adjudge.io.predictions.sources import TableSource, open_source

VECTORS = (".npy",)
PROJECT = "project.json"  # what a folder of `adjudge label` has, and no other
ONE_MODEL = (*TABLE_SUFFIXES, *VECTORS)


def read_folder(path: Path, options: Options) -> Predictions:
    """Predictions from a folder of CSV or Parquet files with ids, or of npy vectors without."""
    return read_files(files_of(path), options)


def refuse_project(folder: Path) -> None:
    """Refuse a folder that holds labels besides predictions."""
    if (folder / PROJECT).is_file():
        raise PredictionsError(
            f"{folder.name} is a labeling project; `adjudge export log {shlex.quote(str(folder))} --out labels.csv` "
            "writes its labels, and its predictions are in predictions.npz in it"
        )


def files_of(folder: Path) -> list[Path]:
    """The files of a folder, one for each model."""
    files = sorted(
        file for file in folder.iterdir() if file.suffix.lower() in ONE_MODEL and not file.name.startswith(".")
    )
    if not files:
        raise PredictionsError(
            f"the folder {folder.name} holds no file that ends in {', '.join(ONE_MODEL)}; give one file for each model"
        )
    return files


def read_files(files: Sequence[Path], options: Options) -> Predictions:
    """Predictions from several files, each of one model."""
    if other := next((file for file in files if file.suffix.lower() not in ONE_MODEL), None):
        raise PredictionsError(
            f"{other.name} is not a file of one model, which ends in {', '.join(ONE_MODEL)}; several files are read as "
            "one for each model, so give this one alone"
        )
    vectors = [file for file in files if file.suffix.lower() in VECTORS]
    if not vectors:
        return questioned(finished(_tables(files, as_they_stand(options)), options), options)
    _check_names([(file.stem, file.name) for file in files])
    if len(vectors) < len(files):
        other = next(file for file in files if file not in vectors)
        raise PredictionsError(
            f"{other.name} has sample ids but {vectors[0].name} has none, so they cannot be aligned; "
            "give all models with ids, or all without"
        )
    return finished(_vectors(vectors, as_they_stand(options)), options)


def _tables(files: Sequence[Path], options: Options) -> Predictions:
    sources, faults = tried(open_source, files)
    if not faults:
        _check_told([source for _, source in sources], options)
    names = dict(zip(files, _names(files), strict=True))
    read, more = tried(lambda each: roles_of(each[1], options, alone=False), sources)
    if not read:
        refuse([*faults, *more])
    try:
        pool, found = _joined([(file, names[file], roles) for (file, _), roles in read], options)
    except PredictionsError as fault:
        refuse([*faults, *more, str(fault)])
    refuse([*faults, *more])
    if (sentence := guesses(found)) is not None:
        warn(sentence, AdjudgeNote, stacklevel=4)
    return pool


def _check_told(sources: Sequence[TableSource], options: Options) -> None:
    """Refuse a column that is in none of the files."""
    for field, option in TOLD.items():
        name = getattr(options, field)
        if name is not None and not any(name in source.columns for source in sources):
            raise PredictionsError(
                f"none of the {len(sources):,} files has a column {name!r}, which {option} names; {sources[0].name} "
                f"has {sources[0].listed()}"
            )


def _joined(files: Sequence[tuple[Path, str, Roles]], options: Options) -> tuple[Predictions, list[Roles]]:
    """The pool, and what the columns were taken for."""
    models, found = list[ModelRows](), list[Roles]()
    for file, name, roles in files:
        several = list(_models(file, roles, options)) if roles.kind is Kind.LONG else []
        models += several or [ModelRows(name, roles.table, roles.id)]
        found.append(roles if several else roles.of_one_model())
    _check_names([(each.model, each.table.name) for each in models])
    return from_models(models, options), found


def _names(files: Sequence[Path]) -> list[str]:
    """A name for each file: its own, or that of its folder where files of several folders are named alike."""
    own, folders = [file.stem for file in files], [file.absolute().parent.name for file in files]
    both = [f"{folder}/{name}" for folder, name in zip(folders, own, strict=True)]
    return next((names for names in (own, folders, both) if len(set(names)) == len(files)), own)


def _models(file: Path, roles: Roles, options: Options) -> Iterator[ModelRows]:
    """The models that a column names, if it names several or is told to name them; otherwise none."""
    column = as_text(roles.table.column(LONG[0]).combine_chunks()).dictionary_encode()
    names, codes = column.dictionary.to_pylist(), np.asarray(column.indices.fill_null(-1))
    if len(names) < 2 and options.model_column is None:
        return
    if (codes < 0).any() or not all(name.strip() for name in names):
        raise PredictionsError(f"a row of {file.name} has no model; name the model of each prediction")
    for code, name in enumerate(names):
        yield ModelRows(name.strip(), roles.table, roles.id, np.flatnonzero(codes == code))


def _check_names(models: Sequence[tuple[str, str]]) -> None:
    seen = dict[str, str]()
    for name, file in models:
        if name in seen:
            raise PredictionsError(
                f"{seen[name]} and {file} name the same model, {name!r}; keep one of them, or rename it"
            )
        seen[name] = file


def _vectors(files: Sequence[Path], options: Options) -> Predictions:
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
