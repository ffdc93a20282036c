"""Abstentions: declared in every way that predictions are read, remembered by files, and refused as labels."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import adjudge
from adjudge import Predictions, from_frame, graded, import_runs, read, read_labels, write_predictions
from adjudge.core.predictions import ABSTAINED, MISSING
from adjudge.errors import AdjudgeWarning, LabelsError, PredictionsError
from adjudge.io.predictions.merge import merge
from tests.support.commands import adjudge as command

SAID: dict[str, Any] = {
    "sample_id": ["a", "b", "c", "d"],
    "net": ["10", "(none)", "9", None],
    "tree": ["10", "(none)", "(none)", "9"],
}
CODES = [[1, -2, 0, -1], [1, -3, -3, 0]]


def pool(**options: Any) -> Predictions:
    return from_frame(SAID, **{"abstain": ["(none)"], **options})


def same(one: Predictions, other: Predictions) -> bool:
    return (
        np.array_equal(one.values, other.values)
        and one.classes == other.classes
        and one.abstain == other.abstain
        and one.declared == other.declared
    )


def test_no_two_abstentions_are_equal_and_none_is_a_class() -> None:
    found = pool()
    assert found.values.tolist() == CODES
    assert found.classes == ("9", "10")  # in the order of numbers, as if nobody had abstained
    assert found.n_predicted.tolist() == [3, 4]
    assert found.n_abstained.tolist() == [1, 2]
    assert repr(found) == "Predictions(2 models x 4 samples, 2 classes, 1 missing, 3 abstentions)"
    assert found.only(["tree"]).values.tolist() == [[1, -2, -2, 0]]


def test_many_models_have_codes_of_their_own() -> None:
    values = np.full((300, 2), ABSTAINED, dtype=np.int8)
    values[:, 0] = 0
    found = Predictions(values, tuple(map(str, range(300))), range(2), ("x",), abstain=("none",))
    assert len(np.unique(found.values[:, 1])) == 300
    assert found.with_classes(("y",)).values.min() == found.values.min()
    with pytest.raises(PredictionsError, match="-2 an abstention if `abstain` names any"):
        Predictions(values, tuple(map(str, range(300))), range(2), ("x",))


@pytest.mark.parametrize("name", ["pool.csv", "pool.tsv", "pool.parquet", "pool.npz"])
def test_files_remember_them(tmp_path: Path, name: str) -> None:
    write_predictions(pool(), tmp_path / name)
    assert same(read(tmp_path / name), pool())
    more = read(tmp_path / name, abstain=["9"])
    assert more.abstain == ("(none)", "9")
    assert more.n_abstained.tolist() == [2, 3]


@pytest.mark.parametrize("blank", ["", " NaN "])
def test_blank_answers_are_missing_unless_they_are_declared(tmp_path: Path, blank: str) -> None:
    found = pool(abstain=["(none)", blank])
    assert found.values.tolist() == [[1, -2, 0, -2], [1, -3, -3, 0]]
    write_predictions(found, tmp_path / "pool.csv")
    assert same(read(tmp_path / "pool.csv"), found)
    only = pool(abstain=[blank])
    assert only.n_abstained.tolist() == [1, 0]
    write_predictions(only, tmp_path / "pool.npz")
    assert same(read(tmp_path / "pool.npz"), only)


def test_they_go_with_declared_classes_and_with_one_spelling() -> None:
    found = pool(classes=["10", "9", "8"])
    assert found.classes == ("10", "9", "8")
    assert found.declared
    spoken = {**SAID, "net": ["10.0", "(None) ", "9", None]}
    found = from_frame(spoken, normalize="case,numbers", abstain="(NONE)")
    assert found.values.tolist() == CODES
    with pytest.raises(LabelsError, match=r"the label '\(none\)' of sample 'a' is declared as an abstention"):
        adjudge.fill(adjudge.select(found, 4), found, {"a": " (None)"})


def test_codes_and_folders(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "pool.npz", predictions=np.array([[0, 2, 1], [2, 2, 1]]), class_names=np.array(["x", "y", "(none)"])
    )
    found = read(tmp_path / "pool.npz", abstain=["(none)"])
    assert found.values.tolist() == [[0, -2, 1], [-3, -3, 1]]
    assert found.declared
    assert read(tmp_path / "pool.npz").values.tolist() == [[0, 2, 1], [2, 2, 1]]
    for model in ("net", "tree"):
        parquet.write_table(
            pa.table({"sample_id": SAID["sample_id"], "prediction": SAID[model]}), tmp_path / f"{model}.parquet"
        )
    (tmp_path / "pool.npz").unlink()
    assert read(tmp_path, abstain=["(none)"]).values.tolist() == CODES
    np.save(tmp_path / "numbers.npy", np.array([[0, 1, 99], [99, 1, 0]]))
    assert read(tmp_path / "numbers.npy", abstain=["99"]).values.tolist() == [[0, 1, -2], [-3, 1, 0]]


def test_probabilities_are_those_of_the_other_classes(tmp_path: Path) -> None:
    stated = np.array([[[0.6, 0.2, 0.2], [0.1, 0.1, 0.8], [0.0, 0.0, 1.0]]])
    codes = np.array([[0, 2, 0]])
    np.savez(tmp_path / "pool.npz", predictions=codes, probabilities=stated, class_names=np.array(["x", "y", "none"]))
    found = read(tmp_path / "pool.npz", abstain=["none"])
    assert found.probabilities is not None
    assert np.allclose(found.probabilities[0, 0], [0.75, 0.25])
    assert np.isnan(found.probabilities[0, 1:]).all()  # it abstains, or says nothing about the others
    write_predictions(found, tmp_path / "again.npz")
    again = read(tmp_path / "again.npz")
    assert same(again, found)
    assert again.probabilities is not None
    assert np.array_equal(again.probabilities, found.probabilities, equal_nan=True)


@pytest.mark.parametrize("kind", ["npy", "npz", "text", "wide", "long"])
def test_parts_are_read_as_the_whole(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=(4, 300))
    path = tmp_path / f"pool.{'npz' if kind in ('npz', 'text') else 'npy' if kind == 'npy' else 'parquet'}"
    words = np.array(["10", "9", "(none)"])
    if kind == "npy":
        np.save(path, codes)
    elif kind == "npz":
        np.savez(path, predictions=codes, class_names=words)
    elif kind == "text":
        np.savez(path, predictions=words[codes])
    else:
        table = {"sample_id": [f"s{each}" for each in range(300)]} | dict(zip("abcd", words[codes], strict=True))
        if kind == "long":
            table = {
                "sample_id": [f"s{each}" for each in range(300) for _ in "abcd"],
                "model": list("abcd") * 300,
                "prediction": words[codes].T.ravel(),
            }
        parquet.write_table(pa.table(table), path, row_group_size=40)
    told = ["2"] if kind == "npy" else ["(none)"]
    whole, parts = read(path, abstain=told), read(path, abstain=told, memory="2KB")
    assert parts.in_parts
    assert parts.abstain == tuple(told)
    assert parts.classes == whole.classes
    assert parts.n_abstained.tolist() == whole.n_abstained.tolist()
    assert np.array_equal(parts.values[:, np.arange(300)], whole.values)
    assert parts.values.dtype == whole.values.dtype
    assert np.array_equal(
        adjudge.rank(parts, method="agreement").estimate.value, adjudge.rank(whole, method="agreement").estimate.value
    )


def test_parts_that_were_converted_remember_them(tmp_path: Path) -> None:
    write_predictions(pool(), tmp_path / "pool.csv")
    merge(tmp_path / "pool.csv", tmp_path / "parts", rows=2)
    assert same(read(tmp_path / "parts"), pool())


def test_labels_that_are_abstentions_are_refused(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("sample_id,label\na,10\nb, (none)\n", encoding="utf-8")
    write_predictions(pool(), tmp_path / "pool.csv")
    said = r"the label '\(none\)' of sample 'b' in labels.csv is declared as an abstention"
    with pytest.raises(LabelsError, match=said):
        read_labels(labels, pool())
    done = command("rank", tmp_path / "pool.csv", "--labels", labels)
    assert done.returncode == 2
    assert "never right; correct the label, or leave it blank" in " ".join(done.stderr.split())


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(PredictionsError, match="--abstain is for answers that are compared, and these are numbers"):
        pool(regression=True)
    with pytest.raises(PredictionsError, match="every answer is an abstention"):
        pool(abstain=["(none)", "9", "10"])
    with pytest.warns(AdjudgeWarning, match=r"no answer is '\(None\)', as --abstain .* says; look at its spelling"):
        assert pool(abstain=["(None)"]).classes == ("(none)", "10", "9")


def test_a_grade_says_what_an_abstention_is_worth() -> None:
    to_grade = graded(pool(), 1, 5)
    assert to_grade.grades is not None
    assert to_grade.grades.texts.to_pylist() == ["10", "(none)", "9", "(none)", "9"]
    assert to_grade.abstain == ()
    assert np.isnan(to_grade.values).tolist() == (pool().values == MISSING).tolist()


def test_imports_write_what_models_did_not_answer(tmp_path: Path) -> None:
    file, out = tmp_path / "answers.csv", tmp_path / "predictions.parquet"
    file.write_text("sample,model,answer\n1,a,5\n1,b,6\n2,a,idk\n2,b,7\n", encoding="utf-8")
    import_runs("table", [file], out, abstain=["idk"])
    assert read(out).abstain == ("idk",)
    assert read(out).n_abstained.tolist() == [1, 0]
