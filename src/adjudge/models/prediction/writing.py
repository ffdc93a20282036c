"""What was predicted, as files that every command reads."""

import json
from pathlib import Path

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import InputError
from adjudge.io import Truth, atomic_write, truth_in_order, write_predictions
from adjudge.io.files import PathLike
from adjudge.io.predictions.features import APART
from adjudge.models.prediction.many import Predicted

TOLD = ("model", "data", "settings", "versions")  # what the file says about where each model's results come from


def write_predicted(predicted: Predicted, path: PathLike, labels: "Truth | Array | None" = None) -> list[Path]:
    """Write predictions, probabilities, features and where they come from.

    An npz file holds all of it, and the true labels. A Parquet file holds the predictions and the probabilities, a CSV
    file the predictions; the features are in an npz file next to it, where `select` and `simulate` look for them.

    Parameters
    ----------
    labels
        One for each sample in their order, or what `truth_of` read.

    Returns
    -------
    list[Path]
        The files that were written.
    """
    file, pool = Path(path), predicted.predictions
    features = predicted.stored_features
    if labels is not None:
        check_holds_labels(file)
        pool, known = _known(labels, pool)
    origins = json.dumps(
        {name: {key: about[key] for key in TOLD if key in about} for name, about in predicted.origins.items()},
        sort_keys=True,
    )
    if file.suffix.lower() == ".npz":
        truth = {} if labels is None else {"labels": known}
        write_predictions(pool, file, arrays={**truth, **features, "origins": np.array(origins)})
        return [file]
    write_predictions(pool, file, notes=[("origins", origins)])
    if not features:
        return [file]
    apart = file.with_suffix(APART)
    with atomic_write(apart) as opened:
        np.savez(opened, allow_pickle=False, model_names=np.array(pool.models), **features)
    return [file, apart]


def check_holds_labels(path: PathLike) -> None:
    """Refuse a file that has no place for true labels."""
    name = Path(path).name
    if not name.lower().endswith(".npz"):
        raise InputError(f"{name} cannot hold labels; write an npz file: --out {Path(path).stem}.npz")


def _known(labels: "Truth | Array", pool: Predictions) -> tuple[Predictions, Array]:
    """The pool with all classes of the labels, and these as its npz file holds them: codes, or numbers."""
    told = labels if isinstance(labels, Truth) else truth_in_order(labels, pool.samples)
    pool, truth = told.values(pool)
    return pool, truth if pool.classes is None else np.where(np.isnan(truth), MISSING, truth).astype(np.int64)
