"""`adjudge bench ces-2019`: every table and figure comes out, and what is missing is shown as missing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge.experiments.jobs import RunSettings
from adjudge.experiments.outputs import MISSING, Figure, Grid, Output
from adjudge.experiments.papers import ces_2019, ces_2019_tables
from adjudge.experiments.papers.ces_2019_errors import (
    AUTHORS,
    random_variance,
    scores,
)
from adjudge.experiments.results import Results
from adjudge.experiments.run import run
from adjudge.experiments.spec import experiment
from adjudge.experiments.tasks import Task, load
from adjudge.methods.papers.surprise import likelihood_surprise
from tests.support.small_tasks import write_task


@pytest.fixture(scope="module")
def outputs(tasks: list[Task], results: Results) -> dict[str, Output]:
    return {each.name: each for each in ces_2019.outputs(tasks, results)}


def grid(outputs: dict[str, Output], name: str) -> dict[tuple[str, ...], dict[str, str]]:
    """The cells of a table by task and model, and labels where it says them."""
    found = outputs[name]
    assert isinstance(found, Grid)
    rows = [dict(zip(found.header, (each.text for each in row), strict=True)) for row in found.rows]
    return {tuple(row[each] for each in ("task", "model", "labels") if each in row): row for row in rows}


def figure(outputs: dict[str, Output], name: str) -> Figure:
    found = outputs[name]
    assert isinstance(found, Figure)
    return found


def test_it_is_built_in() -> None:
    made, named, settings = experiment("ces-2019")
    assert made is ces_2019
    assert named == ()
    assert settings.repetitions == 50  # Section 4.2


def test_tasks_with_features_and_regressions_take_part(tasks: list[Task], results: Results) -> None:
    assert {task.name for task in ces_2019.taking_part(tasks)} == {"plain", "plain@first", "unsure", "numbers"}
    assert not results.left_out
    assert results.of("unsure", "CSS") == ()
    assert max(results.of("unsure", "CES")[0].job.budgets) == 120


def test_all_outputs_are_there(outputs: dict[str, Output]) -> None:
    shared = ["table-1", "bias", "table-2", "footnote-5", "table-3", "table-3-errors", "surprise", "times"]
    own = [f"figure-3-{name}" for name in ("numbers", "plain", "unsure")]
    assert set(outputs) == {*shared, *own, "footnote-4", "figure-e-plain", "figure-e-unsure"}


def test_table_1_has_each_model_and_what_is_missing(outputs: dict[str, Output], tasks: list[Task]) -> None:
    table = grid(outputs, "table-1")
    rows = [("numbers", "model_0"), ("numbers", "model_1"), ("plain", "model 0"), ("plain", "model 3")]
    assert list(table) == [*rows, ("unsure", "model 0")]
    for name in ("CSS", "CES", "CES (reversed KL)", "CES (authors' programs)"):
        assert table["numbers", "model_0"][name] == MISSING
        assert float(table["plain", "model 3"][name].split()[0]) > 0
    assert table["unsure", "model 0"]["CSS"] == MISSING
    plain = next(task for task in tasks if task.name == "plain")
    assert table["plain", "model 3"]["actual"] == f"{100 * plain.values[3]:.2f}"


def test_bias_is_told_with_its_error(outputs: dict[str, Output], results: Results) -> None:
    table = grid(outputs, "bias")
    random = results.get("plain", "SRS")
    assert random is not None
    missed = random.values[:, random.job.budgets.index(100), 3] - random.truth[3]
    assert float(table["plain", "model 3"]["SRS"].split()[0]) == pytest.approx(100 * missed.mean(), abs=0.005)
    assert table["numbers", "model_0"]["CES"] == MISSING


def test_table_2_knows_units_only(outputs: dict[str, Output]) -> None:
    table = grid(outputs, "table-2")
    assert table["plain", "model 0"]["units"] == "4"
    assert table["numbers", "model_0"]["units"] == MISSING


def test_curves_have_all_sizes_and_theory(outputs: dict[str, Output]) -> None:
    drawn = figure(outputs, "figure-3-plain")
    assert [panel.title for panel in drawn.panels] == ["model 0", "model 3"]
    assert [line.label for line in drawn.panels[0].lines] == [*ces_2019_tables.METHODS, ces_2019.THEORY]
    assert all(line.x.tolist() == list(range(35, 181, 5)) for line in drawn.panels[0].lines)
    assert [line.label for line in figure(outputs, "figure-3-numbers").panels[0].lines] == ["SRS", ces_2019.THEORY]
    (panel,) = figure(outputs, "figure-e-unsure").panels
    assert [line.label for line in panel.lines] == ["SRS", "CES", "CES (reversed KL)", "CES (authors' programs)"]
    assert set(panel.lines[0].y) == {1.0}
    assert np.isnan(panel.lines[1].y[-1])  # all samples are labeled: there is no error to compare


def test_larger_samples_than_the_pool_are_missing(outputs: dict[str, Output]) -> None:
    row = grid(outputs, "footnote-5")["plain", "model 3"]
    assert row["180"] != MISSING
    assert row["500"] == row["2500"] == MISSING
    assert set(list(grid(outputs, "footnote-5")["numbers", "model_0"].values())[2:]) == {MISSING}


def test_larger_samples_reach_2500_labels(tmp_path: Path) -> None:
    task = load(write_task(tmp_path / "large.npz", 3, 2600, features=(0,)))
    jobs = [job for job in ces_2019.jobs([task], RunSettings(repetitions=5)) if job.name == "CES, up to 2500"]
    made = ces_2019_tables.large_samples([task], run(jobs, {"large": task.path}, tmp_path / "out", workers=1))
    sizes = ("180", "500", "1000", "1500", "2000", "2500")
    assert made.header == ("task", "model", *sizes, "mean")
    assert all(float(each.text) >= 0 for each in made.rows[0][2:])


def test_small_pools_have_average_deviation_and_maximum(outputs: dict[str, Output]) -> None:
    for name, columns in (("table-3", ("",)), ("table-3-errors", ("SRS ", "CES "))):
        row = grid(outputs, name)["plain", "model 0", "30 of 100"]
        assert {key[2] for key in grid(outputs, name)} == {"30 of 100", "50 of 300"}
        for column in columns:
            average, deviation, most = (float(row[column + each]) for each in ("average", "deviation", "maximum"))
            assert 0 < average < most
            assert 0 < deviation < most
        assert set(list(grid(outputs, name)["plain", "model 0", "50 of 300"].values())[3:]) == {MISSING}  # 240 samples
    numbers = grid(outputs, "table-3-errors")["numbers", "model_1", "30 of 100"]
    assert float(numbers["SRS average"]) > 0
    assert numbers["CES average"] == MISSING


def test_times_are_told_for_models_with_features(outputs: dict[str, Output]) -> None:
    table = grid(outputs, "times")
    assert set(table) == {("plain", "model 0"), ("plain", "model 3"), ("unsure", "model 0")}
    assert float(table["plain", "model 0"]["CES"]) > 0
    assert table["unsure", "model 0"]["CSS"] == MISSING


def test_other_layers_stand_beside_the_last_hidden_one(outputs: dict[str, Output], tasks: list[Task]) -> None:
    table = grid(outputs, "footnote-4")
    assert table["plain", "model 3"]["first"] != MISSING
    assert table["plain", "model 0"]["first"] == MISSING
    without = ces_2019_tables.layers([task for task in tasks if "@" not in task.name], Results(()))
    assert without.header[-1] == "another layer"
    assert {row[-1].text for row in without.rows} == {MISSING}
    assert "--features LAYER --out <task>@<layer>.npz" in without.note


def test_strata_by_surprise(outputs: dict[str, Output], results: Results, tasks: list[Task]) -> None:
    found = outputs["surprise"]
    assert isinstance(found, Grid)
    rows = {tuple(each.text for each in row[:3]): [each.text for each in row[3:]] for row in found.rows}
    assert list(rows) == [
        ("numbers", "model_0", "auxiliary_error"),
        ("numbers", "model_1", "auxiliary_error"),
        ("plain", "model 0", "surprise"),
        ("plain", "model 3", "surprise"),
        ("unsure", "model 0", "surprise"),
    ]
    assert {row[2] for row in rows.values()} == {MISSING}  # the paper says nothing about these models
    assert float(rows["numbers", "model_1", "auxiliary_error"][0].split()[0]) < 0.5  # the squared error, known ahead
    (outcome,) = (each for each in results.of("plain", "CSS by surprise") if each.job.model == "model 3")
    assert (outcome.job.part, max(outcome.job.budgets)) == ((120, 0), 120)
    plain = next(task for task in tasks if task.name == "plain").part(120, 0, 0)
    errors = outcome.values[:, :, 0] - outcome.truth[0]
    variance = random_variance(scores(plain, "model 3"), outcome.job.budgets)  # of the half, not of the whole pool
    ratio = (errors[:, :-1] ** 2).mean(axis=0) / variance[:-1]  # the last size is the whole half
    assert float(rows["plain", "model 3", "surprise"][0].split()[0]) == pytest.approx(ratio.mean(), abs=0.0006)
    surprise = plain.surprising("model 3").auxiliary["surprise"].of("model 3")
    assert surprise is not None
    assert plain.rows is not None
    reference = np.delete(load(plain.path).features("model 3"), plain.rows, axis=0)
    said = load(plain.path).predictions.values[3]
    expected = likelihood_surprise(plain.features("model 3"), reference, said[plain.rows], np.delete(said, plain.rows))
    assert surprise == pytest.approx(expected)


def test_half_of_the_known_labels_is_the_pool(tmp_path: Path) -> None:
    task = load(write_task(tmp_path / "part.npz", 3, 300, features=(0,)))
    unknown = replace(task, truth=np.where(np.arange(300) < 200, np.nan, task.truth))
    jobs = [job for job in ces_2019.jobs([unknown], RunSettings(2)) if job.options.get("by") == "surprise"]
    assert {(job.part, max(job.budgets)) for job in jobs} == {((50, 0), 50)}


def test_each_model_of_the_paper_is_run_as_its_program_does(tmp_path: Path) -> None:
    names = ["LeNet-1", "LeNet-4", "LeNet-5", "mutant1"]
    path = write_task(tmp_path / "mnist_ces.npz", 4, 240, features=(0, 1, 2, 3))
    with np.load(path) as stored:
        arrays = {**stored, "model_names": np.array(names)}
    np.savez(path, allow_pickle=False, **arrays)
    jobs = {job.model: job for job in ces_2019.jobs([load(path)], RunSettings(2)) if job.name == AUTHORS}
    told = [jobs[name].options for name in names]
    assert [each.get("sections", 0) for each in told] == [4, 9, 29, 0]  # 0: the 19 of the mutants
    assert [each["variant"] for each in told] == ["authors-cross-entropy"] * 2 + ["authors"] * 2


def test_a_second_call_asks_for_nothing(tasks: list[Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [task for task in tasks if task.name == "unsure"]
    paths, jobs = {task.name: task.path for task in chosen}, ces_2019.jobs(chosen, RunSettings(repetitions=2))
    first = run(jobs, paths, tmp_path, workers=1)
    monkeypatch.setattr("adjudge.experiments.run.run_job", None)
    monkeypatch.setattr("adjudge.methods.papers.ces.CES.start", None)
    again = run(jobs, paths, tmp_path, workers=1)
    ours, theirs = (ces_2019.outputs(chosen, each) for each in (first, again))
    assert len(ours) == 11
    for one, other in zip(ours, theirs, strict=True):
        assert isinstance(one, Figure) or one == other
