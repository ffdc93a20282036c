"""Answers in one spelling, from every kind of file, and labels with them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import Predictions, from_frame, read, read_labels, read_truth, write_predictions
from adjudge.decisions.screening import screen
from adjudge.errors import AdjudgeWarning, InputError, PredictionsError
from adjudge.io.predictions.equal_answers import read_equivalences, write_equivalences
from adjudge.labeling.session.checks import checked_label
from adjudge.reports.pool import sentences
from tests.support.commands import adjudge as command

SAID: dict[str, Any] = {
    "sample_id": ["a", "b", "c", "d"],
    "net": ["155", "Yes", "1,234.0", "**x**"],
    "tree": [" 155 .", "yes", "1234", "x"],
}
CLASSES = ("1234", "155", "x", "yes")
SHARED_FUNCTIONS = "tests.io.predictions.test_normalize"


def first_word(text: str) -> str:
    return text.split(maxsplit=1)[0].lower()


def pool(**options: Any) -> Predictions:
    return from_frame(SAID, **options)


def test_nothing_changes_where_nothing_is_asked() -> None:
    assert len(pool().classes or ()) == 8
    assert pool().normalization is None
    assert pool(normalize="none").classes == pool().classes


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
def test_none_is_remembered_too(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"predictions.{suffix}"
    write_predictions(pool(normalize="none"), file)
    again = read(file)
    assert again.classes == pool().classes
    assert "Answers are compared as they are written." in sentences(screen(again))
    write_predictions(pool(normalize="auto"), file)
    assert any("in this file each is in one spelling already" in each for each in sentences(screen(read(file))))


def test_blanks_around_and_the_point_of_a_whole_number_never_count() -> None:
    found = from_frame({"id": ["a", "b"], "net": [" 155.", "1,155"], "tree": ["155.0 ", "1155"]}, normalize="none")
    assert found.classes == ("1,155", "1155", "155")


def test_auto_finds_what_suits_the_answers() -> None:
    found = pool(normalize="auto")
    assert found.classes == CLASSES
    assert found.values.tolist() == [[1, 3, 0, 2]] * 2
    assert found.normalization is not None
    assert found.normalization.steps == ("markdown", "space", "punctuation", "numbers", "case")


def test_auto_keeps_capitals_that_tell_no_two_models_apart() -> None:
    found = from_frame({"id": ["a", "b"], "net": ["US", "us"], "tree": ["US", "us"]}, normalize="auto")
    assert found.classes == ("US", "us")


def test_auto_leaves_values_of_programs_alone() -> None:
    said = {"id": ["a", "b"], "net": ["'Hello!'", "[1,2]"], "tree": ["'hello'", "[1, 2]"]}
    found = from_frame(said, normalize="auto")
    assert found.classes == ("'Hello!'", "'hello'", "[1, 2]")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "npz"])
def test_files_remember_it_for_labels(tmp_path: Path, suffix: str) -> None:
    file, labels = tmp_path / f"predictions.{suffix}", tmp_path / "labels.csv"
    write_predictions(pool(normalize="auto"), file)
    labels.write_text('sample_id,label\na, 155.\nb,"""YES"""\nc,"1,234"\na,155.0\n', encoding="utf-8")
    again = read(file)
    assert again.classes == CLASSES
    with pytest.warns(AdjudgeWarning, match="repeat a sample"):
        same, log = read_labels(labels, again)
    assert same.classes == CLASSES
    assert log.value.tolist() == [1, 3, 0]
    assert read_truth(tmp_path / "labels.csv", again)[1].tolist()[:3] == [1, 3, 0]
    assert not read(file, normalize="none").normalization


def test_the_page_and_fill_share_the_door() -> None:
    found = pool(normalize="auto")
    assert checked_label(" 155. ", found) == "155"
    plan = adjudge.select(found, 4, "random")
    assert adjudge.fill(plan, found, {"a": "155.", "b": "YES."}).labeled == 2


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npy", "npz"])
def test_every_format_is_normalized(tmp_path: Path, suffix: str) -> None:
    if suffix in ("npy", "npz"):
        values = np.array([SAID["net"], SAID["tree"]])
        file = tmp_path / f"predictions.{suffix}"
        np.save(file, values) if suffix == "npy" else np.savez(file, predictions=values)
        found = read(file, normalize="auto")
    else:
        (tmp_path / "models").mkdir()
        for name in ("net", "tree"):
            part = from_frame({"sample_id": SAID["sample_id"], "prediction": SAID[name]})
            write_predictions(part, tmp_path / "models" / f"{name}.{suffix}")
        found = read(tmp_path / "models", normalize="auto")
    assert found.classes == CLASSES


def test_declared_classes_are_in_one_spelling_too() -> None:
    found = pool(normalize="auto", classes=["Yes", "155", "1,234", "x", "no"])
    assert found.classes == ("yes", "155", "1234", "x", "no")
    assert found.declared
    with pytest.raises(PredictionsError, match="none of the declared classes"):
        pool(normalize="auto", classes=["yes", "155"])


def test_numbers_with_fractions_are_answers_if_they_are_normalized(tmp_path: Path) -> None:
    said = {"id": ["a", "b"], "net": ["1.50", "2.5"], "tree": ["1.5", "2.50"]}
    found = from_frame(said, normalize="numbers")
    assert found.classes == ("1.5", "2.5")
    write_predictions(found, tmp_path / "predictions.csv")
    assert read(tmp_path / "predictions.csv").classes == ("1.5", "2.5")
    with pytest.raises(PredictionsError, match="answers in words"):
        from_frame(said, normalize="numbers", regression=True)


def test_classes_that_look_like_fractions_are_read_back_as_classes(tmp_path: Path) -> None:
    classes = from_frame({"id": ["a", "b"], "net": ["1.5", "2.5"]}, regression=False)
    write_predictions(classes, tmp_path / "predictions.parquet")
    assert read(tmp_path / "predictions.parquet").classes == ("1.5", "2.5")


def test_probabilities_of_merged_answers_are_added() -> None:
    said = {"id": ["a"], "model": ["net"], "prediction": ["yes"], "p_yes": [0.5], "p_Yes": [0.25], "p_no": [0.25]}
    found = from_frame(said, normalize="case")
    assert found.classes == ("no", "yes")
    assert found.probabilities is not None
    assert found.probabilities.tolist() == [[[0.25, 0.75]]]


def test_a_function_is_not_called_by_a_file(tmp_path: Path) -> None:
    found = pool(normalize=first_word)
    assert found.classes == ("**x**", "1,234.0", "1234", "155", "x", "yes")
    write_predictions(found, tmp_path / "predictions.parquet")
    with pytest.warns(AdjudgeWarning, match="normalized by first_word, which a file cannot call"):
        again = read(tmp_path / "predictions.parquet")
    assert checked_label("Yes", again) == "yes"
    assert read(tmp_path / "predictions.parquet", normalize=first_word).classes == found.classes


def test_a_function_by_its_name() -> None:
    assert pool(normalize=f"case,{SHARED_FUNCTIONS}:first_word").classes == pool(normalize=first_word).classes
    with pytest.raises(PredictionsError, match="has no function 'last_word'"):
        pool(normalize=f"{SHARED_FUNCTIONS}:last_word")
    with pytest.raises(PredictionsError, match="which is not text"):
        pool(normalize=len)


def test_equal_answers_can_be_written_changed_and_given_back(tmp_path: Path) -> None:
    file = tmp_path / "same.csv"
    assert write_equivalences(pool(normalize="auto"), file) == 8
    assert read_equivalences(file)["**x**"] == "x"
    file.write_text("answer,canonical\nYes,yes\n155 .,155\n", encoding="utf-8")
    assert len(pool(normalize=str(file)).classes or ()) == 6


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("answer,canonical\nYes,\n", "no canonical one"),
        ("answer,canonical\nYes,yes\nYes,no\n", "both 'yes' and 'no'"),
        ("answer,label\nYes,yes\n", "column 'canonical' is missing"),
    ],
)
def test_a_bad_table_of_equal_answers_is_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "same.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        pool(normalize=str(file))


def test_commands_say_what_was_merged(tmp_path: Path) -> None:
    file = tmp_path / "predictions.csv"
    write_predictions(pool(), file)
    plain = command("check", file)
    assert "may be others in another spelling" in " ".join(plain.stdout.split())
    done = command("check", file, "--normalize", "auto", "--merged", tmp_path / "same.csv")
    assert "'Yes', 'yes' = 'yes'" in " ".join(done.stdout.split())
    assert done.stderr.startswith("answers are compared by markdown, space, punctuation, numbers, case; 8 spellings")
    again = command("check", file, "--normalize", tmp_path / "same.csv", "--json")
    assert '"normalization": "a table of 8 answers"' in again.stdout
    refused = command("rank", file, "--normalize", "nothing")
    assert refused.returncode == 2
    assert "--normalize 'nothing' is not known" in refused.stderr


def test_a_labeling_project_remembers_it(tmp_path: Path) -> None:
    project = adjudge.label_project(tmp_path / "project", pool(normalize="auto"))
    assert checked_label("1,234.", project.predictions) == "1234"
    assert checked_label("YES", adjudge.read_project(tmp_path / "project")[0]) == "yes"
