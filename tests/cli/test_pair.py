"""From a plan for two models to the labels that decide between them, as a user asks for it."""

from pathlib import Path

import numpy as np
import pytest

import adjudge as library
from adjudge.simulation.contract import example_pool
from tests.support.commands import adjudge, as_json, refused

POOL, TRUTH = example_pool(models=4, samples=300)
A, B = "model 3", "model 2"


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    library.write_predictions(POOL, path := tmp_path / "pool.npz", arrays={"labels": TRUTH})
    return path


def answered(plan: Path) -> Path:
    log = library.read_labels(plan, POOL)[1].answer_all(TRUTH.astype(np.float64))
    library.write_labels(log, POOL, plan)
    return plan


def test_from_the_plan_to_the_answer(pool: Path, tmp_path: Path) -> None:
    plan = tmp_path / "labels.csv"
    needed = as_json("plan", pool, "--models", A, B, "--difference", 0.05)["pairs"][0]["where_they_differ"]["likely"]
    done = adjudge("select", pool, "--models", A, B, "--budget", needed, "--out", plan)
    assert f"then:\n  adjudge compare {pool} 'model 3' 'model 2' --labels {plan}" in done.stderr
    assert f"These {needed} labels are for comparing model 3 and model 2: a difference of about " in done.stderr
    found = as_json("compare", pool, A, B, "--labels", answered(plan), "--test", "equivalent", "--margin", 0.9)
    assert found["differing_labeled"] == found["labels"] == needed
    assert found["method"].startswith("exact McNemar test")
    said = adjudge("rank", pool, "--labels", plan)
    assert said.returncode == 0
    assert "all labels were drawn where 'model 3' and 'model 2' differ" in " ".join(said.stderr.split())
    only = " ".join(adjudge("estimate", pool, "--model", A, "--labels", plan).stdout.split())
    assert only.startswith("model 3: accuracy is not known, 95% interval 0.")
    more = as_json("select", pool, "--labels", plan, "--models", B, A, "--budget", 2)["picks"]
    assert [pick["order"] for pick in more] == [needed, needed + 1]


def test_a_plan_says_what_it_will_not_tell(pool: Path, tmp_path: Path) -> None:
    done = adjudge("select", pool, "--budget", 20, "--out", tmp_path / "plan.csv")
    assert "These 20 labels are meant to find the best model. Accuracies will be known to about +-" in done.stderr
    assert "--goal estimate with " in done.stderr
    told = as_json("select", pool, "--budget", 20)["outlook"]
    assert (told["purpose"], told["labels"], told["pair"], told["detectable"]) == ("best", 20, None, None)
    assert told["sentence"] in done.stderr
    assert 0.1 < told["half_width"] < 0.4


@pytest.mark.parametrize(("words", "then"), [(("--goal", "estimate"), "compare"), ((), "rank")])
def test_of_two_models_none_is_searched_for(tmp_path: Path, words: tuple[str, ...], then: str) -> None:
    two, plan = tmp_path / "two.npz", tmp_path / "plan.csv"
    library.write_predictions(POOL.only((A, B)), two)
    done = adjudge("select", two, *words, "--budget", 20, "--out", plan)
    assert "fewer do" not in done.stderr
    assert f"adjudge {then} {two} " in done.stderr
    if then == "compare":
        assert adjudge("compare", two, B, A, "--labels", answered(plan)).returncode in (0, 1)


def test_what_does_not_fit_is_said_in_a_sentence(pool: Path) -> None:
    words = ("select", pool, "--models", A, B, "--budget", 5)
    assert "--models draws with equal chances where the two differ; leave out --goal" in refused(
        *words, "--goal", "best"
    )
    assert "which 'pooled' does not; leave out the method" in refused(*words, "--method", "pooled")
    assert "no model 'net'" in refused("select", pool, "--models", A, "net", "--budget", 5)
    assert "differ on" in refused("select", pool, "--models", A, B, "--budget", 300)
