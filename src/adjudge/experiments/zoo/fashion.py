"""The Fashion-MNIST zoo: models of many kinds, trained in minutes, in files that `adjudge predict` runs."""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter
from zlib import crc32

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.experiments.zoo.graphs import Network, Patches, patch_features, write_graph
from adjudge.experiments.zoo.recipes import RECIPES, Recipe
from adjudge.experiments.zoo.trees import write_trees
from adjudge.io import atomic_write
from adjudge.io.files import PathLike, make_folder
from adjudge.models.corruptions import SEVERITIES, corrupt, swapped
from adjudge.models.datasets import read_idx
from adjudge.models.extras import extra
from adjudge.simulation.engine import results

TRAIN = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz")
PATCH, PART = 5, 4  # pixels of a side
ALIKE = 0.15  # how much of a patch's likeness counts for nothing
SCALE = np.float32(1 / 255)


def train_zoo(
    data: PathLike,
    out: PathLike,
    seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
    recipes: Sequence[Recipe] = RECIPES,
) -> list[Path]:
    """Train small and varied models on Fashion-MNIST, on all cores, those whose file is not in `out` yet.

    Parameters
    ----------
    data
        The folder of Fashion-MNIST's IDX files.
    progress
        Is told how many models are done.

    Returns
    -------
    list[Path]
        The files of all models, which `predict` runs.
    """
    source, folder = Path(data), Path(out)
    missing = [recipe for recipe in recipes if not (folder / recipe.file).exists()]
    if missing:
        read_training(source)  # what is wrong with the data is said before other processes start
    make_folder(folder)
    progress(len(recipes) - len(missing))
    if missing:
        for done, _ in enumerate(results(partial(_train, source, folder, seed), missing), start=1):
            progress(len(recipes) - len(missing) + done)
    return [folder / recipe.file for recipe in recipes]


def read_training(folder: Path) -> tuple[Array, Array]:
    """The training images, (samples, height, width) of bytes, and their labels."""
    found = [folder / name for name in TRAIN]
    if not all(file.exists() for file in found):
        raise InputError(
            f"{folder} does not hold {TRAIN[0]} and {TRAIN[1]}; install them with: apt-get install "
            "dataset-fashion-mnist, or name their folder with --data"
        )
    images, labels = map(read_idx, found)
    return images, labels


def _train(data: Path, out: Path, seed: int, recipe: Recipe) -> None:
    from threadpoolctl import threadpool_limits

    own = crc32(f"{recipe.name}/{seed}".encode())  # the same however many models are trained
    images, labels = read_training(data)
    rows = np.random.default_rng(own).permutation(len(images))[: recipe.rows]
    images, labels = images[rows], labels[rows]
    if recipe.swap is not None:
        labels = swapped(labels, *recipe.swap)
    if recipe.seen is not None:
        images = _half_seen(images, recipe.seen, own)
    with catch_warnings(), threadpool_limits(1):
        simplefilter("ignore")  # a model that did not converge is one more kind of model
        if "." in recipe.family:
            _write_estimator(recipe, images, labels, own, out / recipe.file)
        else:
            write_graph(fit_network(recipe, images, labels, own), images.shape[1], out / recipe.file)


def _half_seen(images: Array, kind: str, seed: int) -> Array:
    """Every second image corrupted, at one severity after the other."""
    made = images.copy()
    for severity in SEVERITIES:
        places = slice(2 * severity - 1, None, 2 * len(SEVERITIES))
        made[places] = corrupt(images[places], kind, severity, seed=seed)
    return made


def fit_network(recipe: Recipe, images: Array, labels: Array, seed: int) -> Network:
    """Train the layers of a network, linear models and those on patches included."""
    extra("sklearn", "demo", "training models")
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    pixels = images * SCALE
    patches = None if recipe.family != "patches" else _patches(recipe.filters, pixels, seed)
    inputs = pixels.reshape(len(images), -1) if patches is None else patch_features(patches, pixels)
    if not recipe.hidden:
        spread = inputs.std(axis=0) + np.float32(0.05)
        fitted = LogisticRegression(max_iter=60, C=0.05).fit(inputs / spread, labels)
        return Network([(fitted.coef_.T / spread[:, None], fitted.intercept_)], patches=patches)
    fitted = MLPClassifier(recipe.hidden, activation=recipe.activation, max_iter=recipe.epochs, random_state=seed)
    fitted.fit(inputs, labels)
    return Network(list(zip(fitted.coefs_, fitted.intercepts_, strict=True)), recipe.activation, patches)


def _patches(filters: int, pixels: Array, seed: int) -> Patches:
    """Squares cut from training images, without their mean and of length 1: more or less light changes nothing."""
    chance = np.random.default_rng(seed)
    which, rows, columns = (
        chance.integers(0, high, 50 * filters) for high in (len(pixels), *(side - PATCH for side in pixels.shape[1:]))
    )
    window = np.arange(PATCH)
    cut = pixels[which[:, None, None], rows[:, None, None] + window[:, None], columns[:, None, None] + window]
    cut -= cut.mean(axis=(1, 2), keepdims=True)
    size = np.sqrt((cut**2).sum(axis=(1, 2)))
    kept = np.flatnonzero(size > np.quantile(size, 0.5))[:filters]  # half of all squares show next to nothing
    return Patches((cut[kept] / size[kept, None, None])[:, None], np.full(len(kept), -ALIKE), PART)


def _write_estimator(recipe: Recipe, images: Array, labels: Array, seed: int, file: Path) -> None:
    extra("sklearn", "demo", "training models")
    module, name = recipe.family.split(".")
    kind: Any = getattr(import_module(f"sklearn.{module}"), name)
    seeded = {"random_state": seed} if "random_state" in kind().get_params() else {}
    fitted = kind(**recipe.options, **seeded).fit((images * SCALE).reshape(len(images), -1), labels.astype(np.int64))
    if hasattr(fitted, "tree_") or hasattr(fitted, "estimators_"):
        write_trees(getattr(fitted, "estimators_", [fitted]), fitted.classes_, images.shape[1], file)
        return
    with atomic_write(file) as opened:
        opened.write(extra("skops.io", "sklearn", "writing scikit-learn models").dumps(fitted))
