"""npy and npz files in parts: ranges of samples of a matrix that stays on disk."""

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.index import Index, as_index
from adjudge.core.predictions import Predictions
from adjudge.engine import Engine
from adjudge.errors import InputError, PredictionsError
from adjudge.io.files import checked_path, naming, parsing
from adjudge.io.memory import size_in_words
from adjudge.io.predictions.abstain import spellings_of, with_abstentions
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.arrays import noted_in, open_archive, texts
from adjudge.io.predictions.distinct import Place, all_integers, in_order
from adjudge.io.predictions.encode import class_table
from adjudge.io.predictions.matrix import checked_numbers, coded, encode_array, is_whole, named_by, numbered, present_in
from adjudge.io.predictions.parts import Facts, PredictionParts, refuse_scores
from adjudge.io.predictions.table_parts import LARGEST, SHARE

PREDICTIONS, PROBABILITIES, SCORES = "predictions", "probabilities", "scores"
COPIES = 2  # of a part: as it is stored, and as codes


@dataclass(frozen=True)
class Stored:
    """An array inside a file, by where its numbers begin; not compressed, so that any part of it can be read."""

    file: str
    changed: int  # when: a file that was written anew is another one to whoever keeps what was read or computed
    offset: int
    shape: tuple[int, ...]
    dtype: str
    fortran: bool

    @property
    def size(self) -> int:
        return int(np.prod(self.shape)) * np.dtype(self.dtype).itemsize

    def columns(self, start: int, stop: int) -> Array:
        """These columns, by reading their piece of each row: mapped pages would have to be found anew in each pass."""
        if self.fortran:
            with parsing(Path(self.file)):
                whole: Array = np.memmap(self.file, self.dtype, "r", self.offset, self.shape, order="F")
                return np.ascontiguousarray(whole[:, start:stop])
        found = np.empty((self.shape[0], stop - start, *self.shape[2:]), dtype=self.dtype)
        for _ in self._read(found, start):
            pass
        return found

    def rows(self, start: int, stop: int) -> Iterator[Array]:
        """The same for one row after the other, all in the same memory."""
        if self.fortran:
            yield from self.columns(start, stop)
            return
        yield from self._read([np.empty((stop - start, *self.shape[2:]), dtype=self.dtype)] * self.shape[0], start)

    def _read(self, rows: Iterable[Array], start: int) -> Iterator[Array]:
        """Each row, once it is filled with what is stored of it from this column on."""
        cell = int(np.prod(self.shape[2:])) * np.dtype(self.dtype).itemsize
        with parsing(Path(self.file)), Path(self.file).open("rb", buffering=0) as opened:
            for model, row in enumerate(rows):
                opened.seek(self.offset + (model * self.shape[1] + start) * cell)
                left = row.reshape(-1).view(np.uint8).data
                while left and (count := opened.readinto(left)):
                    left = left[count:]
                if left:
                    raise EOFError("it ends too early")
                yield row


@dataclass(frozen=True)
class ArrayPart:
    """A range of samples."""

    values: Stored
    probabilities: Stored | None
    start: int
    stop: int
    ids: tuple[str, ...] | None
    names: tuple[str, ...] | None  # classes that codes are positions of; None: numbers are their own names

    def read(self, facts: Facts, first: int) -> Predictions:
        values = self.values.columns(self.start, self.stop)
        samples: Index = range(first, first + self.stop - self.start) if self.ids is None else as_index(self.ids)
        with naming(Path(self.values.file), PredictionsError):
            classes = self._stored_classes(facts)
            codes = self._codes(values, classes, facts.models, samples)
            stated = None if self.probabilities is None else self.probabilities.columns(self.start, self.stop)
            found = Predictions(codes, facts.models, samples, classes, stated, declared=facts.declared)
            return with_abstentions(found, facts.abstain) if facts.abstain else found

    def _stored_classes(self, facts: Facts) -> tuple[str, ...] | None:
        """The classes that codes are positions of, or that occur, with abstentions among them."""
        if not facts.abstain or facts.classes is None:
            return facts.classes
        if self.names is not None:
            return tuple(class_table(self.names).to_pylist())
        words = np.dtype(self.values.dtype).kind in "USb"
        return in_order([*facts.classes, *(name for name in facts.abstain if name and (words or all_integers([name])))])

    def _codes(self, values: Array, classes: tuple[str, ...] | None, models: tuple[str, ...], samples: Index) -> Array:
        told: dict[str, Any] = {"models": models, "samples": samples}
        if classes is None:
            return encode_array(values, regression=True, **told)[0]
        if self.names is not None or values.dtype.kind in "USb":
            return encode_array(values, classes, **told)[0]
        return coded(checked_numbers(values), np.array([int(name) for name in classes]))


