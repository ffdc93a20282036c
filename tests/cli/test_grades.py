"""Grades, scores and judges, from a plan to a ranking in the users' own units."""

import csv
from pathlib import Path

import numpy as np
import pytest

from adjudge.io import read, read_judge
from tests.support.commands import adjudge, as_json, refused
from tests.support.grades import MODELS, answers, fill_grades


def graded_plan(folder: Path, grade: str = "5") -> tuple[Path, Path]:
    """A plan whose answers `yes` have this grade, and all others a 1."""
    file, plan = answers(folder), folder / "plan.csv"
    done = adjudge("select", file, "--grade", 1, 5, "--budget", 30, "--out", plan)
    assert "fill its grade column" in done.stderr
    fill_grades(plan, lambda answer: grade if answer == "yes" else "1")
    return file, plan


def judge(folder: Path, rows: str) -> Path:
    file = folder / "judge.csv"
    file.write_text("sample_id,model,score\n" + rows)
    return file


def test_a_filled_plan_ranks_by_mean_grade_in_its_units(tmp_path: Path) -> None:
    file, plan = graded_plan(tmp_path)
    found = as_json("rank", file, "--labels", plan)
    values = {each["name"]: each["value"] for each in found["models"]}
    assert found["quantity"] == "mean grade"
    assert values["good"] > values["fair"] > values["poor"]
    assert all(1 <= value <= 5 for value in values.values())


def test_the_question_stands_beside_the_answer(tmp_path: Path) -> None:
    table, pool, plan = tmp_path / "answers.csv", tmp_path / "pool.parquet", tmp_path / "plan.csv"
    rows = [f"q{at},{model},{said},Is {at} even?\n" for at in range(20) for model, said in (("x", "yes"), ("y", at))]
    table.write_text("".join(["sample_id,model,answer,question\n", *rows]))
    assert adjudge("import", "table", table, "--out", pool).returncode == 0
    assert adjudge("select", pool, "--grade", 1, 5, "--budget", 5, "--out", plan).returncode == 0
    assert adjudge("select", pool, "--grade", 1, 5, "--budget", 6, "--out", plan).returncode == 0  # nothing is lost
    lines = [line for line in plan.read_text().splitlines() if not line.startswith("#")]
    assert lines[0].endswith(",question,answer,grade")
    assert all(f",Is {line.split(',')[0][1:]} even?," in line for line in lines[1:])
    fill_grades(plan, lambda answer: "5" if answer == "yes" else "1")
    assert adjudge("select", pool, "--labels", plan, "--budget", 5, "--out", plan).returncode == 0
    assert as_json("rank", pool, "--labels", plan)["labels"] == 6


def test_a_plan_of_grades_goes_on_with_its_range(tmp_path: Path) -> None:
    file, plan = graded_plan(tmp_path)
    assert adjudge("select", file, "--labels", plan, "--budget", 5, "--out", plan).returncode == 0
    assert "# range: 1.0 5.0" in plan.read_text()
    assert as_json("rank", file, "--labels", plan)["labels"] == 30


def test_grades_outside_their_range_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    file, plan = graded_plan(tmp_path, "9")
    assert "the grade 9 of sample" in refused("rank", file, "--labels", plan)
    out = tmp_path / "next.csv"
    assert "outside the range 1 to 5" in refused("select", file, "--labels", plan, "--budget", 5, "--out", out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("rows", "words"),
    [("stranger,good,1\n", "not in the pool"), ("s0,stranger,1\n", "there is no model 'stranger'")],
)
def test_a_judge_of_something_else_is_refused_and_nothing_is_written(tmp_path: Path, rows: str, words: str) -> None:
    file, out = answers(tmp_path), tmp_path / "plan.csv"
    told = refused("select", file, "--judge", judge(tmp_path, rows), "--grade", 1, 5, "--budget", 5, "--out", out)
    assert words in told
    assert not out.exists()


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("sample_id,model,quality\ns0,good,1\n", "has no column 'score' but 'sample_id', 'model', 'quality'; rename"),
        ("sample_id,comment\ns0,fine\n", "has no column 'score' but 'sample_id', 'comment'; rename"),
        ("sample_id\ns0\n", "scores, or give a column of scores for each model: 'good', 'fair', 'poor'"),
        (
            "sample_id,model,score\ns0,good,fine\n",
            "predicts 'fine', which is not a number; regression and scores need numbers",
        ),
        (
            "sample_id,score\ns0,1\n",
            "has a score for each sample, which says nothing about models; add a column 'model'",
        ),
        ("sample_id,model,score\ns0,good,1\ns1,bad,1\nstranger,bad,1\n", "1 of 3 samples in judge.csv are not in"),
    ],
)
def test_what_is_no_table_of_a_judge_is_one_sentence(table: str, words: str, tmp_path: Path) -> None:
    file, out, given = answers(tmp_path), tmp_path / "plan.csv", tmp_path / "judge.csv"
    given.write_text(table, encoding="utf-8")
    done = adjudge("select", file, "--judge", given, "--grade", 1, 5, "--budget", 5, "--out", out)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
    assert not out.exists()


