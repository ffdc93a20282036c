"""Published Keras 2 files run unchanged and give what their authors' framework gave."""

import os
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.models.datasets import read_idx
from tests.support.pools import TASKS, Task
from tests.support.repeated import repeated

FASHION = Path(os.environ.get("FASHION_MNIST", "/usr/share/datasets/fashion-mnist"))  # where Debian's package puts it
MODELS = TASKS.parent / "models"
ACCURACY = {"sds-model-1": 0.9096, "sds-model-3": 0.9315, "sds-model-19": 0.9305}


@repeated(1000, 10_000)
@pytest.mark.parametrize("name", ACCURACY)
def test_accuracy_and_features_of_the_published_models(task: Task, name: str, repeats: int) -> None:
    """On so many images; the published accuracy is that on all of them, the stored values are one for one."""
    pytest.importorskip("openvino", reason="needs the extra 'keras'")
    images = FASHION / "t10k-images-idx3-ubyte.gz"
    if not images.exists():
        pytest.skip("Fashion-MNIST is not there; install Debian's package dataset-fashion-mnist")
    if not (MODELS / f"{name}.h5").exists():
        pytest.skip(f"{name}.h5 is not in {MODELS.name}, beside the tasks")
    found = adjudge.predict(MODELS / f"{name}.h5", read_idx(images)[:repeats], features=True, probabilities=True)
    truth = read_idx(FASHION / "t10k-labels-idx1-ubyte.gz")
    with np.load(task("fashion_sds9")) as stored:
        place = stored["model_names"].tolist().index(name)
        said = stored["predictions"][place]
        features = stored[f"features_{place}"][:repeats].astype(np.float32)
        probabilities = stored["probabilities"][place][:repeats].astype(np.float32)
    assert (said == truth).mean() == pytest.approx(ACCURACY[name], abs=1e-9)
    np.testing.assert_array_equal(found.predictions.values[0], said[:repeats])
    np.testing.assert_allclose(found.features[name], features, rtol=2**-10, atol=1e-4)
    assert found.predictions.probabilities is not None
    np.testing.assert_allclose(found.predictions.probabilities[0], probabilities, rtol=2**-10, atol=1e-5)


def test_inner_layers_of_a_published_model() -> None:
    """Pooling and flattening are simple enough to be done again from the values of the layer before."""
    pytest.importorskip("openvino", reason="needs the extra 'keras'")
    images, model = FASHION / "t10k-images-idx3-ubyte.gz", MODELS / "sds-model-3.h5"
    if not images.exists() or not model.exists():
        pytest.skip("Fashion-MNIST or sds-model-3.h5 is not there")
    few = read_idx(images)[:100]
    layers = ("conv2d_4", "max_pooling2d_2", "flatten_1", "dense_2", -1, -4)
    found = {each: adjudge.predict(model, few, features=each, probabilities=True) for each in layers}
    convolved, pooled, flat, last, counted, fourth = (each.features["sds-model-3"] for each in found.values())
    assert convolved.shape == (100, 8 * 8 * 64)
    largest = convolved.reshape(100, 4, 2, 4, 2, 64).max(axis=(2, 4))
    np.testing.assert_array_equal(pooled, largest.reshape(100, -1))
    np.testing.assert_array_equal(flat, pooled)
    np.testing.assert_array_equal(fourth, flat)
    np.testing.assert_array_equal(counted, last)
    probabilities = found[-1].predictions.probabilities
    assert probabilities is not None
    np.testing.assert_allclose(last, probabilities[0], atol=1e-6)
