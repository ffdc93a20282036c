"""A tiny model of every kind, run for real, says what its own library says."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.errors import AdjudgeWarning
from tests.support import tiny_models as tiny
from tests.support.tiny_models import Tiny

KINDS: dict[str, Callable[[Path], Tiny]] = {
    "keras": lambda folder: tiny.keras_file(folder / "net.keras"),
    "h5": lambda folder: tiny.keras_file(folder / "net.h5"),
    "onnx": lambda folder: tiny.onnx_graph(folder / "net.onnx"),
    "onnx, side file": lambda folder: tiny.onnx_graph(folder / "net.onnx", side_file=True),
    "onnx, logits": lambda folder: tiny.onnx_graph(folder / "net.onnx", softmax=False),
    "onnx, fixed batch": lambda folder: tiny.onnx_graph(folder / "net.onnx", batch=8),
    "pt2": tiny.exported,
    "pt2, fixed batch": lambda folder: tiny.exported(folder, batch=8),
    "torchscript": tiny.scripted,
    "module": tiny.built,
    "skops": tiny.network,
    "joblib": lambda folder: tiny.network(folder, ".joblib"),
}
TRUSTED = ("pt2", "pt2, fixed batch", "torchscript", "joblib")  # what can run any code when it is opened


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_what_its_own_library_says(tmp_path: Path, kind: str) -> None:
    made = KINDS[kind](tmp_path)
    images = tiny.images()
    found = adjudge.predict(
        made.path, images, probabilities=True, features=made.features is not None, trust=kind in TRUSTED, batch=16
    )
    pool = found.predictions
    assert pool.models == ("net",)
    assert pool.classes == tuple(map(str, range(tiny.CLASSES)))
    assert pool.probabilities is not None
    np.testing.assert_allclose(pool.probabilities[0], made.probabilities, atol=1e-5)
    np.testing.assert_array_equal(pool.values[0], made.probabilities.argmax(axis=1))
    assert len(np.unique(pool.values)) > 1
    if made.features is None:
        assert not found.features
    else:
        np.testing.assert_allclose(found.features["net"], made.features, atol=1e-5)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_kind_that_cannot_give_features_is_run_without(tmp_path: Path) -> None:
    made = tiny.scripted(tmp_path)
    with pytest.warns(AdjudgeWarning, match="net gives no features: TorchScript does not let one look inside"):
        found = adjudge.predict(made.path, tiny.images(), features=True, trust=True)
    assert not found.features
    np.testing.assert_array_equal(found.predictions.values[0], made.probabilities.argmax(axis=1))


def test_an_old_sequential_without_input_layer_runs(tmp_path: Path) -> None:
    """As Keras 2 wrote them: the first layer tells the shape of the input."""
    import json

    h5py = tiny.need("h5py", "keras")
    made = tiny.keras_file(tmp_path / "new.h5")
    path = tmp_path / "old.h5"
    with h5py.File(made.path) as new, h5py.File(path, "w") as old:
        new.copy("model_weights", old)
        config = json.loads(new.attrs["model_config"])
        layers = config["config"]["layers"]
        kept = [{"class_name": each["class_name"], "config": each["config"]} for each in layers[1:]]
        kept[0]["config"]["batch_input_shape"] = [None, *tiny.SHAPE]
        old.attrs["model_config"] = json.dumps(
            {"class_name": "Sequential", "config": {"name": "sequential", "layers": kept}}
        )
        old.attrs["keras_version"] = "2.3.1"
        old.attrs["backend"] = "tensorflow"
    before = path.read_bytes()
    found = adjudge.predict(path, tiny.images(), probabilities=True, features=True)
    assert found.predictions.probabilities is not None
    np.testing.assert_allclose(found.predictions.probabilities[0], made.probabilities, atol=1e-5)
    assert made.features is not None
    np.testing.assert_allclose(found.features["old"], made.features, atol=1e-5)
    assert path.read_bytes() == before


def test_a_named_layer_is_taken_for_features(tmp_path: Path) -> None:
    made = tiny.onnx_graph(tmp_path / "net.onnx")
    (tmp_path / "net.toml").write_text('layer = "scores"\n')
    found = adjudge.predict(made.path, tiny.images(), features=True)
    assert found.features["net"].shape == (50, tiny.CLASSES)
