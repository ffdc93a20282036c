"""What is installed is what is told, and the self-test can fail."""

import numpy as np
import pytest

import adjudge
from adjudge.core.labels import Labels
from adjudge.reports import doctor as module
from tests.support.commands import adjudge as command
from tests.support.commands import as_json


def test_it_tells_versions_extras_and_that_all_works() -> None:
    found = as_json("doctor")
    assert found["works"]
    assert found["versions"]["numpy"] == np.__version__
    label = next(each for each in found["extras"] if each["name"] == "label")
    assert label["missing"] == []


def test_what_is_missing_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there = module._version
    monkeypatch.setattr(module, "_version", lambda name: "" if name == "onnxruntime" else there(name))
    told = command("doctor").stdout
    assert 'ONNX models: `predict`: needs onnxruntime; pip install "adjudge[onnx]"' in " ".join(told.split())


def test_a_broken_core_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def backward(pool: adjudge.Predictions, labels: Labels) -> adjudge.Ranking:
        value = -(pool.values == labels.codes).mean(axis=1)
        return adjudge.Ranking.by_value(pool.models, adjudge.Estimate(value, value, value, "accuracy"))

    monkeypatch.setattr("adjudge.api.rank", backward)
    done = command("doctor")
    assert done.returncode == 1
    assert "FAILED" in done.stdout


def test_an_error_of_the_self_test_is_told_and_not_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError("no such library")

    monkeypatch.setattr("adjudge.api.rank", broken)
    done = command("doctor")
    assert done.returncode == 1
    assert "FAILED (OSError: no such library)" in " ".join(done.stdout.split())


def test_every_extra_has_a_purpose() -> None:
    assert {each["name"] for each in as_json("doctor")["extras"]} <= set(module.PURPOSES)
