"""npy and npz files; nothing in them is ever unpickled."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array, IntArray
from adjudge.core.index import Index, as_index
from adjudge.core.predictions import AUXILIARY, Predictions
from adjudge.errors import InputError, PredictionsError
from adjudge.io.files import checked_path, parsing
from adjudge.io.predictions.abstain import declared_in
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.distinct import Place, all_integers, as_text
from adjudge.io.predictions.encode import Encoded
from adjudge.io.predictions.matrix import encode_array, numbered, redeclare
from adjudge.io.predictions.normalize import as_they_stand, finished, from_notes
from adjudge.io.predictions.scores import as_scores, numbers_only, stored_range


class Archive:
    """The arrays of an npz file, loaded when asked for."""

    def __init__(self, name: str, stored: "np.lib.npyio.NpzFile", path: Path) -> None:
        self.name, self._stored, self._path = name, stored, path

    def get(self, key: str) -> Array | None:
        if key not in self._stored.files:
            return None
        with parsing(self._path, f"store {key!r} as numbers or text, or write the file again"):
            array = self._stored[key]
            if not isinstance(array, np.ndarray):  # a member that is not npy comes as bytes
                raise InputError(f"{self.name} does not hold {key!r} as an array; write it again")
            return array

    @property
    def held(self) -> tuple[str, ...]:
        return tuple(self._stored.files)

    def need(self, key: str) -> Array:
        array = self.get(key)
        if array is None:
            found = ", ".join(map(repr, self._stored.files)) or "nothing"
            raise InputError(f"{self.name} holds {found} but no {key!r}; add it")
        return array

    def names(self, key: str, count: int | None = None) -> tuple[str, ...] | None:
        """A list of names, if there is one; as many as `count` where that is given."""
        array = self.get(key)
        if array is None:
            return None
        if array.ndim != 1 or (count is not None and len(array) != count):
            raise PredictionsError(
                f"{key} has the shape {array.shape} in {self.name} but {count or 'any number of'} names "
                "are needed; store one name for each"
            )
        return tuple(map(str, texts(array).to_pylist()))

    def samples(self, count: int) -> Index:
        """The sample ids; numbers from 0 where none are stored."""
        ids = self.get("sample_ids")
        if ids is None:
            return range(count)
        if ids.shape != (count,):
            raise PredictionsError(
                f"sample_ids has the shape {ids.shape} in {self.name} but {count} samples are predicted; "
                "store one id for each"
            )
        return as_index(texts(ids))


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    file = checked_path(path, (".npz",))
    with file.open("rb") as opened:  # numpy leaves a file open that turns out to be damaged
        with parsing(file):
            stored = np.load(opened, allow_pickle=False)
        with stored:
            yield Archive(file.name, stored, file)


def texts(array: Array) -> pa.Array:
    """A vector as Arrow text: bytes are decoded, numbers written out."""
    try:
        found = pa.array(array)
        return as_text(found.cast(pa.string()) if pa.types.is_binary(found.type) else found)
    except pa.ArrowException as error:
        raise InputError(f"names or ids are stored as {array.dtype}; store them as text ({error})") from error


def load_npy(path: Path) -> Array:
    """The array of an npy file, left on disk where it can be."""
    file = checked_path(path, (".npy",))
    with parsing(file, "store numbers or text, or write the file again"):
        array: Array = np.load(file, mmap_mode="r", allow_pickle=False)
    return array


def read_npy(path: Path, options: Options) -> Predictions:
    """Predictions from an array of (models, samples), with numbered names."""
    values = load_npy(path)
    _check_shape(values)
    return finished(from_matrix(values, numbered(len(values)), as_they_stand(options)), options)


def from_matrix(values: Array, models: tuple[str, ...], options: Options) -> Predictions:
    """Predictions from a (models, samples) array without ids."""
    samples = range(values.shape[1])
    (codes, classes), _ = _encoded(values, None, models, samples, options)
    return Predictions(codes, models, samples, classes, declared=options.classes is not None)


def read_npz(path: Path, options: Options) -> Predictions:
    """Predictions from `predictions`, `model_names`, `class_names`, `sample_ids`, `probabilities`, `auxiliary_*`.

    An array `scores` in place of `predictions` holds scores; `range` is the lowest and the highest possible one.
    """
    with open_archive(path) as archive:
        lone = "scores" in archive.held and "predictions" not in archive.held
        scores = lone if options.scores is None else options.scores
        key = "scores" if scores and "scores" in archive.held else "predictions"
        values, span = archive.need(key), stored_range(archive.get("range"))
        _check_shape(values)
        models = archive.names("model_names", len(values)) or numbered(len(values))
        samples = archive.samples(values.shape[1])
        names = archive.names("class_names")
        probabilities = archive.get("probabilities")
        auxiliary = _auxiliary(archive)
        options = numbers_only(options) if scores else noted_in(archive, options)
    if probabilities is not None:
        if probabilities.dtype.kind != "f" or probabilities.ndim != 3:
            raise PredictionsError(
                f"probabilities are stored as {probabilities.dtype} with the shape {probabilities.shape}; "
                "store floats as (models, samples, classes)"
            )
        if names is None and values.dtype.kind in "iu":
            names = tuple(map(str, range(probabilities.shape[2])))

    read_by = as_they_stand(options)
    (codes, classes), place = _encoded(values, names, models, samples, read_by)
    declared = read_by.declared and classes is not None and (names or read_by.classes) is not None
    stated = _reordered(probabilities, place, len(classes or ()))
    pool = finished(Predictions(codes, models, samples, classes, stated, declared=declared), options)
    for key, numbers in auxiliary.items():
        with suppress(PredictionsError):  # an array of another shape is about something else
            pool = pool.with_auxiliary(key, numbers)
    return as_scores(pool, span) if scores else pool


def _reordered(probabilities: Array | None, place: IntArray | None, classes: int) -> Array | None:
    """Probabilities in the order of the classes that were declared, if others were."""
    if probabilities is None or place is None:
        return probabilities
    if sorted(place) != list(range(classes)):
        raise PredictionsError(
            f"probabilities are stored for {len(place)} classes, and others are declared; declare the same"
        )
    return probabilities[:, :, np.argsort(place)]


def _auxiliary(archive: Archive) -> dict[str, Array]:
    """Arrays that may be numbers about samples; one that cannot be read is nobody's business until it is asked for."""
    found = {}
    for key in archive.held:
        if key.startswith(AUXILIARY):
            with suppress(InputError):
                found[key] = archive.need(key)
    return found


