"""npy and npz files, and folders of one file a model."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge.core.index import all_ids
from adjudge.errors import AdjudgeNote, PredictionsError
from adjudge.io import read

CODES = np.array([[0, 1, 2], [0, -1, 1]])


def stored(folder: Path, **arrays: Any) -> Path:
    path = folder / "preds.npz"
    np.savez(path, **arrays)
    return path


def test_npz_with_everything(tmp_path: Path) -> None:
    probabilities = np.full((2, 3, 3), 1 / 3, dtype=np.float16)
    path = stored(
        tmp_path,
        predictions=CODES,
        model_names=np.array(["a", "b"]),
        class_names=np.array(["x", "y", "z"]),
        sample_ids=np.array([b"s1", b"s2", b"s3"]),
        probabilities=probabilities,
        labels=np.array([0, 1, 2]),
        source=np.array("by hand"),
    )
    pool = read(path)
    assert (pool.models, pool.classes) == (("a", "b"), ("x", "y", "z"))
    assert all_ids(pool.samples).to_pylist() == ["s1", "s2", "s3"]
    assert pool.values.tolist() == CODES.tolist()
    assert pool.probabilities is not None
    assert pool.probabilities.dtype == np.float16


def test_npz_with_predictions_only(tmp_path: Path) -> None:
    pool = read(stored(tmp_path, predictions=CODES))
    assert (pool.models, pool.samples, pool.classes) == (("model_0", "model_1"), range(3), ("0", "1", "2"))


def test_npz_takes_the_number_of_classes_from_probabilities(tmp_path: Path) -> None:
    pool = read(stored(tmp_path, predictions=CODES, probabilities=np.full((2, 3, 4), 0.25)))
    assert pool.classes == ("0", "1", "2", "3")


def test_npz_with_declared_classes(tmp_path: Path) -> None:
    path = stored(tmp_path, predictions=CODES)
    assert read(path, classes=("x", "y", "z")).values.tolist() == CODES.tolist()
    assert read(path, classes=("2", "1", "0")).values.tolist() == [[2, 1, 0], [2, -1, 1]]
    with pytest.raises(PredictionsError, match=r"preds.npz: model 'model_0' at sample '2' predicts '2', which is none"):
        read(path, classes=("0", "1"))
    with pytest.raises(PredictionsError, match="predicts the code 2 but 2 classes are named"):
        read(path, classes=("x", "y"))
    with pytest.raises(PredictionsError, match="leave out one"):
        read(path, classes=("x", "y"), regression=True)
    with pytest.raises(PredictionsError, match="declared for a regression"):
        read(stored(tmp_path, predictions=CODES + 0.5), classes=("0", "1"))


def test_npz_moves_probabilities_with_declared_classes(tmp_path: Path) -> None:
    path = stored(
        tmp_path,
        predictions=np.array([[0, 1]]),
        class_names=np.array(["x", "y", "z"]),
        probabilities=np.array([[[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]]),
    )
    pool = read(path, classes=("z", "x", "y"))
    assert pool.values.tolist() == [[1, 2]]
    assert pool.probabilities is not None
    np.testing.assert_allclose(pool.probabilities, [[[0.1, 0.7, 0.2], [0.3, 0.1, 0.6]]])
    with pytest.raises(PredictionsError, match="others are declared; declare the same"):
        read(path, classes=("x", "y", "w"))


def test_npz_regression(tmp_path: Path) -> None:
    pool = read(stored(tmp_path, predictions=np.array([[0.5, np.nan]], dtype=np.float32)))
    assert pool.classes is None
    np.testing.assert_array_equal(pool.values, [[0.5, np.nan]])


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"labels": [1]}, r"preds.npz holds 'labels' but no 'predictions'; add it"),
        ({"predictions": [1, 2]}, r"preds.npz: predictions have the shape \(2,\); store them as \(models, samples\)"),
        (
            {"predictions": [[1]], "model_names": ["a", "b"]},
            r"model_names has the shape \(2,\) in preds.npz but 1 names",
        ),
        (
            {"predictions": [[1]], "sample_ids": ["a", "b"]},
            r"sample_ids has the shape \(2,\) in preds.npz but 1 samples",
        ),
        ({"predictions": [[1]], "class_names": "x"}, r"class_names has the shape \(\) in preds.npz"),
        (
            {"predictions": [[1]], "class_names": ["x"]},
            r"model 'model_0' at sample '0' predicts the code 1 but 1 classes",
        ),
        (
            {"predictions": [[1]], "probabilities": [[1.0]]},
            r"probabilities are stored as float64 with the shape \(1, 1\)",
        ),
        ({"predictions": [[0]], "probabilities": [[[[0.5]]]]}, r"with the shape \(1, 1, 1, 1\)"),
        (
            {"predictions": [[0, 0]], "probabilities": [[[1.0]]]},
            r"preds.npz: probabilities have the shape \(1, 1, 1\) but",
        ),
        ({"predictions": [[0.5, np.inf]]}, r"preds.npz: model 'model_0' at sample '1' predicts an infinite value"),
        ({"predictions": [[1]], "sample_ids": [b"\xff"]}, r"names or ids are stored as \|S1; store them as text"),
    ],
)
def test_npz_that_does_not_fit_gives_one_sentence(tmp_path: Path, arrays: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PredictionsError, match=sentence):
        read(stored(tmp_path, **{name: np.array(value) for name, value in arrays.items()}))


def test_npz_with_object_arrays_is_never_unpickled(tmp_path: Path) -> None:
    path = stored(tmp_path, predictions=np.array([["a", None]], dtype=object))
    with pytest.raises(
        PredictionsError, match=r"preds.npz cannot be read \(Object arrays.*store 'predictions' as numbers"
    ):
        read(path)
    np.save(tmp_path / "preds.npy", np.array([["a", None]], dtype=object))
    with pytest.raises(PredictionsError, match=r"preds.npy cannot be read \(.*store numbers or text"):
        read(tmp_path / "preds.npy")


def test_npz_that_is_damaged_gives_one_sentence(tmp_path: Path) -> None:
    path = stored(tmp_path, predictions=np.zeros((50, 50), dtype=np.int8))
    whole = path.read_bytes()
    path.write_bytes(whole[:1000])
    with pytest.raises(PredictionsError, match=r"preds.npz cannot be read \(.*\); it may be damaged or cut short"):
        read(path)
    path.write_bytes(whole[:500] + b"\x07" + whole[501:])
    with pytest.raises(PredictionsError, match=r"preds.npz cannot be read \(Bad CRC-32.*write the file again"):
        read(path)
    path.write_text("sample_id,a\n")
    with pytest.raises(PredictionsError, match=r"preds.npz is named .npz but is not a zip archive"):
        read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("predictions", "not an array")
    with pytest.raises(PredictionsError, match="does not hold 'predictions' as an array"):
        read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<a/>")
    with pytest.raises(PredictionsError, match=r"preds.npz holds 'xl/workbook.xml' but no 'predictions'"):
        read(path)


def test_npy_stays_on_disk(tmp_path: Path) -> None:
    np.save(tmp_path / "preds.npy", CODES.astype(np.int8))
    pool = read(tmp_path / "preds.npy")
    assert (pool.models, pool.classes) == (("model_0", "model_1"), ("0", "1", "2"))
    assert pool.values.tolist() == CODES.tolist()
    assert isinstance(pool.values, np.memmap)


def test_npy_that_is_damaged_gives_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "preds.npy"
    np.save(path, np.zeros((50, 50)))
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(PredictionsError, match=r"preds.npy cannot be read"):
        read(path)
    np.save(path, np.zeros(5))
    with pytest.raises(PredictionsError, match=r"preds.npy: predictions have the shape \(5,\)"):
        read(path)


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


def test_auxiliary_arrays_of_another_shape_or_kind_are_left_alone(tmp_path: Path) -> None:
    arrays = {
        "auxiliary_lsa": np.arange(6).reshape(2, 3),
        "auxiliary_images": np.zeros((3, 4, 4)),
        "auxiliary_short": np.zeros(2),
        "auxiliary_domain": np.array(["sea", "sky", "sea"]),
        "auxiliary_objects": np.array([{}, {}, {}], dtype=object),
    }
    np.savez(tmp_path / "pool.npz", predictions=np.zeros((2, 3), dtype=np.int8), **arrays, allow_pickle=True)
    pool = read(tmp_path / "pool.npz")
    assert list(pool.auxiliary) == ["lsa"]
    assert pool.columns is None  # nothing to slice by, to group by or to show