def test_a_judge_narrows_intervals_and_its_trust_is_told(tmp_path: Path) -> None:
    file, plan = graded_plan(tmp_path)
    _, *lines = csv.reader(file.read_text().splitlines())
    scores = [
        f"{name},{model},{5 if said == 'yes' else 1}"
        for name, *row in lines
        for model, said in zip(MODELS, row, strict=True)
    ]
    given = judge(tmp_path, "\n".join(scores) + "\n")
    alone = as_json("rank", file, "--labels", plan)
    helped = as_json("rank", file, "--labels", plan, "--judge", given)
    widths = [np.mean([each["high"] - each["low"] for each in found["models"]]) for found in (alone, helped)]
    assert widths[1] < 0.8 * widths[0]
    assert helped["judges"][0]["agreement"] == 1
    told = " ".join(adjudge("rank", file, "--labels", plan, "--judge", given).stdout.split())
    assert "The judge agrees with people on which of two answers is better in 100%" in told


def test_a_judge_without_labels_is_said_to_wait(tmp_path: Path) -> None:
    file = answers(tmp_path)
    told = "a judge counts beside labels only, so nothing below depends on it yet"
    assert told in adjudge("rank", file, "--judge", judge(tmp_path, "s0,good,1\ns0,fair,0\n")).stderr
    assert told not in adjudge("rank", file).stderr


def test_scores_are_ranked_compared_planned_and_simulated(tmp_path: Path) -> None:
    file, rng = tmp_path / "scores.npz", np.random.default_rng(1)
    scores = np.clip(rng.normal([[4.0], [3.0], [2.0]], 0.5, (3, 80)), 0, 5)
    np.savez(file, scores=scores, model_names=np.array(MODELS))
    found = as_json("rank", file)
    assert [each["value"] for each in found["models"]] == pytest.approx(scores.mean(axis=1))
    compared = as_json("compare", file, "good", "fair")
    assert compared["difference"] == pytest.approx(scores[0].mean() - scores[1].mean())
    plan = as_json("plan", file, "--difference", 0.5)
    assert (plan["quantity"], plan["disputed"], plan["typical"]["where_they_differ"]) == ("mean score", None, None)
    assert adjudge("simulate", file, "--seeds", 2, "--budget", 10).returncode == 0
    assert "scores are numbers" in refused("rank", file, "--classification")


def test_grades_of_answers_may_be_the_truth_of_a_simulation(tmp_path: Path) -> None:
    """As long as all models that gave an answer share its grade, grades of answers and of models say the same."""
    file = answers(tmp_path)
    said = [row for _, *row in csv.reader(file.read_text().splitlines())][1:]
    grade = {"yes": "5", "no": "1"}
    by_answer = [f"s{at},{each},{grade[each]}\n" for at, row in enumerate(said) for each in sorted(set(row))]
    by_model = [
        f"s{at},{model},{grade[each]}\n" for at, row in enumerate(said) for model, each in zip(MODELS, row, strict=True)
    ]
    found = []
    for column, rows in (("answer", by_answer), ("model", by_model)):
        truth = tmp_path / f"{column}.csv"
        truth.write_text(f"sample_id,{column},Grade\n" + "".join(rows), encoding="utf-8")
        found.append(as_json("simulate", file, "--truth", truth, "--budget", 10, "--seeds", 2))
    assert found[0] == found[1]
    assert found[0]["quantity"] == "mean grade"
    labels = tmp_path / "labels.csv"  # a grade beside labels is a fact
    labels.write_text("sample_id,model,grade,label\n" + "".join(f"s{at},good,1,yes\n" for at in range(60)))
    assert as_json("simulate", file, "--truth", labels, "--budget", 2, "--seeds", 1)["quantity"] == "accuracy"
    assert list(found[0]["truth"].values()) == [np.mean([float(grade[row[at]]) for row in said]) for at in range(3)]


