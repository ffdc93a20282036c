"""Changed data in files of the same kind as those it came from."""

import gzip
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from pyarrow import parquet

from adjudge.core.arrays import Array, IntArray
from adjudge.core.index import as_index, ids_at
from adjudge.errors import InputError
from adjudge.io import atomic_write, truth_of
from adjudge.io.files import PathLike, make_folder
from adjudge.io.idx import IDX_TYPES, read_idx
from adjudge.io.predictions.arrays import open_archive
from adjudge.io.predictions.sources import open_source
from adjudge.models.corruptions.labels import label_shift, write_labels
from adjudge.models.corruptions.shifted import LABEL_SHIFT, kinds_for, severities_for, shifted
from adjudge.models.datasets import Dataset, read_data
from adjudge.models.datasets.stored import input_key
from adjudge.models.extras import extra
from adjudge.simulation.engine import Progress, silent

ROWS = 1024  # held at a time
JPEG = {"quality": 100, "subsampling": 0}  # as near to what was asked for as JPEG comes


def write_shifted(
    data: PathLike,
    out: PathLike = "shifted",
    *,
    kinds: str = "all",
    severities: str = "all",
    labels: PathLike | None = None,
    id: str | None = None,  # noqa: A002
    columns: Sequence[str] = (),
    seed: int = 0,
    progress: Progress = silent,
) -> list[Path]:
    """Write data under shift, in files of the same kind.

    Parameters
    ----------
    data
        What `read_data` reads, with the options `id` and `columns`.
    out
        The folder to write to; more than one shift get a folder each in it, such as fog3.
    kinds, severities
        Names and numbers with commas between, or "all".
    labels
        A file of true labels, which the kind "label-shift" needs.

    Returns
    -------
    list[Path]
        The files that were written, or the folders of images.
    """
    source, folder = Path(data), Path(out)
    reading = partial(read_data, id=id, columns=columns)
    read = reading(source)
    shifts = [(kind, severity) for kind in kinds_for(read, kinds) for severity in severities_for(severities)]
    written = []
    with progress("corrupting", len(shifts)) as tell:
        for done, (kind, severity) in enumerate(shifts, start=1):
            place = folder if len(shifts) == 1 else folder / f"{kind}{severity}"
            if kind == LABEL_SHIFT:
                kept, true = _kept(read, labels, severity, seed)
                written.append(write_like(source, read, place, kept))
                write_labels(reading(written[-1]), true, place / "labels.csv")
            else:
                written.append(write_like(source, shifted(read, kind, severity, seed), place))
            tell(done)
    return written


def _kept(data: Dataset, labels: PathLike | None, severity: int, seed: int) -> tuple[IntArray, Array]:
    """The rows that are left after a shift in labels, and their labels."""
    if labels is None:
        raise InputError("label-shift needs the true labels; add --labels FILE")
    true = truth_of(labels, data.samples, complete=True).column()
    kept = label_shift(true, severity, seed)
    return kept, true[kept]


def write_like(source: Path, data: Dataset, out: Path, kept: IntArray | None = None) -> Path:
    """Write data that was read from `source` into the folder `out`, under the same name; `kept` are the rows to write.

    What stands beside the inputs, such as labels and ids, goes along. Returns the file, or the folder of images.
    """
    rows = np.arange(len(data)) if kept is None else kept
    if source.resolve().parent == out.resolve() or source.resolve() == out.resolve():
        raise InputError(f"{source.name} would be written over itself; choose another folder than {out}")
    if out.resolve().is_relative_to(source.resolve()):
        raise InputError(f"{out} lies in the folder of the data, which would hold changed images too; choose another")
    make_folder(out)
    if source.is_dir():
        _write_images(data, out, rows)
        return out
    writers: dict[str, Callable[[Path, Dataset, IO[bytes], IntArray], None]] = {
        ".npy": _write_npy,
        ".npz": _write_npz,
        ".parquet": _write_table,
        ".csv": _write_table,
        ".tsv": _write_table,
    }
    with atomic_write(out / source.name) as file:
        writers.get(source.suffix.lower(), _write_idx)(source, data, file, rows)
    return out / source.name


