"""The demo."""

import sys
from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.reports.demo import demo
from tests.support.commands import as_json


def test_a_demo_without_scikit_learn_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(InputError, match="scikit-learn, which is not installed"):
        demo(tmp_path / "demo", seed=0, quiet=True)
    assert not (tmp_path / "demo").exists()


@pytest.mark.slow
def test_the_demo_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In small; tests/test_docs.py runs all of it."""
    monkeypatch.setattr("adjudge.reports.demo.SEEDS", 2)
    monkeypatch.setattr("adjudge.reports.demo.COMPARED", ("random", "sds"))
    told = as_json("demo", "--out", tmp_path / "demo")
    assert told["labels"] == 40
    assert set(told["mean_regret"]) == {"random", "sds"}
    assert {path.name for path in (tmp_path / "demo").iterdir()} >= {"predictions.csv", "labels.csv", "report.html"}
