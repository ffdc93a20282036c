"""What the commands refuse: one sentence, exit code 2, nothing written."""

from pathlib import Path

import pytest

from tests.support.commands import TRUTH, WIDE, adjudge_process, as_json, fill, refused, sentence_of


def test_bad_files_end_with_one_sentence(tmp_path: Path, wide: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.touch()
    assert "empty.csv" in sentence_of(adjudge_process("rank", empty))
    assert "missing.csv" in refused("check", tmp_path / "missing.csv")
    wide.write_text(WIDE.replace("sample_id", "name"))
    assert "--id" in refused("rank", wide)
    liar = tmp_path / "liar.npz"
    liar.write_text("not a zip")
    assert "liar.npz" in refused("rank", liar)


def test_bad_labels_end_with_one_sentence(wide: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("sample_id,label\nz,cat\n")
    assert "'z'" in refused("rank", wide, "--labels", labels)
    labels.write_text("sample_id,label\na,cat\na,dog\n")
    assert "'a'" in refused("rank", wide, "--labels", labels)
    labels.write_text("sample_id,label\na,bird\n")
    assert "'bird'" in refused("rank", wide, "--labels", labels, "--classes", "cat,dog")


@pytest.mark.parametrize("budget", [-1, 0, 7])
def test_bad_budgets_write_nothing(wide: Path, tmp_path: Path, budget: int) -> None:
    out = tmp_path / "plan.csv"
    sentence = refused("select", wide, f"--budget={budget}", "--out", out)
    assert f"a budget of {budget} was asked for but 6 of 6 samples are left to label" in sentence
    assert not out.exists()


def test_a_slip_in_an_option_is_one_sentence(wide: Path) -> None:
    assert "'--budget'" in refused("select", wide, "--budget", "1e9")
    assert "No such command 'rnk'" in refused("rnk", wide)
    assert "'--seed'" in refused("select", wide, "--budget", 2, "--seed=-1")


def test_a_plan_never_overwrites_labels_or_predictions(wide: Path, tmp_path: Path) -> None:
    plan = tmp_path / "labels.csv"
    as_json("select", wide, "--budget", 2, "--out", plan)
    as_json("select", wide, "--budget", 3, "--out", plan)  # a plan that nobody filled in may be replaced
    fill(plan, TRUTH)
    before = plan.read_bytes()
    assert "holds 3 labels, which would be lost" in refused("select", wide, "--budget", 2, "--out", plan)
    assert plan.read_bytes() == before
    fill(plan, dict.fromkeys(TRUTH, "SKIP"))
    assert "holds 0 labels and 3 skips, which would be lost" in refused("select", wide, "--budget", 2, "--out", plan)
    assert "is not a file of labels" in refused("select", wide, "--budget", 2, "--out", wide)
    assert wide.read_text() == WIDE


def test_a_demo_needs_a_folder(wide: Path) -> None:
    assert "cannot be made" in refused("demo", "--out", wide)


def test_an_output_that_cannot_be_written_is_refused(wide: Path, tmp_path: Path) -> None:
    sentence = refused("select", wide, "--budget", 2, "--out", tmp_path / "nowhere" / "plan.csv")
    assert "nowhere" in sentence


def test_numbers_cannot_be_ranked_without_labels(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("id,a,b\n1,0.5,0.25\n2,1.5,1.0\n")
    assert "votes need classes" in refused("rank", path)
    labels = tmp_path / "labels.csv"
    labels.write_text("id,label\n1,0.5\n".replace("id", "sample_id"))
    assert "needs the lowest and highest possible value" in refused(
        "rank", path, "--labels", labels, "--loss", "absolute"
    )
    ranked = as_json("rank", path, "--labels", labels, "--loss", "absolute", "--range", 0, 2)
    assert ranked["models"][0]["name"] == "a"
    assert "is for classes, but these predictions are numbers" in refused("rank", path, "--loss", "zero-one")
