"""What a layer of one model says about each sample: the input of methods that look inside."""

from pathlib import Path

import numpy as np

from adjudge.core.arrays import Array, IntArray
from adjudge.core.index import listed
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import InputError
from adjudge.io.files import PathLike, checked_path, naming, parsing
from adjudge.io.predictions.arrays import open_archive
from adjudge.io.predictions.read import read

APART = ".features.npz"  # for predictions in a table, which holds no features


def beside(path: Path) -> Path:
    """Where the features of a predictions file are: in a file next to it, or inside."""
    apart = path.with_suffix(APART)
    return apart if apart.exists() and path.suffix.lower() != ".npz" else path


def has_features(path: Path) -> bool:
    """Whether the features of some model are stored with predictions."""
    file = beside(path)
    if file.suffix.lower() != ".npz" or not file.is_file():
        return False
    with open_archive(file) as archive:
        return any(key.startswith("features") for key in archive.held)


def read_features(path: PathLike, predictions: Predictions, model: str) -> Array:
    """What a layer of a model says about each sample.

    Parameters
    ----------
    path
        An npy file, or an npz with `features_<number of the model>` or `features`.

    Returns
    -------
    Array
        (samples, units).
    """
    file = checked_path(Path(path), (".npz", ".npy"))
    with naming(file):
        if model not in predictions.models:
            raise InputError(f"there is no model {model!r}; the models are {listed(predictions.models)}")
        features = _stored(file, predictions.models.index(model), model)
        samples = len(predictions.samples)
        if features.ndim != 2 or len(features) != samples:
            raise InputError(
                f"the features of {model!r} have the shape {features.shape}; for this pool they are "
                f"({samples}, units), one row for each sample, in their order"
            )
        return features


def read_reference(path: PathLike, predictions: Predictions, model: str) -> tuple[Array, IntArray | None]:
    """Features of a reference set for a model of a pool, and what the model says there, in the pool's class codes.

    An npz file that holds predictions is a pool of its own, in which the model has the same name. From an npy file, or
    an npz without predictions, come features only; neither has a regression any classes.
    """
    file = checked_path(Path(path), (".npz", ".npy"))
    if file.suffix.lower() == ".npz":
        with open_archive(file) as archive:
            is_pool = "predictions" in archive.held
        if is_pool:
            pool = read(file)
            features = read_features(file, pool, model)
            if pool.classes is None or predictions.classes is None:
                return features, None
            code = {name: place for place, name in enumerate(predictions.classes)}
            codes = np.array([*(code.get(name, MISSING) for name in pool.classes), MISSING])
            return features, codes[np.maximum(pool.values[pool.models.index(model)], MISSING)]
    with naming(file):
        return _stored(file, predictions.models.index(model), model), None


def _stored(file: Path, number: int, model: str) -> Array:
    if file.suffix.lower() == ".npy":
        with parsing(file):
            array: Array = np.load(file, allow_pickle=False)
            return array
    with open_archive(file) as archive:
        if (names := archive.names("model_names")) is not None and model not in names:
            raise InputError(f"there is no model {model!r}; the models are {listed(names)}")
        number = number if names is None else names.index(model)
        for key in (f"features_{number}", "features"):
            features = archive.get(key)
            if features is not None:
                return features
    raise InputError(f"no features of {model!r} are stored; add features_{number}, or give a file of their own")
