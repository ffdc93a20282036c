"""The Fashion-MNIST zoo, on a small stand-in: files that the runtimes run, equal to what was trained."""

import gzip
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.tree import DecisionTreeClassifier

from adjudge.core.arrays import Array
from adjudge.experiments.zoo.fashion import TRAIN, fit_network, train_zoo
from adjudge.experiments.zoo.graphs import INPUT, write_graph
from adjudge.experiments.zoo.recipes import RECIPES
from adjudge.experiments.zoo.trees import write_trees
from adjudge.models.corruptions.labels import SWAPS
from adjudge.models.datasets import read_idx
from tests.support.commands import refused

SMALL = ("linear-1000", "net-16", "net-32-tanh", "seen-brightness", "mutant-8-0", "patches-16", "tree", "bayes")


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Array, Array]:
    """Scanned digits in files as those of Fashion-MNIST."""
    small, labels = load_digits(return_X_y=True)
    images = (np.kron(small.reshape(-1, 8, 8), np.ones((4, 4)))[:, 2:30, 2:30] * 15.9).astype(np.uint8)
    folder = tmp_path_factory.mktemp("digits")
    for name, array in zip(TRAIN, (images, labels.astype(np.uint8)), strict=True):
        head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
        (folder / name).write_bytes(gzip.compress(head + array.tobytes()))
    return folder, images, labels


def run(path: Path, images: Array) -> Array:
    """Probabilities by the file alone."""
    session = onnxruntime.InferenceSession(path)
    pixels = (images * np.float32(1 / 255)).astype(np.float32)
    shaped = pixels[:, None] if len(session.get_inputs()[0].shape) == 4 else pixels.reshape(len(pixels), -1)
    return np.asarray(session.run(None, {INPUT: shaped})[-1])


def test_there_are_twenty_five() -> None:
    assert len({recipe.name for recipe in RECIPES}) == len(RECIPES) == 25
    assert [recipe.swap for recipe in RECIPES if recipe.swap] == list(SWAPS)


def test_models_are_trained_once_and_know_the_digits(digits: tuple[Path, Array, Array], tmp_path: Path) -> None:
    folder, images, labels = digits
    chosen = [recipe for recipe in RECIPES if recipe.name in SMALL]
    files = train_zoo(folder, tmp_path, recipes=chosen)
    accuracy = {}
    for file in files:
        if file.suffix == ".onnx":
            accuracy[file.stem] = (run(file, images).argmax(axis=1) == labels).mean()
        else:
            import skops.io  # it looks through all of scikit-learn, which takes seconds

            model = skops.io.load(file)
            accuracy[file.stem] = (model.predict(images.reshape(len(images), -1) / 255) == labels).mean()
    swapped = np.isin(labels, SWAPS[0]).mean()
    assert accuracy.pop("mutant-8-0") == pytest.approx(1 - swapped, abs=0.06)
    assert all(each > 0.8 for each in accuracy.values()), accuracy
    before = [file.stat().st_mtime_ns for file in files]
    assert [file.stat().st_mtime_ns for file in train_zoo(folder, tmp_path, recipes=chosen)] == before
    again = train_zoo(folder, tmp_path / "again", recipes=chosen[1:2])
    assert again[0].read_bytes() == files[1].read_bytes()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ["net-64-64", "net-64-logistic", "patches-64-64"])
def test_a_graph_computes_what_its_layers_do(name: str, digits: tuple[Path, Array, Array], tmp_path: Path) -> None:
    _, images, labels = digits
    recipe = next(each for each in RECIPES if each.name == name)
    network = fit_network(recipe, images[:300], labels[:300], 0)
    write_graph(network, 28, tmp_path / "net.onnx")
    values = (images[:50] * np.float32(1 / 255)).astype(np.float64)
    if network.patches is not None:
        squares = np.lib.stride_tricks.sliding_window_view(values, (5, 5), axis=(1, 2))
        like = (
            np.einsum("nhwij,fij->nfhw", squares, network.patches.filters[:, 0]) + network.patches.offset[:, None, None]
        )
        values = np.maximum(like, 0).reshape(50, -1, 6, 4, 6, 4).mean(axis=(3, 5))
    values = values.reshape(50, -1)
    for weights, offset in network.layers[:-1]:
        values = values @ weights + offset
        values = np.maximum(values, 0) if recipe.activation == "relu" else 1 / (1 + np.exp(-values))
    scores = values @ network.layers[-1][0] + network.layers[-1][1]
    chance = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        run(tmp_path / "net.onnx", images[:50]), chance / chance.sum(axis=1, keepdims=True), atol=1e-5
    )


def test_trees_are_exact(digits: tuple[Path, Array, Array], tmp_path: Path) -> None:
    _, images, labels = digits
    flat = (images * np.float32(1 / 255)).reshape(len(images), -1)
    for model in (DecisionTreeClassifier(random_state=0), ExtraTreesClassifier(7, max_depth=6, random_state=0)):
        model.fit(flat[:900], labels[:900])
        write_trees(getattr(model, "estimators_", [model]), model.classes_, 28, tmp_path / "trees.onnx")
        np.testing.assert_allclose(run(tmp_path / "trees.onnx", images), model.predict_proba(flat), atol=1e-6)


def test_missing_data_is_told(tmp_path: Path, digits: tuple[Path, Array, Array]) -> None:
    assert "dataset-fashion-mnist" in refused("zoo", "--data", tmp_path, "--out", tmp_path / "zoo")
    assert not (tmp_path / "zoo").exists()
    assert read_idx(digits[0] / TRAIN[1]).shape == (1797,)
