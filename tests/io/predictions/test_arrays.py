"""npy and npz files."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge.core.index import all_ids
from adjudge.errors import PredictionsError
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
