"""Draws by the surprise of samples, as a user asks for them."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import adjudge
from adjudge import registry
from adjudge.cli.main import app
from adjudge.core.labels import Labels, Pick, RunHeader
from adjudge.core.sampling import Picker
from adjudge.methods.baselines.random import Random
from adjudge.methods.papers.surprise import likelihood_surprise
from adjudge.simulation.contract import example_pool
from tests.support.commands import as_json, refused
from tests.support.pools import Task

POOL, TRUTH = example_pool(models=2, samples=300)
RNG = np.random.default_rng(1)
FEATURES, REFERENCE = RNG.normal(size=(300, 6)).astype(np.float16), RNG.normal(size=(200, 6))
CSS = ("--method", "css", "--budget", 50)
SURPRISED = (*CSS, "--option", "by=surprise", "--model", "model 1")


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    adjudge.write_predictions(POOL, path := tmp_path / "pool.npz", arrays={"features_1": FEATURES, "labels": TRUTH})
    return path


def light(plan: Path, pool: adjudge.Predictions) -> set[int]:
    """The samples that were drawn more often than at random."""
    log = adjudge.read_labels(plan, pool)[1]
    return set(log.sample[log.weight < 1].tolist())


def test_a_regression_by_an_auxiliary_number(task: Task, tmp_path: Path) -> None:
    path, plan = task("driving_dave"), tmp_path / "plan.csv"
    words = ("--option", "by=auxiliary_lsa")
    picks = as_json("select", path, *CSS, *words, "--out", plan)["picks"]
    assert len(picks) == 50
    assert sorted({round(pick["weight"], 2) for pick in picks}) == [0.25, 4.0]
    assert "# parameter by: auxiliary_lsa\n" in plan.read_text()
    assert len(as_json("select", path, "--labels", plan, "--budget", 5)["picks"]) == 5
    played = as_json("simulate", path, *CSS[:2], *words, "--model", "Dave-orig", "--budget", 50, "--seeds", 3)[
        "summary"
    ]["estimate"]
    assert played["value"]["50"]["mean"] == pytest.approx(1 - 0.9034, abs=0.15)
    said = refused("select", path, *CSS, "--option", "by=lsb")
    assert "there are 'auxiliary_lsa', 'auxiliary_vae', 'auxiliary_sae'" in said


def test_by_a_column_of_a_table(tmp_path: Path) -> None:
    table = tmp_path / "pool.csv"
    rows = "".join(f"s{number},cat,{number / 7:.3f},sea\n" for number in range(100))
    table.write_text(f"sample_id,net,doubt,domain\n{rows}")
    words = ("--columns", "doubt,domain")
    picks = as_json("select", table, *CSS, *words, "--option", "by=doubt")["picks"]
    often = {int(pick["sample_id"][1:]) for pick in picks if pick["weight"] < 1}
    assert min(often) >= 80
    said = refused("select", table, *CSS, *words, "--option", "by=domain")
    assert said == "error: the column 'domain' holds 'sea', which is not a number; there are 'doubt', 'domain'"


def test_surprise_is_computed_from_a_reference(pool: Path, tmp_path: Path) -> None:
    reference, plan = tmp_path / "reference.npy", tmp_path / "plan.csv"
    np.save(reference, REFERENCE)
    read = adjudge.read(pool)
    as_json("select", pool, *SURPRISED, "--reference", reference, "--out", plan)
    order = np.argsort(likelihood_surprise(FEATURES, REFERENCE))
    assert light(plan, read) <= set(order[240:].tolist())
    said = refused("select", pool, "--labels", plan, "--budget", 5)
    assert "give those of a reference set with --reference" in said
    more = as_json("select", pool, "--labels", plan, "--budget", 5, "--reference", reference)["picks"]
    assert len(more) == 5
    played = ("simulate", pool, *SURPRISED, "--reference", reference, "--seeds", 2)
    assert as_json(*played)["summary"]["estimate"]["model"] == "model 1"


def test_the_reference_is_that_of_the_predicted_class(pool: Path, tmp_path: Path) -> None:
    known, plan = tmp_path / "reference.npz", tmp_path / "plan.csv"
    said, names = RNG.integers(3, size=(1, 200)), np.array(["c", "b", "a"])  # the pool has them in another order
    models = np.array(["model 1"])
    np.savez(known, predictions=said, class_names=names, model_names=models, features_0=REFERENCE)
    as_json("select", pool, *SURPRISED, "--reference", known, "--out", plan)
    order = np.argsort(likelihood_surprise(FEATURES, REFERENCE, POOL.values[1], 2 - said[0]))
    assert light(plan, adjudge.read(pool)) <= set(order[240:].tolist())


def test_what_does_not_fit_is_said_in_a_sentence(pool: Path, tmp_path: Path) -> None:
    reference, narrow = tmp_path / "reference.npy", tmp_path / "narrow.npy"
    np.save(reference, REFERENCE)
    np.save(narrow, REFERENCE[:, :2])
    assert "give those of a reference set with --reference" in refused("select", pool, *SURPRISED)
    assert "--reference is for --method css --option by=surprise" in refused(
        "select", pool, *CSS, "--reference", reference
    )
    assert "6 units and the reference 2" in refused("select", pool, *SURPRISED, "--reference", narrow)
    other = (*CSS, "--option", "by=surprise", "--reference", reference)
    assert "no features of 'model 0' are stored" in refused("select", pool, *other)
    assert "does not exist" in refused("select", pool, *SURPRISED, "--reference", tmp_path / "gone.npz")
    assert "'css' does not use features" in refused("select", pool, *CSS, "--features", reference)


def test_a_reference_goes_by_the_names_of_models_and_is_not_the_pool(pool: Path, tmp_path: Path) -> None:
    names = np.array(["model 1", "model 0"])
    np.savez(
        swapped := tmp_path / "reference.npz", features_0=REFERENCE, features_1=np.zeros((9, 6)), model_names=names
    )
    np.save(plain := tmp_path / "reference.npy", REFERENCE)
    by_name, alone = (as_json("select", pool, *SURPRISED, "--reference", each)["picks"] for each in (swapped, plain))
    assert by_name == alone
    np.savez(swapped, features_0=REFERENCE, model_names=names[1:])
    assert "there is no model 'model 1'; the models are 'model 0'" in refused(
        "select", pool, *SURPRISED, "--reference", swapped
    )
    assert "holds the pool itself; give --reference the features of other" in refused(
        "select", pool, *SURPRISED, "--reference", pool
    )


def test_check_says_that_numbers_are_enough_for_css(task: Task, pool: Path) -> None:
    assert as_json("check", task("driving_dave"))["methods"]["css"]["works"]
    assert as_json("check", pool)["methods"]["css"]["works"]
    assert not as_json("check", task("pacs"))["methods"]["css"]["works"]


def test_a_log_without_rows_keeps_its_method(pool: Path, tmp_path: Path) -> None:
    log, plan = tmp_path / "log.csv", tmp_path / "plan.csv"
    adjudge.write_labels(Labels.empty(300).with_header(RunHeader("sds", seed=4)), POOL, log)
    as_json("select", pool, "--labels", log, "--budget", 3, "--out", plan)
    header = adjudge.read_labels(plan, POOL)[1].header
    assert (header.method, header.seed) == ("sds", 4)


class EndsEarly(Random):
    """Random draws, four of them."""

    def start(self, predictions: adjudge.Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        go_on = super().start(predictions, given, budget, seed)

        def pick(labels: Labels) -> Pick | None:
            return go_on(labels) if len(labels) < 4 else None

        return pick


def test_a_method_may_end_before_the_budget(pool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "methods", lambda: {**registry.BUILT_IN, "ends-early": EndsEarly})
    plan, more = tmp_path / "plan.csv", tmp_path / "more.csv"
    words = [str(pool), "--method", "ends-early"]
    CliRunner().invoke(app, ["select", *words, "--budget", "1", "--out", str(plan)], catch_exceptions=False)
    words += ["--labels", str(plan), "--out", str(more), "--json"]
    done = CliRunner().invoke(app, ["select", *words, "--budget", "9"], catch_exceptions=False)
    assert [pick["order"] for pick in json.loads(done.stdout)["picks"]] == [1, 2, 3]
    assert "4 samples to label are in" in done.stderr
    assert "(3 of them new)" in done.stderr


def test_check_sees_features(pool: Path, task: Task) -> None:
    assert as_json("check", pool)["methods"]["ces"]["works"]
    assert not as_json("check", task("pacs"))["methods"]["ces"]["works"]
    assert "or numbers about samples: --option by=COLUMN" in refused("select", task("pacs"), *CSS)
