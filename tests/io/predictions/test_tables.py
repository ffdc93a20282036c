"""CSV, Parquet and frames, wide and long."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge.core.index import all_ids
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, PredictionsError
from adjudge.io import from_frame, read

WIDE = "sample_id,a,b\ns1,cat,dog\ns2,dog,\ns3,cat,cat\n"
LONG = "sample_id,model,prediction\ns1,a,cat\ns1,b,dog\ns2,a,dog\ns3,a,cat\ns3,b,cat\n"


def saved(folder: Path, text: str | bytes, name: str = "preds.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def ids(predictions: Predictions) -> list[str]:
    found: list[str] = all_ids(predictions.samples).to_pylist()
    return found


def test_wide_csv(tmp_path: Path) -> None:
    pool = read(saved(tmp_path, WIDE))
    assert (pool.models, pool.classes, ids(pool)) == (("a", "b"), ("cat", "dog"), ["s1", "s2", "s3"])
    assert pool.values.tolist() == [[0, 1, 0], [1, -1, 0]]


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_csv_of_other_programs(tmp_path: Path, delimiter: str, ending: str, start: bytes) -> None:
    text = "# made by hand, with care\n" + WIDE.replace(",", delimiter)
    pool = read(saved(tmp_path, start + text.replace("\n", ending).encode()))
    assert pool.models == ("a", "b")
    assert pool.values.tolist() == [[0, 1, 0], [1, -1, 0]]


def test_csv_with_quotes_line_breaks_and_columns_without_a_name(tmp_path: Path) -> None:
    pool = read(saved(tmp_path, '"id","m, one", "m\ntwo",,\n"s\n1","a,b",x,,\n"s""2",x,"a,b",,\n'))
    assert pool.models == ("m, one", "m\ntwo")
    assert ids(pool) == ["s\n1", 's"2']
    assert pool.classes == ("a,b", "x")


def test_csv_in_several_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.io.predictions.sources.AT_ONCE", 1)
    assert read(saved(tmp_path, WIDE)).values.tolist() == [[0, 1, 0], [1, -1, 0]]


def test_tsv(tmp_path: Path) -> None:
    assert read(saved(tmp_path, WIDE.replace(",", "\t"), "preds.tsv")).models == ("a", "b")


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


def test_long_csv_outer_and_inner(tmp_path: Path) -> None:
    path = saved(tmp_path, LONG)
    outer = read(path, join="outer")
    assert (outer.models, ids(outer)) == (("a", "b"), ["s1", "s2", "s3"])
    assert outer.values.tolist() == [[0, 1, 0], [1, -1, 0]]
    inner = read(path, join="inner")
    assert ids(inner) == ["s1", "s3"]
    assert inner.values.tolist() == [[0, 0], [1, 0]]


def test_long_csv_with_different_samples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        PredictionsError, match=r"preds.csv: model 'b' has no prediction for 1 of 3 samples, 's2'.*join="
    ):
        read(saved(tmp_path, LONG))
    nothing_shared = "id,model,prediction\n1,a,x\n2,b,x\n"
    with pytest.raises(PredictionsError, match="no sample is predicted by every model"):
        read(saved(tmp_path, nothing_shared), join="inner")


def test_long_csv_with_a_prediction_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PredictionsError, match="model 'a' predicts sample 's1' more than once"):
        read(saved(tmp_path, LONG + "s1,a,cat\n"), join="outer")


def test_long_csv_without_a_model_or_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PredictionsError, match=r"a row of preds.csv has no model"):
        read(saved(tmp_path, LONG + "s4,,cat\n"), join="outer")
    with pytest.raises(PredictionsError, match="column names but no rows"):
        read(saved(tmp_path, "id,model,prediction\n"))


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


def test_an_unknown_join_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PredictionsError, match="join='left' is not known"):
        read(saved(tmp_path, LONG), join="left")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"preds.csv is empty; write it again"),
        ("\n\n", r"preds.csv has no row of column names"),
        ("# only a comment\n", r"preds.csv has no row of column names"),
        ("\x7fELF\x02\0\0,a\n1,x\n", r"preds.csv is not UTF-8 text; save it as CSV UTF-8"),
        ('sample_id,"a\n1,x\n', r"preds.csv has no row of column names"),
        ("sample_id,a\n", r"preds.csv has column names but no rows"),
        ("sample_id\ns1\n", r"preds.csv has no column of predictions"),
        ("sample_id,a,a\ns1,x,y\n", r"the column 'a' occurs more than once in preds.csv"),
        ("sample_id,,a\ns1,0,x\n", r"column 2 of preds.csv has no name"),
        ("sample_id,a\ns1,x\ns1,y\n", r"preds.csv: 1 sample id occurs? more than once, 's1'"),
        ("sample_id,a\ns1,x\n,y\n", r"row 2 of preds.csv has no sample id in column 'sample_id'"),
        ("sample_id,a\ns1,x\ns2\n", r"preds.csv cannot be read \(.*Expected 2 columns, got 1.*\); correct that row"),
        ("sample_id,a\ns1,1\ns2,inf\n", r"preds.csv: model 'a' at sample 's2' predicts an infinite"),
        ("sample_id,a\rs1,1\rs2,2\r", r"preds.csv are not on a line of their own"),
        ("sample_id,label\ns1,x\n", r"preds.csv has no column of predictions"),
        ("sample_id,a,\ns1,x,y\n", r"column 3 of preds.csv has values but no name"),
        (
            "sample_id,a\ns1,0.5\ns2,NA\ns3,1.5\n",
            r"at sample 's2' predicts 'NA' where other values are",
        ),
        (b"sample_id,a\ns1,caf\xe9\n", r"preds.csv is not UTF-8 text; save it as CSV UTF-8"),
        (b"sample_id,caf\xe9\ns1,x\n", r"preds.csv is not UTF-8 text; save it as CSV UTF-8"),
        ("sample_id,a\n".encode("utf-16"), r"preds.csv is not UTF-8 text"),
        (b"PAR1 and more", r"preds.csv is named .csv but is not text; it is a Parquet file: give it the name"),
        (b"PK\x03\x04 xlsx", r"preds.csv is named .csv but is not text; it is a zip archive"),
    ],
)
def test_bad_csv_gives_one_sentence(tmp_path: Path, text: str | bytes, sentence: str) -> None:
    with pytest.raises(PredictionsError, match=sentence) as caught:
        read(saved(tmp_path, text))
    assert "\n" not in str(caught.value)


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


def test_parquet_of_pandas_leaves_the_index_out(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["x", "y"], "a": [1, 2]}, index=[5, 9])
    frame.to_parquet(tmp_path / "preds.parquet")
    assert read(tmp_path / "preds.parquet").models == ("a",)


@pytest.mark.parametrize("column", [pa.array([b"\xff"]), pa.array([[1]])])
def test_parquet_ids_that_are_no_text_are_refused(tmp_path: Path, column: pa.Array) -> None:
    parquet.write_table(pa.table({"id": column, "a": ["x"]}), tmp_path / "preds.parquet")
    with pytest.raises(PredictionsError, match=r"preds.parquet: a column holds values of type"):
        read(tmp_path / "preds.parquet")


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


FRAMES: list[Callable[[dict[str, list[object]]], object]] = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("frame", FRAMES)
def test_frames(frame: Callable[[dict[str, list[object]]], object]) -> None:
    pool = from_frame(frame({"sample_id": ["s1", "s2"], "a": ["x", None], "b": ["y", "x"], "t": [1, 2]}), columns=["t"])
    assert (pool.models, ids(pool), pool.classes) == (("a", "b"), ["s1", "s2"], ("x", "y"))
    assert pool.values.tolist() == [[0, -1], [1, 0]]
    long: dict[str, list[object]] = {"id": [1, 1], "model": ["a", "b"], "prediction": [0.5, 0.25]}
    assert from_frame(frame(long)).values.tolist() == [[0.5], [0.25]]


def test_frames_with_categories() -> None:
    table = {"id": ["1", "2"], "a": ["x", "y"]}
    assert from_frame(pd.DataFrame(table).astype({"a": "category"})).classes == ("x", "y")
    assert from_frame(pl.DataFrame(table).with_columns(pl.col("a").cast(pl.Categorical))).classes == ("x", "y")


def test_pandas_integers_with_blanks_stay_integers() -> None:
    pool = from_frame(pd.DataFrame({"id": ["1", "2"], "a": [3, None], "b": [3, 4]}))
    assert (pool.classes, pool.values.tolist()) == (("3", "4"), [[0, -1], [0, 1]])


def test_polars_nan_is_missing() -> None:
    assert from_frame(pl.DataFrame({"id": ["1", "2"], "a": [0.5, float("nan")]})).n_predicted.tolist() == [1]


@pytest.mark.parametrize("frame", [object(), pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame({"a": [1, "x"]})])
def test_frames_that_are_no_tables_are_refused(frame: object) -> None:
    with pytest.raises(PredictionsError, match="the frame cannot be turned into an Arrow table"):
        from_frame(frame)
