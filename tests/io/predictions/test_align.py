"""Rows in any order."""

from pathlib import Path

import pytest

from adjudge.errors import PredictionsError
from adjudge.io import read
from tests.support.saved import ids, saved

LONG = "sample_id,model,prediction\ns1,a,cat\ns1,b,dog\ns2,a,dog\ns3,a,cat\ns3,b,cat\n"


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


def test_an_unknown_join_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PredictionsError, match="join='left' is not known"):
        read(saved(tmp_path, LONG), join="left")
