"""`adjudge repeats`, from a log with several epochs to one sentence."""

from pathlib import Path

import numpy as np

from tests.support.commands import adjudge, as_json, refused


def imported(folder: Path, *options: str) -> tuple[Path, Path]:
    """Two models that were asked three times, and one that was asked once."""
    rng = np.random.default_rng(0)
    rows = ["question_id,model,epoch,response,target"]
    for question in range(80):
        for model, chance in (("big", 0.8), ("small", 0.6)):
            rows += [f"q{question},{model},{run},{7 if rng.random() < chance else 3},7" for run in (1, 2, 3)]
        rows.append(f"q{question},once,1,7,7")
    log, out, truth = folder / "log.csv", folder / "predictions.parquet", folder / "truth.csv"
    log.write_text("\n".join(rows) + "\n")
    done = adjudge("import", "table", log, "--out", out, "--with-truth", truth, *options)
    assert done.returncode == 0
    assert "adjudge repeats" in " ".join((done.stdout + done.stderr).split())
    return out, truth


def test_an_imported_log_is_weighed_in_one_sentence(tmp_path: Path) -> None:
    out, truth = imported(tmp_path, "--epochs", "all")
    shown = " ".join(adjudge("repeats", out, "--labels", truth, "--more-runs", 5).stdout.split())
    assert "30 more labeled samples would make that about" in shown
    assert "5 more runs about" in shown
    found = as_json("repeats", out, "--labels", truth)
    assert [(row["name"], row["runs"]) for row in found["models"]] == [("once", 1), ("big", 3), ("small", 3)]
    assert found["models"][0]["run_share"] is None
    assert 0.4 < found["models"][1]["run_share"] <= 1


def test_without_labels_it_says_how_often_answers_change(tmp_path: Path) -> None:
    out, _ = imported(tmp_path, "--epochs", "all")
    assert "changes its answer on" in adjudge("repeats", out).stdout


def test_the_first_epoch_alone_is_refused(tmp_path: Path) -> None:
    out, _ = imported(tmp_path)
    assert "no model has several runs here" in refused("repeats", out)


def test_scores_of_several_runs_are_asked_for_their_range(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    rows = [f"q{at},{model} (epoch {run}),0.{(at * run) % 7}" for at in range(9) for model in "ab" for run in (1, 2)]
    file.write_text("\n".join(["sample_id,model,score", *rows]), encoding="utf-8")
    assert "a stated range; give it: --range LOW HIGH (`graded` in Python)" in refused("repeats", file)
    assert as_json("repeats", file, "--range", 0, 1)["quantity"] == "mean score"
