"""CSV and Parquet, wide and long."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge.errors import InputError, PredictionsError
from adjudge.io import read
from tests.support.saved import WIDE, ids, saved


def test_wide_csv(tmp_path: Path) -> None:
    pool = read(saved(tmp_path, WIDE))
    assert (pool.models, pool.classes, ids(pool)) == (("a", "b"), ("cat", "dog"), ["s1", "s2", "s3"])
    assert pool.values.tolist() == [[0, 1, 0], [1, -1, 0]]


def test_ids_may_have_another_name(tmp_path: Path) -> None:
    path = saved(tmp_path, WIDE.replace("sample_id", "photo"))
    assert ids(read(path, id="photo")) == ["s1", "s2", "s3"]
    with pytest.raises(PredictionsError, match=r"preds.csv, only 'photo', 'a', 'b'; add one, or name .* id="):
        read(path)
    with pytest.raises(PredictionsError, match="'file'"):
        read(path, id="file")


def test_facts_about_samples_are_kept_apart(tmp_path: Path) -> None:
    path = saved(tmp_path, "id,text,a\n1,hello,x\n2,bye,y\n")
    pool = read(path, columns=("text",))
    assert pool.models == ("a",)
    assert pool.columns is not None
    assert pool.columns.to_pydict() == {"text": ["hello", "bye"]}
    with pytest.raises(PredictionsError, match=r"the column 'words' is missing in preds.csv, which has 'id'"):
        read(path, columns=("words",))


def test_declared_classes_and_forced_regression(tmp_path: Path) -> None:
    assert read(saved(tmp_path, WIDE), classes=("dog", "cat", "bird")).classes == ("dog", "cat", "bird")
    with pytest.raises(PredictionsError, match=r"preds.csv: model 'a' at sample 's2' predicts 'dog'"):
        read(saved(tmp_path, WIDE), classes=("cat",))
    assert read(saved(tmp_path, "id,a\n1,1\n2,2\n"), regression=True).classes is None


def test_long_csv_with_probabilities_and_facts(tmp_path: Path) -> None:
    text = "id,model,prediction,p_b,p_a,text\n2,m,a,.2,.8,two\n1,m,b,.9,.1,one\n"
    pool = read(saved(tmp_path, text), columns=("text",))
    assert pool.classes == ("a", "b")
    assert pool.probabilities is not None
    np.testing.assert_allclose(pool.probabilities, [[[0.8, 0.2], [0.1, 0.9]]], rtol=1e-6)
    assert pool.columns is not None
    assert pool.columns.to_pydict() == {"text": ["two", "one"]}
    with pytest.raises(PredictionsError, match="'c' is on one side only"):
        read(saved(tmp_path, text), classes=("a", "b", "c"))
    with pytest.raises(PredictionsError, match="do not sum to 1"):
        read(saved(tmp_path, text.replace(".9", "5")))


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere.csv does not exist"):
        read(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match=r"preds.xlsx ends in '.xlsx'; use .csv, .tsv, .parquet, .npz or .npy"):
        read(saved(tmp_path, "x", "preds.xlsx"))


def test_wide_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {"id": [7, 8], "r.1": ["x", None], "r": pa.array(["y", "x"]).dictionary_encode(), "cost": [1.5, 2]}
    )
    parquet.write_table(table, tmp_path / "preds.parquet")
    pool = read(tmp_path / "preds.parquet", columns=("cost",))
    assert (pool.models, ids(pool)) == (("r.1", "r"), ["7", "8"])
    assert pool.values.tolist() == [[0, -1], [1, 0]]
    assert pool.columns is not None
    assert pool.columns.to_pydict() == {"cost": [1.5, 2]}


def test_long_parquet(tmp_path: Path) -> None:
    table = pa.table({"sample_id": [2, 1, 1, 2], "model": list("abab"), "prediction": [0, 1, 1, 0]})
    parquet.write_table(table, tmp_path / "preds.parquet")
    pool = read(tmp_path / "preds.parquet")
    assert ids(pool) == ["2", "1"]
    assert pool.values.tolist() == [[0, 1], [0, 1]]


def test_bad_parquet_gives_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "preds.parquet"
    parquet.write_table(pa.table({"id": list(range(1000)), "a": list(range(1000))}), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(PredictionsError, match=r"preds.parquet cannot be read \(.*\); it may be damaged or cut short"):
        read(path)
    path.write_text("sample_id,a\n1,2\n")
    with pytest.raises(PredictionsError, match=r"preds.parquet is named .parquet but is not a Parquet file; give"):
        read(path)
    parquet.write_table(pa.table([[1], [2], [3]], names=["id", "a", "a"]), path)
    with pytest.raises(PredictionsError, match="the column 'a' occurs more than once"):
        read(path)
    middle = bytearray(whole)
    middle[10 : len(whole) // 2] = b"\xff" * (len(whole) // 2 - 10)
    path.write_bytes(middle)
    with pytest.raises(PredictionsError, match=r"preds.parquet cannot be read"):
        read(path)
