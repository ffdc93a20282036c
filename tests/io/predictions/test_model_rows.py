"""Folders with a file for each model: samples are joined by id."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge.core.index import all_ids
from adjudge.errors import AdjudgeNote, PredictionsError
from adjudge.io import read


def model_files(folder: Path, **models: str) -> Path:
    inside = folder / "models"
    inside.mkdir(exist_ok=True)
    for name, text in models.items():
        (inside / f"{name}.csv").write_text(text)
    return inside


def test_folder_is_aligned_by_id(tmp_path: Path) -> None:
    folder = model_files(tmp_path, a="sample_id,prediction\n1,x\n2,y\n")
    parquet.write_table(pa.table({"id": [2, 1], "prediction": ["x", "y"]}), folder / "b.parquet")
    (folder / "README.md").write_text("not a model")
    (folder / ".hidden.csv").write_text("neither")
    pool = read(folder)
    assert (pool.models, pool.classes) == (("a", "b"), ("x", "y"))
    assert pool.values.tolist() == [[0, 1], [1, 0]]


def test_folder_with_probabilities(tmp_path: Path) -> None:
    rows = "id,prediction,p_x,p_y\n1,x,.75,.25\n2,y,.5,.5\n"
    folder = model_files(tmp_path, a=rows, b="id,prediction,p_y,p_x\n2,y,.75,.25\n1,x,.5,.5\n")
    pool = read(folder)
    assert pool.probabilities is not None
    assert pool.probabilities.tolist() == [[[0.75, 0.25], [0.5, 0.5]], [[0.5, 0.5], [0.25, 0.75]]]
    model_files(tmp_path, b="id,prediction\n1,x\n2,z\n")
    some = read(folder)
    assert (some.classes, some.declared) == (("x", "y", "z"), False)
    assert some.probabilities is not None
    np.testing.assert_array_equal(some.probabilities, [[[0.75, 0.25, 0], [0.5, 0.5, 0]], [[np.nan] * 3] * 2])


def test_folder_joins(tmp_path: Path) -> None:
    folder = model_files(tmp_path, a="id,prediction\n1,x\n2,y\n", b="id,prediction\n3,y\n2,y\n")
    with pytest.raises(PredictionsError, match=r"model 'a' has no prediction for 1 of 3 samples, '3' among them: --jo"):
        read(folder)
    with pytest.warns(AdjudgeNote, match="--join inner keeps 1 of 3 samples, those of all 2 models"):
        inner = read(folder, join="inner")
    with pytest.warns(AdjudgeNote, match="--join outer keeps all 3, with 2 of 6 predictions missing"):
        outer = read(folder, join="outer")
    assert all_ids(inner.samples).to_pylist() == ["2"]
    assert all_ids(outer.samples).to_pylist() == ["1", "2", "3"]
    assert outer.values.tolist() == [[0, 1, -1], [-1, 1, 1]]
    model_files(tmp_path, b="id,prediction\n1,x\n2,y\n3,x\n")
    with pytest.raises(
        PredictionsError, match=r"inner keeps 2 of 3 samples, .*; --join outer keeps all 3, with 1 of 6"
    ):
        read(folder)
    model_files(tmp_path, b="id,prediction\n9,x\n")
    with pytest.raises(PredictionsError, match="no sample is predicted by every model"):
        read(folder, join="inner")


def test_folder_that_does_not_fit_gives_one_sentence(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(PredictionsError, match=r"the folder empty holds no file that ends in .csv"):
        read(empty)
    folder = model_files(tmp_path, a="id,prediction\n1,x\n1,y\n")
    with pytest.raises(PredictionsError, match=r"the sample id '1' occurs more than once in a.csv"):
        read(folder)
    model_files(tmp_path, a="id,label\n1,x\n")
    with pytest.raises(
        PredictionsError, match=r"a.csv has no column .* 'label' may be the truth; .* --prediction-column label"
    ):
        read(folder)
    model_files(tmp_path, a="id,prediction\n")
    with pytest.raises(PredictionsError, match=r"a.csv has column names but no rows"):
        read(folder)
    model_files(tmp_path, a="id,prediction\n1,x\n")
    with pytest.raises(PredictionsError, match="no file has a column 'text'"):
        read(folder, columns=("text",))
    np.save(folder / "b.npy", np.array([1]))
    with pytest.raises(PredictionsError, match=r"a.csv has sample ids but b.npy has none"):
        read(folder)
    np.save(folder / "a.npy", np.array([1]))
    with pytest.raises(PredictionsError, match=r"a.csv and a.npy name the same model"):
        read(folder)


def test_folder_of_vectors(tmp_path: Path) -> None:
    for name, codes in (("a", [0, 1, -1]), ("b", [1, 1, 0])):
        np.save(tmp_path / f"{name}.npy", np.array(codes))
    pool = read(tmp_path)
    assert (pool.models, pool.samples, pool.values.tolist()) == (("a", "b"), range(3), [[0, 1, -1], [1, 1, 0]])
    np.save(tmp_path / "b.npy", np.array([1, 1]))
    with pytest.raises(PredictionsError, match=r"b.npy has 2 predictions but a.npy has 3; pass the same samples"):
        read(tmp_path)
    np.save(tmp_path / "b.npy", np.array([[1, 1]]))
    with pytest.raises(PredictionsError, match=r"b.npy has the shape \(1, 2\); a file of a folder holds"):
        read(tmp_path)