def test_the_margin_of_grades_is_a_hundredth_of_their_range(tmp_path: Path) -> None:
    file, plan = graded_plan(tmp_path)
    assert as_json("rank", file, "--labels", plan)["recommendation"]["margin"] == 0.04
    assert as_json("rank", file, "--labels", plan, "--margin", 0.5)["recommendation"]["margin"] == 0.5
    assert as_json("plan", file, "--labels", plan)["difference"] == 0.04


def test_models_with_the_same_score_do_not_differ(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("sample_id,a,b\n" + "".join(f"s{place},1,{place % 4 // 3}\n" for place in range(40)))
    found = as_json("compare", file, "a", "b", "--scores")
    assert (found["differing"], found["differing_labeled"], found["a_better"]) == (30, 30, 30)


def test_what_does_not_go_with_grades_is_told(tmp_path: Path) -> None:
    file, plan, labels = answers(tmp_path), tmp_path / "plan.csv", tmp_path / "labels.csv"
    adjudge("select", file, "--grade", 1, 5, "--budget", 3, "--out", plan)
    assert "no sample has grades for all of its answers yet" in refused("rank", file, "--labels", plan)
    waiting = adjudge("compare", file, "good", "poor", "--labels", plan)
    assert (waiting.returncode, "fill in the column of labels or grades" in waiting.stderr) == (2, True)
    labels.write_text("sample_id,label\ns0,yes\n")
    told = refused("select", file, "--labels", labels, "--grade", 1, 5, "--budget", 3)
    assert "labels.csv has labels, and --grade asks for grades" in told
    adjudge("merge", file, "--rows", 10, "--out", tmp_path / "parts")
    assert "these are read in parts" in refused(
        "select", tmp_path / "parts", "--memory", 400, "--method", "random", "--grade", 1, 5, "--budget", 3
    )


def test_a_judge_may_skip_but_not_contradict_itself(tmp_path: Path) -> None:
    file, by = answers(tmp_path), tmp_path / "judge.csv"
    by.write_text("sample_id,label\ns0,yes\ns1,SKIP\n")
    scores = read_judge(by, read(file)).judges["judge"]
    assert set(scores[:, 0].tolist()) <= {0.0, 1.0}
    assert np.isnan(scores[:, 1:]).all()
    by.write_text("sample_id,label\ns0,yes\ns0,no\n")
    assert "sample 's0' has more than one label" in refused("rank", file, "--judge", by)


def test_a_stopping_rule_for_scores_asks_for_their_range(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("sample_id,a,b\n" + "".join(f"s{place},1,{place % 2}\n" for place in range(40)))
    told = refused("rank", file, "--scores", "--until", "within 0.1")
    assert "give it: --range LOW HIGH" in told
    told = refused("rank", file, "--scores", "--range", 0, 1, "--until", "within 1 point")
    assert "is about points of accuracy; give the margin in the units of the grades" in told
    done = adjudge("rank", file, "--scores", "--until", "within 0.1", "--range", 0, 1)
    assert done.returncode == 0


def test_a_sample_without_any_score_leaves_the_others_exact(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("sample_id,a,b\ns0,1,0\ns1,,\ns2,1,\n")
    found = as_json("rank", file, "--scores")
    assert found["quantity"] == "mean score"
    assert [(each["name"], each["low"], each["high"]) for each in found["models"]] == [("a", 1, 1), ("b", 0, 0)]
    assert as_json("estimate", file, "--scores", "--model", "a")["value"] == 1


def test_a_report_shows_the_grades_of_contested_samples(tmp_path: Path) -> None:
    file, plan = graded_plan(tmp_path)
    adjudge("report", file, "--labels", plan, "--out", tmp_path / "report.md")
    lines = [line for line in (tmp_path / "report.md").read_text().splitlines() if line.startswith("- **Sample")]
    told = [line for line in lines if "none yet" not in line]
    assert told
    assert all("1 for no" in line and "5 for yes" in line for line in told)


def test_a_plan_of_grades_keeps_its_range(tmp_path: Path) -> None:
    file, plan = graded_plan(tmp_path)
    told = refused("select", file, "--labels", plan, "--grade", 0, 10, "--budget", 5, "--out", tmp_path / "more.csv")
    assert f"the grades of {plan} go from 1 to 5; leave out --grade" in told
    assert not (tmp_path / "more.csv").exists()
