"""Published Keras 2 files run unchanged and give what their authors' framework gave."""

import os
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.datasets import read_data, read_idx
from conftest import TASKS, Task

FASHION = Path(os.environ.get("FASHION_MNIST", "/usr/share/datasets/fashion-mnist"))  # where Debian's package puts it
MODELS = TASKS.parent / "models"
ACCURACY = {"sds-model-1": 0.9096, "sds-model-3": 0.9315, "sds-model-19": 0.9305}


@pytest.mark.parametrize("name", ACCURACY)
def test_accuracy_and_features_of_the_published_models(task: Task, name: str) -> None:
    pytest.importorskip("openvino", reason="needs the extra 'keras'")
    images = FASHION / "t10k-images-idx3-ubyte.gz"
    if not images.exists():
        pytest.skip("Fashion-MNIST is not there; install Debian's package dataset-fashion-mnist")
    if not (MODELS / f"{name}.h5").exists():
        pytest.skip(f"{name}.h5 is not in {MODELS.name}, beside the tasks")
    found = adjudge.predict(MODELS / f"{name}.h5", read_data(images), features=True, probabilities=True)
    truth = read_idx(FASHION / "t10k-labels-idx1-ubyte.gz")
    assert (found.predictions.values[0] == truth).mean() == pytest.approx(ACCURACY[name], abs=1e-9)
    with np.load(task("fashion_sds9")) as stored:
        place = stored["model_names"].tolist().index(name)
        features = stored[f"features_{place}"].astype(np.float32)
        probabilities = stored["probabilities"][place].astype(np.float32)
    np.testing.assert_allclose(found.features[name], features, rtol=2**-10, atol=1e-4)
    assert found.predictions.probabilities is not None
    np.testing.assert_allclose(found.predictions.probabilities[0], probabilities, rtol=2**-10, atol=1e-5)
