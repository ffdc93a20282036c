"""Models that run: batches that fit, and models that fail."""

from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.models.datasets import Dataset
from adjudge.models.prediction import running
from tests.support.functions import CODE


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ("{code}:broken", r"code.py:broken: it failed on inputs of float64 in the shape \(10, 1\) \(boom\); check"),
        ("{code}:three", r"three: it gives 3 classes but most models give 2; leave it out"),
        ("{code}:number", r"number: it gives numbers but most models give classes; run it separately"),
        ("{code}:hopeless", r"there is not enough memory for 1 sample at a time"),
        ("{code}:short", r"it gave 1 outputs for 10 samples; give one for each"),
        ("{code}:nobody", r"code.py has no function 'nobody'"),
        ("nowhere.module:name", r"the module 'nowhere.module' cannot be imported"),
        ("gone.onnx", r"gone.onnx does not exist"),
    ],
)
def test_one_model_fails_and_the_others_go_on(code: str, data: Dataset, bad: str, sentence: str) -> None:
    models = [f"{code}:halves", bad.format(code=code), f"{code}:parity"]
    with pytest.warns(AdjudgeWarning, match=sentence):
        found = adjudge.predict(models, data)
    assert found.predictions.models == ("halves", "parity")
    assert len(found.failures) == 1


def test_most_models_say_how_many_classes_there_are(code: str, data: Dataset, tmp_path: Path) -> None:
    """One model whose classes have names does not put out those that have other classes, and more of them."""
    (tmp_path / "odd.py").write_text(CODE)
    (tmp_path / "odd.toml").write_text('classes = ["a", "b", "c"]')
    models = [f"one={code}:halves", f"two={code}:halves", f"odd={tmp_path / 'odd.py'}:three"]
    with pytest.warns(AdjudgeWarning, match="odd: it gives 3 classes but most models give 2"):
        found = adjudge.predict(models, data)
    assert found.predictions.models == ("one", "two")


def test_if_all_fail_that_is_an_error(code: str, data: Dataset) -> None:
    with pytest.raises(InputError, match=r"\(boom\).*; .*has no function 'nobody'"):
        adjudge.predict([f"{code}:broken", f"{code}:nobody"], data)


def test_a_batch_that_is_too_large_is_halved(code: str, data: Dataset) -> None:
    with pytest.warns(AdjudgeWarning, match="not enough memory for 8 samples at a time; it went on with 2"):
        found = adjudge.predict(f"{code}:greedy", data, batch=8)
    assert found.predictions.values.tolist() == [list(range(10))]


def test_a_module_that_fails_is_told(data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "fails_at_once.py").write_text("1 / 0")
    with pytest.raises(InputError, match=r"the module 'fails_at_once' cannot be imported \(division by zero\)"):
        adjudge.predict("fails_at_once:guess", data)


def test_large_samples_come_in_small_batches(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "BATCH_BYTES", 100)
    adjudge.predict(f"{code}:parity", np.zeros((10, 12)))
    assert len((tmp_path / "calls").read_text()) == 5
