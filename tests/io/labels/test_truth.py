"""True values, aligned by id."""

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge.core.index import as_index
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, LabelsError
from adjudge.io import read, read_truth, write_truth
from adjudge.io import truth_of as read_labels_of

POOL = Predictions(np.array([[0, 1, 0]]), ("a",), as_index(["s1", "s2", "s3"]), ("cat", "dog"))
NUMBERED = Predictions(np.array([[0, 1, 0]]), ("a",), range(3), ("3", "7"))
NUMBERS = Predictions(np.array([[0.5, 1.0, 2.0]]), ("a",), range(3), None)


def truth_of(path: Path, pool: Predictions, **options: str) -> list[float | None]:
    values = read_truth(path, pool, **options)[1]
    return [None if np.isnan(each) else float(each) for each in values]


@pytest.mark.parametrize("column", ["label", "truth"])
def test_truth_from_csv_is_aligned_by_id(tmp_path: Path, column: str) -> None:
    path = tmp_path / "truth.csv"
    path.write_text(f"sample_id,{column}\ns3,dog\ns9,bird\ns1, cat \ns2,\ns1,cat\n")
    assert truth_of(path, POOL) == [0, None, 1]
    path.write_text(f"image,{column}\ns3,dog\ns1,cat\n")
    assert truth_of(path, POOL, id="image") == [0, None, 1]


def test_truth_that_a_spreadsheet_saved_is_found_by_its_numbers(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("sample_id,label\n7,dog\n8,cat\n10,cat\n")
    with pytest.warns(AdjudgeWarning, match=r"2 of 3 ids in truth.csv have lost zeros .*'7' is '007' for one"):
        assert truth_of(path, replace(POOL, samples=as_index(["007", "008", "009"]))) == [1, 0, None]


def test_truth_from_parquet(tmp_path: Path) -> None:
    path = tmp_path / "truth.parquet"
    parquet.write_table(pa.table({"id": [1, 0], "label": [7.0, None]}), path)
    assert truth_of(path, NUMBERED) == [None, 1, None]
    small = pa.array([0.1, None], pa.float32())
    parquet.write_table(pa.table({"id": [1, 0], "label": small}), path)
    assert truth_of(path, NUMBERS) == [None, float(np.float32(0.1)), None]
    parquet.write_table(pa.table({"id": [1, 0], "label": [True, False]}), path)
    pool = Predictions(np.array([[0, 1]]), ("a",), range(2), ("False", "True"))
    assert truth_of(path, pool) == [0, 1]


@pytest.mark.parametrize(
    ("arrays", "pool", "expected"),
    [
        ({"labels": [1, 0, -1], "class_names": ["dog", "cat"]}, NUMBERED, None),
        ({"labels": [3, 7, -1]}, NUMBERED, [0, 1, None]),
        ({"labels": [3.0, np.nan, 7.0]}, NUMBERED, [0, None, 1]),
        ({"labels": ["7", "3", ""]}, NUMBERED, [1, 0, None]),
        ({"labels": [1, 0], "sample_ids": ["s3", "s1"]}, POOL, [0, None, 1]),
        ({"labels": [1, -1, 0]}, POOL, [1, None, 0]),
        ({"labels": [0, np.nan], "sample_ids": ["s3", "s1"], "class_names": ["dog"]}, POOL, [None, None, 1]),
        ({"labels": [True, False], "sample_ids": ["s3", "s1"], "class_names": ["cat", "dog"]}, POOL, [0, None, 1]),
        ({"labels": np.array([0.1, np.nan, 2], dtype=np.float32)}, NUMBERS, [float(np.float32(0.1)), None, 2]),
    ],
)
def test_truth_from_npz(
    tmp_path: Path, arrays: dict[str, Any], pool: Predictions, expected: list[float | None] | None
) -> None:
    np.savez(tmp_path / "truth.npz", **arrays)
    if expected is None:
        with pytest.warns(AdjudgeWarning, match="'cat', 'dog'"):
            assert truth_of(tmp_path / "truth.npz", pool) == [2, 3, None]
    else:
        assert truth_of(tmp_path / "truth.npz", pool) == expected


@pytest.mark.parametrize(
    ("labels", "pool", "expected"),
    [
        ([1, 0, -1], POOL, [1, 0, None]),  # positions in the list of classes
        ([7, 3, -1], NUMBERED, [1, 0, None]),  # classes that are numbers are meant by these
        (["dog", "cat", ""], POOL, [1, 0, None]),
        (np.array([0.5, np.nan, -1]), NUMBERS, [0.5, None, -1]),
        (np.array([1, 0, 1], ">i4"), POOL, [1, 0, 1]),
    ],
)
def test_truth_from_npy_is_one_for_each_sample(
    tmp_path: Path, labels: Any, pool: Predictions, expected: list[float | None]
) -> None:
    np.save(tmp_path / "truth.npy", labels)
    assert truth_of(tmp_path / "truth.npy", pool) == expected


def test_labels_without_ids_are_refused_where_numbers_say_another_order(tmp_path: Path) -> None:
    np.save(tmp_path / "truth.npy", [1, 0, 1])
    assert truth_of(tmp_path / "truth.npy", replace(POOL, samples=as_index(["7", "0", "1"]))) == [1, 0, 1]
    with pytest.raises(LabelsError, match="numbered from 0 but stand in another order; give the labels as a table"):
        read_truth(tmp_path / "truth.npy", replace(POOL, samples=as_index(["2", "0", "1"])))


def test_truth_from_idx(tmp_path: Path) -> None:
    content = bytes([0, 0, 8, 1, 0, 0, 0, 3, 1, 0, 1])
    (tmp_path / "labels-idx1-ubyte").write_bytes(content)
    (tmp_path / "labels-idx1-ubyte.gz").write_bytes(gzip.compress(content))
    assert truth_of(tmp_path / "labels-idx1-ubyte", POOL) == [1, 0, 1]
    assert truth_of(tmp_path / "labels-idx1-ubyte.gz", POOL) == [1, 0, 1]
    with pytest.raises(LabelsError, match="3 labels without ids do not fit 2 samples"):
        read_truth(tmp_path / "labels-idx1-ubyte", replace(POOL, values=POOL.values[:, :2], samples=range(2)))
    with pytest.raises(LabelsError, match=r"none-idx1-ubyte.gz does not exist"):
        read_truth(tmp_path / "none-idx1-ubyte.gz", POOL)


def test_a_table_without_ids_is_for_samples_without(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("label,x\n7,\n3,\n,1\n")
    assert truth_of(path, NUMBERED) == [1, 0, None]
    with pytest.raises(LabelsError, match="no column of sample ids"):
        read_truth(path, POOL)


def test_every_sample_has_a_label_where_that_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("sample_id,label\ns3,dog\ns9,bird\ns1,cat\n")
    with pytest.raises(LabelsError, match=r"1 of 3 samples have no label in truth.csv, 's2' among them; add them"):
        read_labels_of(path, POOL.samples, complete=True)
    path.write_text("sample_id,label\ns3,dog\ns2,\ns1,cat\n")
    assert read_labels_of(path, POOL.samples, complete=True).column().tolist() == ["cat", "", "dog"]
    np.save(tmp_path / "truth.npy", np.array([2, 0, 1], np.uint8))
    column = read_labels_of(tmp_path / "truth.npy", POOL.samples, complete=True).column()
    assert column.tolist() == [2, 0, 1]


def test_truth_of_the_same_npz_as_the_predictions(tmp_path: Path) -> None:
    path = tmp_path / "task.npz"
    np.savez(path, predictions=[[0, 1]], class_names=["b", "a"], labels=[1, 1])
    assert truth_of(path, read(path)) == [1, 1]
    assert truth_of(path, read(path, classes=("a", "b"))) == [0, 0]


def test_truth_adds_a_class_unless_the_list_is_declared(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("sample_id,label\ns1,bird\ns2,dog\n")
    with pytest.warns(AdjudgeWarning, match=r"truth.csv has labels of a class that no model predicted: 'bird'; every"):
        pool, truth = read_truth(path, POOL)
    assert pool.classes == ("cat", "dog", "bird")
    assert truth[:2].tolist() == [2, 1]
    with pytest.raises(LabelsError, match=r"the label 'bird' of sample 's1' in truth.csv is not one of the declared"):
        read_truth(path, replace(POOL, declared=True))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"truth.csv is empty"),
        ("sample_id,label\n", r"truth.csv has column names but no rows"),
        ("sample_id,kind\ns1,cat\n", r"'label' is missing in truth.csv, which has 'sample_id', 'kind'.*--label-column"),
        ("name,label\ns1,cat\n", r"no column of sample ids .* in truth.csv, only 'name', 'label'"),
        ("sample_id,label\nx,cat\n", r"truth.csv: none of the 1 samples is in the pool, 'x' for one"),
        ("sample_id,label\ns1,cat\ns1,dog\n", r"truth.csv: sample 's1' has two different true values"),
    ],
)
def test_bad_truth_gives_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "truth.csv").write_text(text)
    with pytest.raises(LabelsError, match=sentence):
        read_truth(tmp_path / "truth.csv", POOL)


