"""Predictions that were made elsewhere, put beside those of models that are run."""

from collections.abc import Iterator

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.index import ids_at, positions_of
from adjudge.errors import InputError
from adjudge.io import read, read_features
from adjudge.io.predictions.arrays import open_archive
from adjudge.models.datasets import Dataset, hash_files
from adjudge.models.prediction.kept import Result
from adjudge.models.prediction.running import Ran, Wanted, numbered
from adjudge.models.runners.references import Reference


def pass_through(reference: Reference, data: Dataset, wanted: Wanted) -> Iterator[Ran]:
    """The models of a predictions file, for the samples of the data, in their order."""
    assert reference.path is not None
    stored = read(reference.path)
    place = positions_of(stored.samples, data.samples)
    lacking = np.flatnonzero(place < 0)
    if len(lacking):
        raise InputError(
            f"{reference.path.name} has no predictions for {len(lacking):,} of the {len(data):,} samples, "
            f"{ids_at(data.samples, lacking[:1])[0]!r} among them; give predictions of the same data, with the same ids"
        )
    about = {"model": hash_files([reference.path]), "data": data.digest, "meaning": "stored"}
    for row, name in enumerate(stored.models):
        features: Array | None = None
        notes: tuple[str, ...] = ()
        if wanted.layer is not None:
            notes = (f"{name} gives no features: which layer the stored ones come from is not known; run the model",)
        elif wanted.features and f"features_{row}" in _held(reference):
            features = read_features(reference.path, stored, name)[place]
        known = stored.probabilities if wanted.probabilities else None
        result = Result(
            reference.name if len(stored.models) == 1 and "=" in reference.given else name,
            stored.values[row][place].astype(np.float64 if stored.classes is None else np.int32),
            stored.classes,
            None if known is None or np.isnan(known[row]).all() else known[row][place],
            features,
            listed=stored.declared,
            named=stored.classes is not None and not numbered(stored.classes),
            about=about,
        )
        yield Ran(result, notes)


def _held(reference: Reference) -> tuple[str, ...]:
    assert reference.path is not None
    if reference.path.suffix.lower() != ".npz":
        return ()
    with open_archive(reference.path) as archive:
        return archive.held