def array_parts(path: Path, options: Options, memory: int, engine: Engine) -> PredictionParts:
    """An npy or npz file as parts that fit into memory."""
    file = checked_path(path, (".npy", ".npz"))
    found = {"": _npy(file)} if file.suffix.lower() == ".npy" else _members(file)
    values, stated = found.get("" if "" in found else PREDICTIONS), found.get(PROBABILITIES)
    if options.scores or (values is None and SCORES in found):
        refuse_scores(file.name)
    if values is None or len(values.shape) != 2 or not all(values.shape):
        raise PredictionsError(f"{file.name} does not hold predictions as (models, samples); store them so")
    models, ids, names = numbered(values.shape[0]), None, None
    if "" not in found:
        with open_archive(file) as archive:
            models = archive.names("model_names", values.shape[0]) or models
            stored = archive.get("sample_ids")
            ids = None if stored is None else texts(stored).to_pylist()
            names = archive.names("class_names")
            options = noted_in(archive, options)
    _check_options(file, options)
    cells = values.shape[0] * (COPIES * np.dtype(values.dtype).itemsize + (0 if stated is None else _cell(stated)))
    rows = max(1, min(LARGEST, memory // (SHARE * engine.workers)) // cells)
    edges = [*range(0, values.shape[1], rows), values.shape[1]]
    parts = [
        ArrayPart(values, stated, start, stop, None if ids is None else tuple(ids[start:stop]), names)
        for start, stop in pairwise(edges)
    ]
    return PredictionParts(parts, memory, engine, lambda: _facts(parts, models, options, engine))


def matrix_size(path: Path) -> int:
    """Bytes of the predictions and probabilities of a file; 0 where that cannot be told, which readers will say."""
    try:
        found = {"": _npy(path)} if path.suffix.lower() == ".npy" else _members(path, compressed=True)
    except InputError:
        return 0
    return sum(each.size for name, each in found.items() if name in ("", PREDICTIONS, PROBABILITIES, SCORES))


def _cell(stated: Stored) -> int:
    return stated.shape[-1] * np.dtype(stated.dtype).itemsize


def _check_options(file: Path, options: Options) -> None:
    if options.normalize not in (None, "none"):
        raise PredictionsError("--normalize looks at all answers at once, and these come in parts; leave it out")
    if options.classes is not None:
        raise PredictionsError(f"{file.name} is read in parts, where --classes cannot be told; store class_names in it")


def _npy(file: Path) -> Stored:
    with parsing(file), file.open("rb") as opened:
        return _header(file, opened, 0)


def _members(file: Path, *, compressed: bool = False) -> dict[str, Stored]:
    """The arrays of an npz file."""
    found = {}
    with parsing(file), zipfile.ZipFile(file) as archive, file.open("rb") as opened:
        for member in archive.infolist():
            if member.filename not in (f"{PREDICTIONS}.npy", f"{PROBABILITIES}.npy", f"{SCORES}.npy"):
                continue
            if member.compress_type != zipfile.ZIP_STORED:
                if not compressed:
                    raise PredictionsError(
                        f"{file.name} is compressed, so it cannot be read in parts; give as much memory as it needs "
                        f"(--memory, about {size_in_words(member.file_size)}), or store it with np.savez"
                    )
                with archive.open(member) as unpacked:
                    found[member.filename[:-4]] = _header(file, unpacked, 0)
                continue
            opened.seek(member.header_offset + 26)  # where a zip file says how long the name and the rest are
            lengths = np.frombuffer(opened.read(4), dtype="<u2")
            start = member.header_offset + 30 + int(lengths.sum())
            opened.seek(start)
            found[member.filename[:-4]] = _header(file, opened, start)
    return found


def _header(file: Path, opened: Any, start: int) -> Stored:
    version = np.lib.format.read_magic(opened)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(opened)
    if dtype.hasobject:
        raise PredictionsError(f"{file.name} holds Python objects, which are never unpickled; store numbers or text")
    told, offset = file.stat(), 0
    if start or file.suffix.lower() == ".npy":  # and not a compressed one, which has no numbers to point at
        offset = opened.tell()
        if offset + int(np.prod(shape)) * dtype.itemsize > told.st_size:
            raise PredictionsError(f"{file.name} is cut short; write it again")
    return Stored(str(file.resolve()), told.st_mtime_ns, offset, shape, dtype.str, fortran)


def _facts(parts: Sequence[ArrayPart], models: tuple[str, ...], options: Options, engine: Engine) -> Facts:
    first, rows = parts[0], tuple(part.stop - part.start for part in parts)
    stated = first.probabilities is not None
    names = first.names
    if names is None and stated and np.dtype(first.values.dtype).kind in "iu" and first.probabilities is not None:
        names = tuple(map(str, range(first.probabilities.shape[2])))
    classes: tuple[str, ...] | None = None
    if names is not None and not options.regression:
        classes = tuple(class_table(names).to_pylist())
    elif not options.regression:
        classes = _seen(parts, models, options, engine)
    declared = options.declared and names is not None and classes is not None
    abstain = () if classes is None else tuple(options.abstain)
    if classes is not None and abstain:
        never_right = spellings_of(abstain, None)
        kept = [name for name in classes if name not in never_right]
        classes = tuple(kept) if declared else in_order(kept)
    return Facts(models, classes, declared, rows, first.ids is None, stated, abstain=abstain)


def _seen(
    parts: Sequence[ArrayPart], models: tuple[str, ...], options: Options, engine: Engine
) -> tuple[str, ...] | None:
    """The classes that occur, in a pass over all parts; None: numbers that are not all whole."""
    found = list(engine.map(_look, parts))
    if any(each is None for each in found):
        if options.regression is False:
            raise PredictionsError("fractions cannot be classes of a pool in parts; store codes, with class_names")
        return None
    if np.dtype(parts[0].values.dtype).kind in "USb":
        return in_order(list(dict.fromkeys(name for each in found for name in each or ())))
    present = np.unique(
        np.concatenate([np.array([int(name) for name in each or ()], dtype=np.int64) for each in found])
    )
    return tuple(map(str, named_by(present).tolist()))


def _look(part: ArrayPart) -> tuple[str, ...] | None:
    stored, kind = part.values, np.dtype(part.values.dtype).kind
    if kind in "USb":
        return encode_array(stored.columns(part.start, part.stop))[1]
    if kind == "f":
        samples = range(part.start, part.stop) if part.ids is None else as_index(part.ids)
        places = [Place(name, samples) for name in numbered(stored.shape[0])]
        if not all(map(is_whole, stored.rows(part.start, part.stop), places)):
            return None
    return tuple(map(str, present_in(map(checked_numbers, stored.rows(part.start, part.stop))).tolist()))
