"""`adjudge predict` as a user calls it."""

import json
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.prediction import Predicted, write_predicted
from adjudge.readers import read
from commands import adjudge, as_json, refused

GUESS = """
import numpy as np

def bright(rows):
    high = rows.reshape(len(rows), -1).mean(axis=1) > 127
    return np.where(high[:, None], [0.25, 0.75], [0.75, 0.25])

def corner(rows):
    return (rows[:, 0, 0, 0] > 127).astype(int)

def broken(rows):
    raise ValueError("no luck")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Images, and functions to run on them."""
    (tmp_path / "guess.py").write_text(GUESS)
    images = np.random.default_rng(0).integers(0, 256, (30, 6, 6), dtype=np.uint8)
    np.save(tmp_path / "images.npy", images)
    return tmp_path


def test_predict_then_rank(folder: Path) -> None:
    models = [f"{folder / 'guess.py'}:bright", "guess:corner"]
    call = ["predict", *models, "--data", "images.npy", "--probabilities", "--features", "last"]
    done = adjudge(*call, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "bright" in done.stdout
    assert "warning: corner gives no features: a function shows no layers" in done.stderr
    assert "now: adjudge rank predictions.parquet" in done.stderr
    pool = read(folder / "predictions.parquet")
    assert (pool.models, pool.classes) == (("bright", "corner"), ("0", "1"))
    assert pool.probabilities is not None
    assert as_json("rank", folder / "predictions.parquet")["models"]
    again = adjudge(*call, "--json", folder=folder)
    assert [each["reused"] for each in json.loads(again.stdout)["models"]] == [True, True]


def test_select_finds_the_features_next_to_a_table(folder: Path) -> None:
    pool = Predictions(np.arange(30)[np.newaxis] % 2, ("net",), range(30), ("a", "b"))
    features = np.random.default_rng(0).normal(size=(30, 5))
    write_predicted(Predicted(pool, {"net": features}), folder / "pool.parquet")
    call = ("select", folder / "pool.parquet", "--method", "ces", "--model", "net", "--budget", "10")
    assert len(as_json(*call)["picks"]) == 10
    (folder / "pool.features.npz").unlink()
    assert "pool.parquet" in refused(*call)


def test_a_failing_model_is_told_and_the_others_are_written(folder: Path) -> None:
    source = folder / "guess.py"
    done = adjudge("predict", f"{source}:broken", f"{source}:corner", "--data", "images.npy", folder=folder)
    assert done.returncode == 2
    assert (
        "warning: left out: guess.py:broken: it failed on inputs of uint8 in the shape (30, 6, 6, 1) (no luck)"
        in done.stderr
    )
    assert "error: 1 of the models failed, as told above; predictions.parquet holds the others" in done.stderr
    assert read(folder / "predictions.parquet").models == ("corner",)


def test_bad_calls_are_refused(folder: Path) -> None:
    data = folder / "images.npy"
    assert "does not exist; check the path of the data" in refused("predict", "a.onnx", "--data", folder / "none")
    assert "is no model that can be run" in refused("predict", "a.exe", "--data", data)
    out = folder / "no" / "folder.parquet"
    assert "a.onnx does not exist" in refused("predict", "a.onnx", "--data", data)
    (folder / "broken.csv").write_bytes(b"\xff\xfe\x00")
    assert "broken.csv" in refused("predict", folder / "broken.csv", "--data", data, "--out", folder / "said.csv")
    assert not (folder / "said.runs").exists()
    assert "does not exist" in refused("predict", f"{folder}/guess.py:corner", "--data", data, "--out", out)
    assert "ends in '.txt'" in refused(
        "predict", f"{folder}/guess.py:corner", "--data", data, "--out", folder / "a.txt"
    )