@pytest.mark.parametrize(
    ("arrays", "pool", "sentence"),
    [
        ({"predictions": [[0]]}, POOL, r"truth.npz holds 'predictions' but no 'labels'"),
        ({"labels": [[0]]}, POOL, r"truth.npz: labels have the shape \(1, 1\)"),
        (
            {"labels": [5], "sample_ids": ["s2"]},
            POOL,
            r"the label 5 of sample 's2' is not a valid class code \(0-1\)",
        ),
        ({"labels": [0.5], "sample_ids": ["s2"]}, POOL, r"the label 0.5 of sample 's2' is not a valid class code"),
        ({"labels": [0, 1]}, POOL, r"truth.npz: 2 labels without ids do not fit 3 samples"),
        ({"labels": [1], "sample_ids": ["x"]}, POOL, r"none of the 1 samples is in the pool, 'x' for one"),
        ({"labels": np.zeros(3, complex)}, POOL, r"truth.npz: labels are stored as complex128"),
        ({"labels": [np.inf, 0, 0]}, NUMBERS, r"the label 'inf' of sample '0' in truth.npz is infinite"),
        ({"labels": ["x", "1", "2"]}, NUMBERS, r"the label 'x' of sample '0' in truth.npz is not a number"),
    ],
)
def test_bad_truth_in_npz_gives_one_sentence(
    tmp_path: Path, arrays: dict[str, Any], pool: Predictions, sentence: str
) -> None:
    np.savez(tmp_path / "truth.npz", **arrays)
    with pytest.raises(LabelsError, match=sentence):
        read_truth(tmp_path / "truth.npz", pool)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_truth_round_trip(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"truth.{suffix}"
    for pool, truth in ((POOL, [1, np.nan, 0]), (NUMBERS, [0.1 + 0.2, np.nan, -3.0])):
        write_truth(np.array(truth), pool, path)
        np.testing.assert_array_equal(read_truth(path, pool)[1], truth)
    with pytest.raises(LabelsError, match=r"true values have the shape \(1,\) but the pool has 3 samples"):
        write_truth(np.array([1]), POOL, path)
