"""True labels that stand beside predictions, as a table of their own."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array
from adjudge.core.index import all_ids, counted, ids_at, positions_of
from adjudge.core.predictions import Predictions
from adjudge.errors import PredictionsError
from adjudge.io.files import TABLE_SUFFIXES, PathLike
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.distinct import as_text, canonical
from adjudge.io.predictions.folder import files_of
from adjudge.io.predictions.roles import Roles, roles_of
from adjudge.io.predictions.sources import TableSource, open_source
from adjudge.io.predictions.table_parts import is_parts
from adjudge.io.predictions.tables import noted
from adjudge.io.storage import local_path


def true_labels(paths: Sequence[PathLike], pool: Predictions, options: Options) -> pa.Table:
    """The true labels of the pool's samples that the files name."""
    files = [local_path(path) for path in paths]
    alone = len(files) == 1 and (not files[0].is_dir() or is_parts(files[0], options))
    files = files_of(files[0]) if files[0].is_dir() else files
    label = np.full(len(pool.samples), None, dtype=object)
    origin = np.full(len(pool.samples), "", dtype=object)
    lacking = list[str | None]()
    for file in (each for each in files if each.suffix.lower() in TABLE_SUFFIXES):
        source = open_source(file)
        told = noted(source, options)
        roles = roles_of(source, told, alone=alone)
        lacking.append(roles.lacking)
        _add(source, roles, pool, label, origin)
    if lacking and all(lacking):
        raise PredictionsError(f"no file has a column {lacking[0]!r}, which --label-column names; correct the name")
    known = np.flatnonzero(origin != "")
    if not len(known):
        raise PredictionsError(
            "no file has a column that is known to hold true labels, such as 'label'; name it with --label-column, or "
            "leave out --with-truth"
        )
    ids = all_ids(pool.samples).take(pa.array(known))
    return pa.table({"sample_id": ids, "label": pa.array(label[known].tolist(), pa.string())})


def _add(source: TableSource, roles: Roles, pool: Predictions, label: Array, origin: Array) -> None:
    """Enter the labels of a file; refused where another file has a different one."""
    if not roles.truth:
        return
    told = canonical(as_text(source.column(roles.truth[0]).combine_chunks()))
    place = positions_of(pool.samples, source.ids(roles.id))
    rows = np.flatnonzero((place >= 0) & told.is_valid().to_numpy(zero_copy_only=False))
    said, place = np.array(told.take(pa.array(rows)).to_pylist(), dtype=object), place[rows]
    against = np.flatnonzero((origin[place] != "") & (label[place] != said))
    if len(against):
        first = place[against[0]]
        raise PredictionsError(
            f"{origin[first]} and {source.name} have different true labels for {counted(len(against), 'sample')}, "
            f"{label[first]!r} and {said[against[0]]!r} for {ids_at(pool.samples, np.array([first]))[0]!r}; correct "
            "one of them, or name the column that holds the truth with --label-column"
        )
    label[place], origin[place] = said, source.name
