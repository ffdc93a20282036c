"""What is written is read back as it was."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.index import all_ids, as_index
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, InputError, PredictionsError
from adjudge.io import read, write_predictions

FORMATS = ["csv", "tsv", "parquet", "npz"]
# no surrogates, which are not text, and no NUL, which numpy drops at the end of a name
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
NAME = TEXT.filter(lambda name: name.strip() and name not in ("sample_id", "label", "truth", "model"))
CLASS = st.one_of(st.integers(-3, 3).map(str), TEXT).filter(
    lambda name: name.strip() not in ("", "nan", "SKIP") and name.strip().lower() != "nan"
)


def same(one: Predictions, other: Predictions) -> None:
    np.testing.assert_array_equal(one.values, other.values)
    assert (one.models, one.classes, one.declared) == (other.models, other.classes, other.declared)
    assert all_ids(one.samples).to_pylist() == all_ids(other.samples).to_pylist()
    assert (one.probabilities is None) == (other.probabilities is None)
    if one.probabilities is not None:
        np.testing.assert_array_equal(one.probabilities, other.probabilities)
    assert (one.columns and one.columns.to_pydict()) == (other.columns and other.columns.to_pydict())


@st.composite
def pools(draw: st.DrawFn) -> Predictions:
    models = draw(st.lists(NAME, min_size=1, max_size=3, unique=True))
    ids = draw(
        st.lists(
            st.one_of(TEXT, st.sampled_from(["a,b", 'a"b', "a\nb", "a\r\nb", "é", " a", "#1"])),
            min_size=1,
            max_size=5,
            unique=True,
        )
    )
    size = (len(models), len(ids))
    if draw(st.booleans()):
        number = st.one_of(st.floats(allow_infinity=False), st.integers(-5, 5).map(float))
        values = np.array(draw(st.lists(number, min_size=size[0] * size[1], max_size=size[0] * size[1])))
        return Predictions(values.reshape(size), tuple(models), as_index(ids), None)
    classes = draw(st.lists(CLASS, min_size=1, max_size=5, unique_by=lambda name: name.strip().removesuffix(".0")))
    codes = draw(st.lists(st.integers(-1, len(classes) - 1), min_size=size[0] * size[1], max_size=size[0] * size[1]))
    values, declared = np.array(codes, dtype=np.int8).reshape(size), draw(st.booleans())
    return Predictions(values, tuple(models), as_index(ids), tuple(classes), declared=declared)


@pytest.mark.parametrize("suffix", FORMATS)
@settings(max_examples=150, deadline=None)
@given(pool=pools())
def test_predictions_round_trip(suffix: str, pool: Predictions) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"preds.{suffix}"
        write_predictions(pool, path)
        same(read(path), pool)


@pytest.mark.parametrize("suffix", FORMATS)
def test_numbered_samples_round_trip(tmp_path: Path, suffix: str) -> None:
    values = np.random.default_rng(0).integers(-1, 2, size=(2, 20_000), dtype=np.int8)  # more than is written at a time
    pool = Predictions(values, ("a", "b"), range(5, 20_005), ("x", "y"))
    write_predictions(pool, tmp_path / f"preds.{suffix}")
    same(read(tmp_path / f"preds.{suffix}"), pool)


def test_a_plain_table_is_written_without_notes(tmp_path: Path) -> None:
    pool = Predictions(np.array([[0, 1], [1, -1]]), ("a", "b"), range(2), ("cat", "dog"))
    write_predictions(pool, tmp_path / "preds.csv")
    assert (tmp_path / "preds.csv").read_text() == '"sample_id","a","b"\n"0","cat","dog"\n"1","dog",\n'


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_facts_round_trip_in_tables(tmp_path: Path, suffix: str) -> None:
    facts = pa.table({"text, long": ["one", "two"]})
    pool = Predictions(np.array([[0, 1]]), ("a",), range(2), ("cat", "dog", "bird"), columns=facts)
    write_predictions(pool, tmp_path / f"preds.{suffix}")
    same(read(tmp_path / f"preds.{suffix}"), pool)


@pytest.mark.parametrize("suffix", ["npz", "parquet"])
def test_probabilities_round_trip(tmp_path: Path, suffix: str) -> None:
    probabilities = np.array([[[0.5, 0.5], [0.25, 0.75]], [[np.nan, np.nan], [1.0, 0.0]]], dtype=np.float32)
    facts = pa.table({"site": ["north", "south"]}) if suffix == "parquet" else None
    values, classes = np.array([[0, 1], [1, -1]]), ("cat", "dog")
    pool = Predictions(values, ("a", "b"), range(2), classes, probabilities, declared=True, columns=facts)
    write_predictions(pool, tmp_path / f"preds.{suffix}")
    same(read(tmp_path / f"preds.{suffix}"), pool)


def test_what_a_format_cannot_hold_is_told(tmp_path: Path) -> None:
    probabilities = np.array([[[0.5, 0.5], [0.25, 0.75]]])
    pool = Predictions(np.array([[0, 1]]), ("a",), range(2), ("cat", "dog"), probabilities)
    with pytest.warns(AdjudgeWarning, match=r"preds.csv is written without the probabilities; write npz"):
        write_predictions(pool, tmp_path / "preds.csv")
    facts = Predictions(pool.values, pool.models, pool.samples, pool.classes, columns=pa.table({"t": [1, 2]}))
    with pytest.warns(AdjudgeWarning, match=r"preds.npz is written without the facts about samples"):
        write_predictions(facts, tmp_path / "preds.npz")


@pytest.mark.parametrize("names", [("sample_id",), ("label",), ("model", "prediction"), ("t",), (" ",)])
def test_names_that_a_table_cannot_hold_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    codes = np.zeros((len(names), 1), dtype=np.int8)
    pool = Predictions(codes, names, range(1), ("x",), columns=pa.table({"t": [1]}))
    with pytest.raises(PredictionsError, match=r"preds.csv: a column .* rename it, or write npz"):
        write_predictions(pool, tmp_path / "preds.csv")
    assert not (tmp_path / "preds.csv").exists()


def test_class_names_that_a_table_cannot_hold_are_refused(tmp_path: Path) -> None:
    pool = Predictions(np.zeros((1, 1), dtype=np.int8), ("a",), range(1), ("nan",))
    with pytest.raises(PredictionsError, match="a class is named 'nan'"):
        write_predictions(pool, tmp_path / "preds.csv")
    write_predictions(pool, tmp_path / "preds.npz")
    same(read(tmp_path / "preds.npz"), pool)


def test_facts_that_a_table_cannot_hold_leave_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "preds.csv").write_text("old")
    pool = Predictions(np.zeros((1, 1), dtype=np.int8), ("a",), range(1), ("x",), columns=pa.table({"t": [[1, 2]]}))
    with pytest.raises(InputError, match=r"preds.csv cannot be written"):
        write_predictions(pool, tmp_path / "preds.csv")
    assert (tmp_path / "preds.csv").read_text() == "old"


def test_predictions_cannot_be_written_to_npy_or_nowhere(tmp_path: Path) -> None:
    pool = Predictions(np.zeros((1, 1), dtype=np.int8), ("a",), range(1), ("x",))
    with pytest.raises(InputError, match=r"preds.npy ends in '.npy'; use .csv, .tsv, .parquet or .npz"):
        write_predictions(pool, tmp_path / "preds.npy")
    with pytest.raises(InputError, match=r"preds.npz cannot be written"):
        write_predictions(pool, tmp_path / "nowhere" / "preds.npz")


def test_auxiliary_numbers_come_back_from_npz(tmp_path: Path) -> None:
    pool = Predictions(np.array([[0, 1, 1], [1, 0, 0]]), ("a", "b"), range(3), ("x", "y"))
    each, own = np.array([0.5, np.nan, 2]), np.array([[1, 2, 3], [4, 5, 6]])
    pool = pool.with_auxiliary("vae", each).with_auxiliary("auxiliary_lsa", own)
    write_predictions(pool, tmp_path / "pool.npz")
    back = read(tmp_path / "pool.npz").auxiliary
    assert list(back) == ["vae", "lsa"]
    np.testing.assert_array_equal(back["vae"].values, each)
    np.testing.assert_array_equal(back["lsa"].of("b"), own[1])
    fewer = Predictions(pool.values[1:], ("b",), range(3), ("x", "y"), auxiliary=pool.auxiliary)
    write_predictions(fewer, tmp_path / "fewer.npz")
    np.testing.assert_array_equal(read(tmp_path / "fewer.npz").auxiliary["lsa"].of("b"), own[1])
    for table in ("pool.csv", "pool.parquet"):
        with pytest.warns(AdjudgeWarning, match=f"{table} is written without the auxiliary numbers; write npz"):
            write_predictions(pool, tmp_path / table)
        assert read(tmp_path / table).columns is None
