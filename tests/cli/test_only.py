"""Finalists on the command line: labels that were drawn for a larger pool."""

from dataclasses import replace
from pathlib import Path

import adjudge
from adjudge.simulation.contract import example_pool
from tests.support.commands import adjudge as command
from tests.support.commands import as_json, refused


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
