"""`adjudge report`: the numbers of `rank`, from files and from a labeling project."""

import json
from pathlib import Path

import numpy as np
import pytest

from adjudge import select
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.io import write_labels, write_predictions
from tests.support.commands import adjudge, as_json, check_schema, refused
from tests.support.pools import Begin

Pool = tuple[Predictions, FloatArray]


@pytest.fixture
def files(small_pool: Pool, tmp_path: Path) -> tuple[Path, Path]:
    """Predictions and labels."""
    pool, truth = small_pool
    write_predictions(pool, tmp_path / "pool.npz")
    write_labels(select(pool, 30).answer_all(truth), pool, tmp_path / "labels.csv")
    return tmp_path / "pool.npz", tmp_path / "labels.csv"


def test_it_has_what_rank_says(files: tuple[Path, Path], tmp_path: Path) -> None:
    pool, labels = files
    out = tmp_path / "report.json"
    done = adjudge("report", pool, "--labels", labels, "--out", out, "--title", "Ours")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"the report is in {out}" in done.stderr.replace("\n", "")
    told = json.loads(out.read_text())
    ranked = as_json("rank", pool, "--labels", labels)
    assert {name: told[name] for name in ranked} == ranked | {"schema": "urn:adjudge:report:1"}
    check_schema(told)
    assert told["report"]["title"] == "Ours"
    assert as_json("report", pool, "--labels", labels, "--out", tmp_path / "report.md") == told | {
        "report": told["report"] | {"title": "6 models on 60 samples"}
    }
    first = (tmp_path / "report.md").read_text()
    assert "Blue" not in first  # the colors of a chart that Markdown does not have
    assert ranked["recommendation"]["next"]["command"] in first


def test_a_project_says_who_labeled(begin: Begin, tmp_path: Path) -> None:
    session = begin(name="Digits")
    pool = session.project.predictions
    picks = select(pool, 12, "random").picks()
    assert session.add_picks(0, picks)
    for person, count in (("ada", 7), ("bob", 5)):
        for _ in range(count):
            (card,) = session.next(person)
            session.answer(person, card.lease, str(np.array(pool.classes)[pool.values[0, card.sample]]), ahead=0)
    rows = len(session.ledger.answers)
    told = as_json("report", session.project.folder, "--out", tmp_path / "report.html")
    assert told["report"]["title"] == "Digits"
    assert told["report"]["annotators"] == ["ada (7), bob (5)."]
    assert told["recommendation"]["next"]["command"].startswith("adjudge label")
    session.refresh()
    assert len(session.ledger.answers) == rows
    labels = tmp_path / "labels.csv"
    assert "leave out --labels" in refused("report", session.project.folder, "--labels", labels)


def test_what_cannot_be_is_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    pool, labels = files
    assert "use .html, .md or .json" in refused("report", pool, "--labels", labels, "--out", tmp_path / "report.pdf")
    assert "no column 'site'" in refused("report", pool, "--slice", "site", "--out", tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()
