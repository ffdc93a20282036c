"""`adjudge label` from outside: projects that go on, metrics, and what is refused."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from adjudge.cli.main import app
from adjudge.errors import InputError
from adjudge.io import read, write_predictions
from adjudge.labeling.session.project import ProjectSettings, changed, create, open_project
from tests.support.answers import open_pool
from tests.support.commands import label_here, refused


def test_what_cannot_be_is_refused(pool: Path) -> None:
    assert "did you mean 'random'" in refused("label", pool, "--method", "randomm")
    assert not pool.with_suffix(".adjudge").exists()
    assert "--token TOKEN or --users FILE" in refused("label", pool, "--host", "0.0.0.0", "--no-browser")
    assert "too short to be safe" in refused("label", pool, "--token", "short", "--no-browser")
    assert "cannot be read" in refused("label", pool, "--users", pool.parent / "none.txt", "--no-browser")
    assert not pool.with_suffix(".adjudge").exists()


def test_a_project_keeps_what_its_labels_depend_on(pool: Path) -> None:
    project = create(pool.with_suffix(".adjudge"), read(pool), ProjectSettings(method="random"))
    with pytest.raises(InputError, match="seed 0, which cannot change"):
        changed(project, {"seed": 3})
    with pytest.raises(InputError, match="stopping rule 'tired'"):
        changed(project, {"until": "tired"})
    changed(project, {"until": "within 0.1", "data": str(pool), "seed": None})
    again = open_project(project.folder)
    assert again.settings.until == "within 0.1"
    assert again.path_of(again.settings.data) == pool


def here(*words: object) -> Result:
    """The same in this process, which is quicker."""
    return CliRunner().invoke(app, ["label", *map(str, words), "--terminal", "--name", "ada"], input="q\n")


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(
    "slip", [("--data", "/nowhere"), ("--template", "/nowhere"), ("--database", "sqlite:////no/x")]
)
def test_a_slip_does_not_stay_in_the_project(pool: Path, slip: tuple[str, str], *, begun: bool) -> None:
    if begun:
        create(pool.with_suffix(".adjudge"), read(pool), ProjectSettings())
    assert isinstance(here(pool, *slip).exception, InputError)
    assert pool.with_suffix(".adjudge").exists() == begun
    assert here(pool).exit_code == 0


def test_a_new_project_writes_over_no_file_of_the_user_s(pool: Path) -> None:
    write_predictions(read(pool), own := pool.parent / "predictions.npz")
    before = own.read_bytes()
    assert "predictions.npz is there already" in str(here(own, "--project", pool.parent).exception)
    assert own.read_bytes() == before


def test_labels_do_not_vanish_behind_another_database(pool: Path) -> None:
    assert here(pool).exit_code == 0
    refusal = here(pool, "--database", f"sqlite:///{pool.parent / 'other.db'}").exception
    assert "another database does not have them" in str(refusal)
    assert not (pool.parent / "other.db").exists()
    assert here(pool).exit_code == 0


def test_labels_that_come_too_late_are_told(pool: Path) -> None:
    (pool.parent / "more.csv").write_text("sample_id,label\na,cat\n")
    here(pool)
    assert "more.csv is ignored" in " ".join(here(pool, "--labels", pool.parent / "more.csv").output.split())


def test_what_cannot_be_graded_is_refused(tmp_path: Path, pool: Path) -> None:
    write_predictions(open_pool(3), file := tmp_path / "answers.parquet")
    assert "the range 1 to 0 is empty" in refused("label", file, "--grade", 1, 0)
    assert "leave them out" in refused("label", file, "--grade", 0, 1, "--range", 0, 1)
    (tmp_path / "labels.csv").write_text("sample_id,label\nq0,100\n")
    assert "the labels given are not grades" in refused(
        "label", file, "--grade", 0, 1, "--labels", tmp_path / "labels.csv"
    )
    (tmp_path / "scores.csv").write_text("sample_id,a,b\n1,0.5,0.25\n2,0.5,1\n")
    told = refused("label", tmp_path / "scores.csv", "--scores", "--range", 0, 1)
    assert "nobody can grade them here" in told
    assert not file.with_suffix(".adjudge").exists()
    assert "has the grade None, which cannot change" in _changed_grade(pool)


def _changed_grade(pool: Path) -> str:
    create(pool.with_suffix(".adjudge"), read(pool), ProjectSettings())
    return refused("label", pool, "--grade", 0, 1)


def test_a_metric_is_what_labels_are_drawn_and_models_ranked_for(pool: Path) -> None:
    done = label_here(pool, "--metric", "f1", "--class", "cat", "--level", 0.9, said="cat\ndog\nr\nq\n")
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert "f1 of cat" in told
    assert "No stopping rule holds for f1: label a number of samples that is fixed in advance." in told
    settings = open_project(pool.with_suffix(".adjudge")).settings
    assert (settings.metric, settings.positive, settings.level) == ("f1", "cat", 0.9)
    assert settings.header.parameters == {"metric": "f1", "positive": "cat"}
    assert "which cannot change while it runs" in refused("label", pool, "--terminal", "--metric", "mcc")
    assert "known for means of losses only" in refused("label", pool, "--terminal", "--until", "within 0.1")


def test_a_mean_of_losses_has_a_stopping_rule(tmp_path: Path) -> None:
    pool = tmp_path / "pool.csv"
    pool.write_text("sample_id,a,b\n1,0.5,9\n2,1.5,1\n3,2.5,2\n")
    words = (pool, "--metric", "mae", "--range", 0, 10, "--until", "within 5")
    ruled = label_here(*words, said="1\n2\n3\nq\n")
    assert ruled.returncode == 0, ruled.stderr
    assert "MAE" in ruled.stdout
    assert "You may stop: a is at most 5 worse" in " ".join(ruled.stdout.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--metric", "f1"], "f1 is about one class; name one of"),
        (["--metric", "rmse"], "rmse is for numbers, but these predictions are classes"),
        (["--metric", "log-loss"], "probabilities"),
        (["--class", "cat"], "is given without a metric"),
        (["--metric", "mcc", "--range", 0, 1], "mcc has no use for --range"),
        (["--metric", "mcc", "--loss", "zero-one"], "cannot be combined with a loss"),
        (["--metric", "mcc", "--until", "separated"], "known for means of losses only"),
        (["--level", 2], "the level 2 is not between 0.5 and 1"),
    ],
)
def test_metrics_that_cannot_be_are_refused(pool: Path, words: list[object], told: str) -> None:
    assert told in refused("label", pool, "--terminal", *words)
    assert not pool.with_suffix(".adjudge").exists()
