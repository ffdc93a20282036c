"""Pools on the command line: some of their models, names of columns, and costs."""

from dataclasses import replace
from pathlib import Path

import pytest

import adjudge
from adjudge.simulation.contract import example_pool
from tests.support.commands import TRUTH, WIDE, as_json, refused
from tests.support.commands import adjudge as command


def test_finalists_of_a_larger_pool(tmp_path: Path) -> None:
    pool, truth = example_pool(models=6, samples=120)
    pool = replace(pool, probabilities=None)
    path, plan, few = tmp_path / "pool.csv", tmp_path / "labels.csv", tmp_path / "finalists.csv"
    adjudge.write_predictions(pool, path)
    log = adjudge.select(pool, 30).answer_all(truth)
    adjudge.write_labels(log, pool, plan)
    only = ("--only", "model 5,model 3")
    found = as_json("rank", path, "--labels", plan, *only)
    assert {model["name"] for model in found["models"]} == {"model 5", "model 3"}
    assert "--only 'model 5,model 3'" in command("rank", path, "--labels", plan, *only).stdout
    assert len(as_json("select", path, "--labels", plan, "--budget", 7, *only)["picks"]) == 7
    adjudge.write_predictions(adjudge.Predictions(pool.values[3:], pool.models[3:], pool.samples, pool.classes), few)
    assert "name the models to look at (--only" in refused("rank", few, "--labels", plan)
    assert "there is no model 'model 9'" in refused("rank", path, "--only", "model 9")


def test_all_models_but_some(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    adjudge.write_predictions(example_pool(models=4, samples=60)[0], path)
    found = as_json("rank", path, "--without", "model 2")
    assert found["models"] == as_json("rank", path, "--only", "model 0,model 1,model 3")["models"]
    assert [model["name"] for model in as_json("rank", path, "--without", "model 0,model 1,model 2")["models"]] == [
        "model 3"
    ]
    assert "there is no model 'model 9'" in refused("rank", path, "--without", "model 9")
    assert "--without names all models" in refused("rank", path, "--without", "model 0,model 1,model 2,model 3")


def test_one_name_of_the_id_column_is_enough(wide: Path, tmp_path: Path) -> None:
    own, listed = tmp_path / "own.csv", tmp_path / "truth.csv"
    rows = [line.split(",") for line in WIDE.splitlines()[1:]]
    own.write_text("image,net,tree,label\n" + "".join(f"{row[0]},{row[1]},{row[2]},{TRUTH[row[0]]}\n" for row in rows))
    listed.write_text("image,label\n" + "".join(f"{key},{value}\n" for key, value in TRUTH.items()))
    words = ("--id", "image", "--labels", listed, "--drawn", "uniform")
    assert as_json("rank", own, *words)["labels"] == 6
    assert as_json("compare", own, "net", "tree", *words, "--about", "pool")["holds"]
    assert as_json("estimate", own, "--model", "net", *words)["value"] == 1
    assert as_json("plan", own, *words)["labels"] == 6
    for truth in ([], ["--truth", listed]):  # the column of the pool itself, or a file
        played = as_json("simulate", own, "--id", "image", *truth, "--budget", 2, "--seeds", 1)
        assert played["truth"] == pytest.approx({"net": 1.0, "tree": 4 / 6})


def test_costs_can_be_given(wide: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("sample_id,label\na,cat\nc,cat\ne,dog\n")
    costs = tmp_path / "costs.csv"
    costs.write_text("true,dog,cat\ncat,1,0\ndog,0,10\n")
    ranked = as_json("rank", wide, "--labels", labels, "--costs", costs)
    values = {model["name"]: model["value"] for model in ranked["models"]}
    assert values == pytest.approx({"net": 0.0, "tree": 11 / 3, "rule": 2 / 3})
    costs.write_text("true,dog,bird\ncat,1,0\ndog,0,10\n")
    assert "costs.csv" in refused("rank", wide, "--labels", labels, "--costs", costs)
