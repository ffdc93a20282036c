"""The zoo of digits."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.experiments.tasks import load
from adjudge.experiments.zoo import digits as zoo
from adjudge.models.runners.sklearn import last_hidden


def test_the_zoo_is_trained_where_there_is_no_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_TASKS", str(tmp_path / "nothing"))
    (path,) = zoo.tasks_or_zoo((), tmp_path / "out")
    task = load(path)
    assert task.name == "digits"
    assert task.predictions.values.shape == (26, 899)
    assert task.with_features() == ("net-16", "net-100")
    assert [task.features(name).shape for name in task.with_features()] == [(899, 16), (899, 100)]
    probabilities = task.predictions.probabilities
    assert probabilities is not None
    without = [name for name, rows in zip(task.predictions.models, probabilities, strict=True) if np.isnan(rows).all()]
    assert {"ridge", "perceptron", "hinge-sgd", "svm-linear", "svm-rbf"} <= set(without)
    assert len(without) < 10
    known = ~np.isnan(probabilities).any(axis=(1, 2))
    agree = probabilities[known].argmax(axis=2) == task.predictions.values[known]
    assert agree.mean() > 0.99
    before = path.stat().st_mtime_ns
    assert zoo.tasks_or_zoo((), tmp_path / "out") == [path]
    assert path.stat().st_mtime_ns == before


def test_hidden_activations_lead_to_the_network_s_own_answer() -> None:
    name, network, images, _ = next(each for each in zoo.fitted(0) if each[0] == "net-16")
    scores = last_hidden(network, images) @ network.coefs_[-1] + network.intercepts_[-1]
    assert (scores.argmax(axis=1) == network.predict(images)).all(), name


def test_the_same_arrays_give_the_same_archive(tmp_path: Path) -> None:
    arrays = {"labels": np.arange(5), "model_names": np.array(["a", "b"])}
    for name in ("one.npz", "two.npz"):
        zoo.write_archive(tmp_path / name, arrays)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    with np.load(tmp_path / "one.npz") as stored:
        assert stored["model_names"].tolist() == ["a", "b"]
