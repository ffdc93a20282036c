"""Tasks: pools whose truth is known, by name."""

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.index import ids_at
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.io import read, read_features, read_truth
from adjudge.losses.loss import Loss, default_loss
from adjudge.losses.numbers import Squared
from adjudge.methods.papers.surprise import with_surprise
from adjudge.simulation.simulate import true_estimate

FOLDER = "ADJUDGE_TASKS"  # the environment variable that names the folder of tasks


@dataclass(frozen=True, eq=False)
class Task:
    """A pool, what is true about it, and what each model is worth."""

    name: str
    path: Path
    predictions: Predictions
    truth: FloatArray  # (samples,)
    rows: IntArray | None = None  # the samples of the file that a part of it holds; None: all

    @cached_property
    def values(self) -> FloatArray:
        """(models,): accuracy, or 1 - MSE."""
        return true_estimate(self.predictions, self.truth, self.loss).value

    @cached_property
    def loss(self) -> Loss:
        """The default one; squared errors are reported as 1 - MSE, as in the papers."""
        loss = default_loss(self.predictions, Labels.complete(self.truth))
        if isinstance(loss, Squared):
            return replace(loss, quantity="1 - MSE", best=1.0, lower_is_better=False)
        return loss

    @cached_property
    def digest(self) -> str:
        """A hash of the file, so that results of a task that changed are not taken for its own."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]

    def part(self, samples: int, number: int, seed: int) -> "Task":
        """A smaller pool: so many samples whose truth is known, drawn by the seed; `number` tells draws apart."""
        known = np.flatnonzero(~np.isnan(self.truth))
        if samples > len(known):
            raise InputError(f"{self.name} has {len(known)} samples with a label; a part of {samples} needs as many")
        rows = np.sort(np.random.default_rng([seed, samples, number]).choice(known, samples, replace=False))
        pool = self.predictions
        probabilities: Array | None = pool.probabilities
        drawn = replace(
            pool,
            values=pool.values[:, rows],
            samples=ids_at(pool.samples, rows),
            probabilities=None if probabilities is None else probabilities[:, rows],
            columns=None,
            auxiliary={name: each.at(rows) for name, each in pool.auxiliary.items()},
        )
        return replace(self, predictions=drawn, truth=self.truth[rows], rows=rows)

    def features(self, model: str) -> Array:
        """(samples, units): the outputs of the model's last hidden layer."""
        features = _features(self.path, model)
        return features if self.rows is None else features[self.rows]

    def surprising(self, model: str) -> Predictions:
        """The part of a pool, with the surprise of its samples to a model: the reference is the rest of the file."""
        place = self.predictions.models.index(model)
        features, said = _features(self.path, model), load(self.path).predictions.values[place]
        assert self.rows is not None
        rest = np.delete(np.arange(len(features)), self.rows)
        classes = None if self.predictions.classes is None else said[rest]
        return with_surprise(self.predictions, model, features[self.rows], features[rest], classes)

    def with_features(self) -> tuple[str, ...]:
        """The models whose features are stored."""
        with np.load(self.path, allow_pickle=False) as stored:
            keys = set(stored.files)
        return tuple(name for place, name in enumerate(self.predictions.models) if f"features_{place}" in keys)


def classification(tasks: Sequence[Task]) -> list[Task]:
    """The tasks that have classes; the others are regressions."""
    return [task for task in tasks if task.predictions.classes is not None]


@lru_cache(maxsize=4)
def load(path: Path) -> Task:
    """Read a task; the last few are kept."""
    predictions, truth = read_truth(path, read(path))
    return Task(path.stem, path, predictions, truth)


@lru_cache(maxsize=2)
def _features(path: Path, model: str) -> Array:
    """Of the whole pool; the last are kept, since many small jobs look at the same model."""
    return read_features(path, load(path).predictions, model)


def find(names: Sequence[str] = ()) -> list[Path]:
    """The files of these tasks: paths, or names in the folder of tasks; without names, all that are there."""
    told = os.environ.get(FOLDER)
    folder = Path(told) if told else None
    if not names:
        return sorted(folder.glob("*.npz")) if folder else []
    found = []
    for name in names:
        places = [Path(name), *([folder / f"{name}.npz"] if folder else [])]
        path = next((each for each in places if each.is_file()), None)
        if path is None or path.suffix.lower() != ".npz":
            raise InputError(
                f"the task {name!r} is neither an npz file nor in the folder of tasks; give the path of an npz, or set "
                f"${FOLDER} to that folder"
            )
        found.append(path)
    name, times = Counter(path.stem for path in found).most_common(1)[0]
    if times > 1:
        raise InputError(f"the task {name!r} is given {times} times; name each once, since results go by name")
    return found
