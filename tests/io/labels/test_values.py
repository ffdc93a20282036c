"""What somebody wrote is the same label wherever it is written: in a file, in Python, in the terminal, on the page."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest

import adjudge
from adjudge.cli.terminal import _meant
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, LabelsError
from adjudge.io.labels.values import as_written, parse_labels
from adjudge.labeling.session.checks import checked_label

CLASSES = Predictions(np.array([[0, 1], [1, 1]]), ("a", "b"), range(2), ("3", "True"))
NUMBERS = Predictions(np.array([[0.5, 1.5], [1.0, 2.0]]), ("a", "b"), range(2), None)


def in_a_file(text: str, pool: Predictions, folder: Path) -> float:
    (folder / "labels.csv").write_text(f'sample_id,label\n0,"{text}"\n')
    return float(adjudge.read_labels(folder / "labels.csv", pool)[1].value[0])


def in_python(answer: object, pool: Predictions) -> float:
    plan = adjudge.select(pool, 2, "random")
    return float(adjudge.fill(plan, pool, {"0": answer}).value[plan.sample == 0][0])


def on_the_page(text: str, pool: Predictions) -> float:
    kept = checked_label(text, pool)
    return np.nan if kept is None else in_python(kept, pool)


@pytest.mark.parametrize(
    ("written", "pool", "value"),
    [
        ("3", CLASSES, 0.0),
        ("3.0", CLASSES, 0.0),
        (" 3 ", CLASSES, 0.0),
        ("TRUE", CLASSES, 1.0),
        ("true", CLASSES, 1.0),
        ("?", CLASSES, np.nan),
        ("skip", CLASSES, np.nan),
        ("2", NUMBERS, 2.0),
        ("2,5", NUMBERS, 2.5),
        ("0,125", NUMBERS, 0.125),
        ("1e-1", NUMBERS, 0.1),
        ("SKIP", NUMBERS, np.nan),
    ],
)
def test_one_label_wherever_it_is_written(written: str, pool: Predictions, value: float, tmp_path: Path) -> None:
    found = (in_a_file(written, pool, tmp_path), in_python(written, pool), on_the_page(written, pool))
    np.testing.assert_array_equal(found, [value] * 3)
    np.testing.assert_array_equal(on_the_page(_meant(written, pool), pool), value)


def test_numbers_of_python_are_classes_too() -> None:
    assert in_python(3.0, CLASSES) == in_python(3, CLASSES) == in_python(np.int8(3), CLASSES) == 0
    assert in_python(True, CLASSES) == 1
    assert np.isnan(in_python(adjudge.SKIP, CLASSES))


def test_a_class_named_skip_is_a_class() -> None:
    pool = Predictions(np.array([[0, 1]]), ("a",), range(2), ("cat", "SKIP"))
    assert parse_labels(as_written(["SKIP"]), pool).value.tolist() == [1.0]


@pytest.mark.parametrize(
    ("written", "pool", "sentence"),
    [
        ("many", NUMBERS, "the label 'many' is not a number; correct it, or skip the sample if nobody can tell"),
        ("inf", NUMBERS, "the label 'inf' is infinite"),
        ("-1,250", NUMBERS, "the label '-1,250' is -1250 or -1.250, and no other number tells which; write all"),
        ("nan", CLASSES, "the label 'nan' means a missing value"),
    ],
)
def test_what_is_no_label_is_refused(written: str, pool: Predictions, sentence: str) -> None:
    with pytest.raises(LabelsError, match=sentence):
        checked_label(written, pool)


def test_an_open_answer_that_no_model_gave_is_no_surprise_unless_most_are(tmp_path: Path) -> None:
    answers = Predictions(np.arange(24).reshape(2, 12), ("a", "b"), range(12), tuple(f"w{n}" for n in range(24)))
    (tmp_path / "labels.csv").write_text("sample_id,label\n0,w0\n1,w1\n2,other\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert adjudge.read_labels(tmp_path / "labels.csv", answers)[1].labeled == 3
    (tmp_path / "labels.csv").write_text("sample_id,label\n0,w0.\n1,w1.\n2,w2\n")
    with pytest.warns(AdjudgeWarning, match="a class that no model predicted"):
        adjudge.read_labels(tmp_path / "labels.csv", answers)


def test_what_stands_for_nothing_is_no_label() -> None:
    assert as_written([None, pd.NA, pd.NaT, "NA"]).to_pylist() == [None, None, None, "NA"]
    labels = pd.Series(["3", pd.NA], index=["0", "1"], dtype="string")
    assert adjudge.read_labels(labels, CLASSES)[1].sample.tolist() == [0]
