"""Predictions under shift."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.errors import AdjudgeWarning, InputError
from adjudge.models.datasets import from_array
from adjudge.models.prediction import Shift, predict_shifted


def test_predictions_made_elsewhere_are_not_taken_for_those_under_shift(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.csv").write_text("sample_id,net\n0,a\n1,b\n")
    images = from_array(np.zeros((2, 28, 28), np.uint8))
    with pytest.raises(InputError, match=r"elsewhere\.csv holds stored predictions, which cannot be run"):
        list(predict_shifted([tmp_path / "elsewhere.csv"], images, [Shift("fog", 3)]))


def test_a_model_that_failed_is_told_once_and_not_run_again(code: str, tmp_path: Path) -> None:
    images = from_array(np.zeros((2, 28, 28), np.uint8))
    works = tmp_path / "other" / "code.py"  # two of one name: the one that is left keeps its longer name
    works.parent.mkdir()
    works.write_text("def broken_by_noise(rows):\n    return [int(row.max() > 0) for row in rows]\n")
    models = [f"{code}:counted_broken", f"{code}:broken_by_noise", f"{works}:broken_by_noise"]
    shifts = [Shift("gaussian-noise", severity) for severity in (1, 3, 5)]
    with pytest.warns(AdjudgeWarning) as told:
        found = dict(predict_shifted(models, images, shifts))
    first, second = (str(each.message) for each in told if "left out" in str(each.message))
    assert "never works" in first
    assert second.startswith("left out from gaussian-noise1 on: ")
    assert "too bright" in second
    assert found[None].predictions.models == tuple(models[1:])
    assert all(found[shift].predictions.models == (models[2],) for shift in shifts)
    assert found[shifts[2]].failures.keys() == {"counted_broken", models[1]}
    assert (tmp_path / "calls").read_text() == "xxx"  # one call each that failed, and one on clean data
