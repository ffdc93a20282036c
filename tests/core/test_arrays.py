"""Frames of the library that is there, and what users give in place of arrays."""

import sys
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

import adjudge
from adjudge.core.arrays import frame_of
from adjudge.core.labels import Labels, Names
from adjudge.errors import AdjudgeWarning, InputError, LabelsError
from adjudge.simulation.contract import example_pool
from tests.support.said import SAID, TRUTH


def test_the_frame_is_of_the_library_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(frame_of({"a": [1]}), pd.DataFrame)
    monkeypatch.delitem(sys.modules, "pandas")
    assert isinstance(frame_of({"a": [1]}), pl.DataFrame)
    monkeypatch.setattr("adjudge.core.arrays.find_spec", lambda name: None)
    with pytest.raises(InputError, match="needs pandas or polars, and neither is installed"):
        frame_of({"a": [1]})
    assert util.find_spec("pandas") is not None


def test_a_plan_as_a_frame_is_filled_and_given_back() -> None:
    pool = adjudge.from_frame(SAID)
    plan = adjudge.select(pool, 3, "random", seed=1)
    frame = plan.to_frame()
    assert set(frame["sample_id"]) < set("abcd")
    assert frame["label"].isna().all()
    given = adjudge.rank(pool, frame.assign(label=frame["sample_id"].map(TRUTH)))
    filled = adjudge.fill(plan, pool, {name: TRUTH[name] for name in frame["sample_id"]})
    assert given.rows() == adjudge.rank(pool, filled).rows()
    back = adjudge.read_labels(frame.assign(label=frame["sample_id"].map(TRUTH)), pool)[1]
    assert back.header == filled.header == plan.header
    assert filled.to_frame()["label"].tolist() == [TRUTH[name] for name in frame["sample_id"]]


def test_a_frame_of_pandas_keeps_the_pairs_of_a_run(tmp_path: Path) -> None:
    pool = adjudge.from_frame(SAID)
    plan = adjudge.select(pool, 1, models=("net", "tree"))
    plan.to_frame().to_parquet(tmp_path / "plan.parquet")
    back = adjudge.read_labels(pd.read_parquet(tmp_path / "plan.parquet"), pool)[1]
    assert back.header == plan.header
    assert back.header.pairs == (("net", "tree"),)
    lost = pl.DataFrame(plan.table(Names.of(pool))).with_columns(label=pl.lit("x"))
    with pytest.raises(LabelsError, match=r"stratum 3, which the log does not describe; .*\(for a frame, use `fill`\)"):
        adjudge.compare(pool, "net", "tree", lost)


def test_labels_without_a_pool_have_no_frame() -> None:
    with pytest.raises(LabelsError, match="do not say which pool they belong to"):
        Labels.empty(3).to_frame()


@pytest.mark.parametrize("make", [dict, pd.Series, lambda truth: {"id": list(truth), "label": list(truth.values())}])
def test_labels_may_be_a_dict_or_a_series_and_predictions_a_frame(make: Any) -> None:
    ranking = adjudge.rank(SAID, make(TRUTH))
    assert (ranking.best, ranking.labels, ranking.verdict) == ("net", 4, "exact")
    found = adjudge.compare(pd.DataFrame(SAID), "net", "tree", make(TRUTH), about="pool")
    assert found.difference == 0.5
    assert adjudge.until(SAID, make(TRUTH), "within 0.01").stopped
    assert adjudge.estimate(SAID, "net", make(TRUTH)).estimate.value[0] == 0.75
    assert len(adjudge.select(SAID, 1, labels={"a": "x"})) == 2
    assert adjudge.plan(SAID, 0.5, labels=make(TRUTH)).labels == 4


def test_blanks_are_no_labels_and_how_they_were_drawn_may_be_told() -> None:
    pool = adjudge.from_frame(SAID)
    pool, log = adjudge.read_labels({"a": "x", "b": None, "c": float("nan"), "d": "SKIP"}, pool, drawn="uniform")
    assert (log.labeled, log.skipped) == (1, 1)
    assert (log.weight == 1).all()


def test_labels_that_do_not_fit_name_the_argument() -> None:
    with pytest.warns(AdjudgeWarning, match="1 of 2 labels in the argument labels are of samples that are not"):
        adjudge.rank(SAID, {"a": "x", "e": "y"})
    with pytest.raises(InputError, match="a list is given where labels are needed"):
        adjudge.rank(SAID, ["x"])  # type: ignore[arg-type]


def test_numbers_of_rows_pick_from_an_array() -> None:
    pool, codes = example_pool(models=3, samples=40)
    truth = np.array(pool.classes)[codes]
    plan = adjudge.select(pool, 10)
    frame = plan.to_frame()
    assert frame["sample_id"].tolist() == plan.sample.tolist()
    filled = adjudge.fill(plan, pool, dict(zip(frame["sample_id"], truth[frame["sample_id"]], strict=True)))
    assert adjudge.rank(pool, frame.assign(label=truth[frame["sample_id"]])).rows() == adjudge.rank(pool, filled).rows()
