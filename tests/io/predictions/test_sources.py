"""Tables of any origin."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge.errors import PredictionsError
from adjudge.io import from_frame, read
from tests.support.saved import ids


def test_parquet_of_pandas_leaves_the_index_out(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["x", "y"], "a": [1, 2]}, index=[5, 9])
    frame.to_parquet(tmp_path / "preds.parquet")
    assert read(tmp_path / "preds.parquet").models == ("a",)


@pytest.mark.parametrize("column", [pa.array([b"\xff"]), pa.array([[1]])])
def test_parquet_ids_that_are_no_text_are_refused(tmp_path: Path, column: pa.Array) -> None:
    parquet.write_table(pa.table({"id": column, "a": ["x"]}), tmp_path / "preds.parquet")
    with pytest.raises(PredictionsError, match=r"preds.parquet: a column holds values of type"):
        read(tmp_path / "preds.parquet")


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
