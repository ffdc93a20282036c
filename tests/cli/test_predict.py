"""`adjudge predict` as a user calls it."""

import json
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.io import read
from adjudge.models.prediction import Predicted, write_predicted
from tests.support.commands import adjudge, adjudge_process, as_json, refused

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
    """In a process of its own: a model may be a module of the folder in which the command is called."""
    models = [f"{folder / 'guess.py'}:bright", "guess:corner"]
    call = ["predict", *models, "--data", "images.npy", "--probabilities", "--features", "last"]
    done = adjudge_process(*call, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "bright" in done.stdout
    assert "warning: corner gives no features: a function shows no layers" in done.stderr
    assert "now: adjudge rank predictions.parquet" in done.stderr
    pool = read(folder / "predictions.parquet")
    assert (pool.models, pool.classes) == (("bright", "corner"), ("0", "1"))
    assert pool.probabilities is not None
    assert as_json("rank", folder / "predictions.parquet")["models"]
    again = adjudge_process(*call, "--json", folder=folder)
    assert [each["reused"] for each in json.loads(again.stdout)["models"]] == [True, True]


def test_select_finds_the_features_next_to_a_table(folder: Path) -> None:
    pool = Predictions(np.arange(30)[np.newaxis] % 2, ("net",), range(30), ("a", "b"))
    features = np.random.default_rng(0).normal(size=(30, 5))
    write_predicted(Predicted(pool, {"net": features}), folder / "pool.parquet")
    call = ("select", folder / "pool.parquet", "--method", "ces", "--model", "net", "--budget", "10")
    assert len(as_json(*call)["picks"]) == 10
    (folder / "pool.features.npz").unlink()
    assert "pool.parquet" in refused(*call)


def test_labels_make_a_pool_with_its_truth(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    truth = np.arange(30) % 2
    np.save(folder / "y.npy", truth)
    models = ("guess.py:bright", "guess.py:corner")
    call = ("predict", *models, "--data", "images.npy", "--probabilities", "--out", "mine.npz")
    done = adjudge(*call, "--labels", "y.npy")
    assert done.returncode == 0, done.stderr
    with np.load(folder / "mine.npz") as stored:
        assert stored["labels"].tolist() == truth.tolist()
        assert stored["probabilities"].shape == (2, 30, 2)
    alone = ("simulate", folder / "mine.npz", "--method", "random", "--budget", 5, "--seeds", 2)
    assert as_json(*alone) == as_json(*alone, "--truth", folder / "y.npy")


def test_labels_go_by_id_and_into_every_shifted_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tell.py").write_text("def sign(rows):\n    return ['low' if row[0] < 0 else 'high' for row in rows]\n")
    (tmp_path / "data.csv").write_text("id,x,y\na,1,2\nb,-1,3\nc,2,4\nd,-3,5\n")
    (tmp_path / "y.csv").write_text("id,label\nd,low\nc,high\nb,high\na,\ne,low\n")
    words = ("--data", "data.csv", "--labels", "y.csv", "--out", "mine.npz", "--corrupt", "feature-noise")
    done = adjudge("predict", "tell.py:sign", *words, "--severity", "1,5")
    assert done.returncode == 0, done.stderr
    files = sorted(tmp_path.glob("*.npz"))
    assert [each.name for each in files] == ["mine.npz", "mine_feature-noise1.npz", "mine_feature-noise5.npz"]
    for file in files:
        with np.load(file) as stored:
            names = [*stored["class_names"].tolist(), None]
            assert [names[each] for each in stored["labels"]] == [None, "high", "high", "low"]


def test_labels_that_do_not_fit_are_told_before_any_model_runs(folder: Path) -> None:
    (folder / "loud.py").write_text("raise RuntimeError('it was run')\n")
    np.save(folder / "y.npy", np.arange(29))
    call = ("predict", f"{folder / 'loud.py'}:any", "--data", folder / "images.npy", "--labels")
    out = ("--out", folder / "mine.npz")
    assert "29 labels without ids do not fit 30 samples" in refused(*call, folder / "y.npy", *out)
    (folder / "y.csv").write_text("id,label\n0,1\n1,0\n")
    assert "28 of 30 samples have no label in y.csv, '2' among them" in refused(*call, folder / "y.csv", *out)
    parquet = refused(*call, folder / "y.npy", "--out", folder / "mine.parquet")
    assert "mine.parquet cannot hold labels; write an npz file: --out mine.npz" in parquet
    assert not (folder / "mine.runs").exists()


def test_a_failing_model_is_told_and_the_others_are_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    source = folder / "guess.py"
    done = adjudge("predict", f"{source}:broken", f"{source}:corner", "--data", "images.npy")
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
    assert "is not a model that can be run" in refused("predict", "a.exe", "--data", data)
    out = folder / "no" / "folder.parquet"
    assert "a.onnx does not exist" in refused("predict", "a.onnx", "--data", data)
    (folder / "broken.csv").write_bytes(b"\xff\xfe\x00")
    assert "broken.csv" in refused("predict", folder / "broken.csv", "--data", data, "--out", folder / "said.csv")
    assert not (folder / "said.runs").exists()
    assert "does not exist" in refused("predict", f"{folder}/guess.py:corner", "--data", data, "--out", out)
    assert "ends in '.txt'" in refused(
        "predict", f"{folder}/guess.py:corner", "--data", data, "--out", folder / "a.txt"
    )
