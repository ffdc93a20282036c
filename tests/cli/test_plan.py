"""`adjudge plan`."""

from pathlib import Path

from tests.support.commands import WIDE, as_json, refused
from tests.support.commands import adjudge as adjudge_command


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text(WIDE)
    made = as_json("plan", path, "--difference", 0.3, "--models", "net", "tree")
    assert made["pairs"][0]["everywhere"] == {"best": 6, "likely": 6, "worst": 6}
    said = adjudge_command("plan", path, "--difference", 0.3)
    assert "net, tree" in said.stdout
    assert "takes more" in said.stdout
    assert said.stdout.endswith(f"adjudge select {path} --models net tree --budget 2 --out labels.csv\n")
    assert said.stdout.startswith("Label ")
    labels = tmp_path / "labels.csv"
    labels.write_text("sample_id,label\na,cat\nc,cat\ne,dog\n")
    words = ("--labels", labels, "--drawn", "uniform")
    told = " ".join(adjudge_command("plan", path, *words).stdout.split())
    assert "taken from 3 labels" in told
    assert "For a typical pair no label is used: it is assumed" in told
    assert "typical" not in adjudge_command("plan", path, *words, "--models", "net", "rule").stdout
    assert "in dispute" not in told


def test_models_that_stand_where_files_do_are_told_where_they_go(tmp_path: Path) -> None:
    (tmp_path / "pool.csv").write_text(WIDE)
    told = refused("plan", tmp_path / "pool.csv", "net", "tree")
    assert "net does not exist; give files of predictions, and name models with an option (--models, --only)" in told
