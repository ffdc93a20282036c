"""What was predicted, as files that every command reads."""

import json
from pathlib import Path

import numpy as np

from adjudge.prediction.many import Predicted
from adjudge.readers import atomic_write, write_predictions
from adjudge.readers.features import APART
from adjudge.readers.files import PathLike

TOLD = ("model", "data", "settings", "versions")  # what the file says about where each model's results come from


def write_predicted(predicted: Predicted, path: PathLike) -> list[Path]:
    """Write predictions, probabilities, features and where they come from; return the files that were written.

    An npz file holds all of it. A Parquet file holds the predictions and the probabilities, a CSV file the predictions;
    the features are in an npz file next to it, where `select` and `simulate` look for them.
    """
    file, pool = Path(path), predicted.predictions
    features = predicted.stored_features
    origins = json.dumps(
        {name: {key: about[key] for key in TOLD if key in about} for name, about in predicted.origins.items()},
        sort_keys=True,
    )
    if file.suffix.lower() == ".npz":
        write_predictions(pool, file, arrays={**features, "origins": np.array(origins)})
        return [file]
    write_predictions(pool, file, notes=[("origins", origins)])
    if not features:
        return [file]
    apart = file.with_suffix(APART)
    with atomic_write(apart) as opened:
        np.savez(opened, allow_pickle=False, model_names=np.array(pool.models), **features)
    return [file, apart]
