"""From models and data to one task for clean data and one for each shift."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io import Truth
from adjudge.io.files import PathLike, make_folder
from adjudge.models.datasets import Dataset
from adjudge.models.prediction import Predicted, Shift, predict_shifted, write_predicted
from adjudge.models.runners.references import Reference, references

CLEAN = "clean"  # the name of the task without shift


def write_pools(
    models: "Sequence[PathLike | Reference]",
    data: Dataset,
    labels: "Truth | Array",
    shifts: Sequence[Shift],
    out: Path,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> list[Path]:
    """Run the models, and write a task with its truth for clean data and each shift; what is kept is not run again.

    Labels are what `truth_of` read, or one for each sample in their order. A model that fails anywhere is left out
    everywhere: rankings are compared, so that all pools have the same models.
    """
    make_folder(out)
    clean = out / f"{CLEAN}.npz"
    found, failures = [], []
    cache = clean.with_suffix(".runs")
    for shift, predicted in predict_shifted(models, data, shifts, seed=seed, progress=progress, cache=cache, **options):
        path = clean if shift is None else shift.file(clean)
        _write(predicted, labels, path)
        found.append(path)
        failures.append(predicted.failures)
    if len(failures[-1]) > len(failures[0]):  # some failed under shift: what the others said is kept, and written anew
        left = [each for each in references(models) if each.name not in failures[-1]]
        return write_pools(left, data, labels, shifts, out, seed=seed, progress=progress, **options)
    return found


def _write(predicted: Predicted, labels: "Truth | Array", path: Path) -> None:
    pool = predicted.predictions
    if pool.classes is None:
        raise InputError("the models give numbers; a study of shift is made for models that give classes")
    if pool.probabilities is not None:  # there are many pools, and no method of the study needs more digits
        pool = replace(pool, probabilities=pool.probabilities.astype(np.float16))
    write_predicted(replace(predicted, predictions=pool), path, labels)