def noted_in(archive: Archive, options: Options) -> Options:
    """What `write_predictions` left in the file, where the caller said nothing else."""
    notes = archive.get("notes")
    if notes is not None and notes.ndim == 2:
        told = tuple((str(key), str(value)) for key, value in notes)
        by = from_notes(told) if options.normalize is None else options.normalize
        options = replace(options, normalize=by, abstain=declared_in(told, options.abstain))
    if options.classes is not None or options.regression is not None:
        return options
    whole_numbers, only_seen = archive.get("regression"), archive.get("declared")
    return replace(
        options,
        regression=True if whole_numbers is not None and whole_numbers.all() else None,
        declared=only_seen is None or bool(only_seen.all()),
    )


def _encoded(
    values: Array, names: tuple[str, ...] | None, models: tuple[str, ...], samples: Index, options: Options
) -> tuple[Encoded, IntArray | None]:
    """Codes and classes, and where each stored class went if the caller declared another list."""
    declared = None if options.classes is None else tuple(options.classes)
    if declared is not None and options.regression:
        raise PredictionsError("classes are declared for a regression; leave out one of the two")
    if names is None and declared is not None and (values.dtype.kind in "US" or not all_integers(declared)):
        names = declared  # numbers that are not among the names are positions in the list
    encoded = encode_array(values, names, models=models, samples=samples, regression=options.regression)
    if declared is None or encoded[1] == declared:
        return encoded, None
    moved, place = redeclare(encoded, declared, [Place(model, samples) for model in models])
    return (moved, declared), place


def _check_shape(values: Array) -> None:
    if values.ndim != 2 or not values.size:
        raise PredictionsError(
            f"predictions have the shape {values.shape}; store them as (models, samples), with at least one of each"
        )