def _loaded(data: Dataset, rows: IntArray) -> Array:
    """The rows that are wanted, read in bounded parts."""
    parts = []
    for start in range(0, len(data), ROWS):
        wanted = rows[(rows >= start) & (rows < start + ROWS)] - start
        if len(wanted):
            parts.append(data.rows(start, min(start + ROWS, len(data)))[wanted])
    return np.concatenate(parts)


def _stored(values: Array, like: Array) -> Array:
    """Inputs in the layout of the file: without the axis of one channel, or with channels first."""
    if values.ndim == 4 and like.ndim == 3:
        return values[..., 0]
    return np.moveaxis(values, 3, 1) if values.ndim == 4 and values.shape[1:] != like.shape[1:] else values


def _write_npy(source: Path, data: Dataset, file: IO[bytes], rows: IntArray) -> None:
    np.save(file, _stored(_loaded(data, rows), np.load(source, mmap_mode="r")), allow_pickle=False)


def _write_npz(source: Path, data: Dataset, file: IO[bytes], rows: IntArray) -> None:
    with open_archive(source) as archive:
        inputs = input_key(archive)
        arrays = {key: archive.need(key) for key in archive.held}
    values = _stored(_loaded(data, rows), arrays[inputs])
    beside = {key: each[rows] if each.shape[:1] == (len(data),) else each for key, each in arrays.items()}
    text = values.astype(str) if values.dtype == object else values
    if len(rows) < len(data):  # numbers of samples would begin anew
        beside.setdefault("sample_ids", np.array(ids_at(data.samples, rows)))
    np.savez_compressed(file, allow_pickle=False, **beside | {inputs: text})


def _write_idx(source: Path, data: Dataset, file: IO[bytes], rows: IntArray) -> None:
    like = read_idx(source)
    values = _stored(_loaded(data, rows), like)
    kind = next(code for code, name in IDX_TYPES.items() if np.dtype(name) == like.dtype)
    head = bytes([0, 0, kind, values.ndim]) + np.array(values.shape, ">u4").tobytes()
    content = head + values.astype(like.dtype).tobytes()
    file.write(gzip.compress(content, 6, mtime=0) if source.suffix == ".gz" else content)


def _write_table(source: Path, data: Dataset, file: IO[bytes], rows: IntArray) -> None:
    table = open_source(source)
    columns = dict(zip(table.columns, table.load(table.columns), strict=True))
    values = _loaded(data, rows)
    values = values[:, None] if values.ndim == 1 else values
    kept = {name: column.take(pa.array(rows)) for name, column in columns.items()}
    if data.samples == range(len(data)) and len(rows) < len(data):
        kept = {"sample_id": as_index(rows.tolist())} | kept
    made = kept | {name: _column(values[:, place]) for place, name in enumerate(data.columns)}
    if source.suffix.lower() == ".parquet":
        parquet.write_table(pa.table(made), file)
    else:
        plain = {name: _plain(column) for name, column in made.items()}
        delimiter = "\t" if source.suffix.lower() == ".tsv" else ","
        arrow_csv.write_csv(pa.table(plain), file, arrow_csv.WriteOptions(delimiter=delimiter))


def _column(values: Array) -> pa.Array:
    if values.dtype == object:
        return pa.array(values, pa.string())
    return pa.array(values, mask=np.isnan(values))


def _plain(column: Any) -> Any:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _write_images(data: Dataset, out: Path, rows: IntArray) -> None:
    """One file after the other; images may have different sizes."""
    pillow = extra("PIL.Image", "images", "writing images")
    for row, name in zip(rows.tolist(), ids_at(data.samples, rows), strict=True):
        loaded = data.load(row, row + 1)
        pixels = data.rows(row, row + 1, loaded[0].shape[:2])[0]
        target = out / name
        make_folder(target.parent)
        image = pillow.fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels)
        try:
            image.save(target, **({} if target.suffix.lower() == ".png" else JPEG))
        except OSError as problem:
            reason = problem.strerror or problem
            raise InputError(f"{target} cannot be written ({reason}); make room, or choose another place") from problem
