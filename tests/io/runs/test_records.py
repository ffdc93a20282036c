"""What logs of language models are made of: answers, options, numbers, rows."""

from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.io.runs.records import (
    State,
    epoch_name,
    key_of,
    letter,
    number_of,
    option_of,
    parsed,
    place_among,
    read_json_lines,
    runs_of_models,
    text_of,
)


def test_a_key_changes_with_the_question_and_not_with_the_order_of_its_parts() -> None:
    assert key_of("t", "1", {"a": 1, "b": 2}) == key_of("t", "1", {"b": 2, "a": 1})
    assert len({key_of("t", "1", "x"), key_of("t", "1", "y"), key_of("u", "1", "x"), key_of("t", "1")}) == 4


def test_runs_of_a_model_are_found_by_the_names_that_they_were_given() -> None:
    assert runs_of_models([epoch_name("net\nwork", 1), "b", epoch_name("net\nwork", 2)]) == {
        "net\nwork": [0, 2],
        "b": [1],
    }


@pytest.mark.parametrize("answer", [None, "", "  ", "[invalid]", " [invalid] "])
def test_no_answer_that_was_found(answer: str | None) -> None:
    assert parsed(answer) == State.unparsed
    assert parsed("B") == State.answered


def test_options_go_on_with_numbers_after_z() -> None:
    assert [letter(0), letter(25), letter(26)] == ["A", "Z", "27"]
    assert place_among("a", ["b", "a"]) == 1  # its words come before its letter
    assert place_among("red", ["red", "Red "]) is None
    assert option_of("2", ["1", "2", "3"]) == "B"
    assert option_of("2", ["red", "green", "blue"]) == "C"
    assert option_of("9", ["red", "blue"]) == "9"


@pytest.mark.parametrize(
    ("value", "number"),
    [("1.5", 1.5), (" 2 ", 2.0), (True, 1.0), ("False", 0.0), ("x", None), (None, None), ({}, None), ("nan", None)],
)
def test_numbers_of_a_log(value: object, number: float | None) -> None:
    assert number_of(value) == number


def test_what_is_nested_is_an_answer_as_json() -> None:
    assert text_of({"b": 1, "a": ["ü"]}) == '{"a": ["ü"], "b": 1}'
    assert text_of("as it is") == "as it is"


def test_rows_that_are_cut_short_name_their_line(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert [row["a"] for row in read_json_lines(file)] == [1, 2]
    for text, sentence in (
        ('{"a": 1}\n{"a": ', "line 2 of .* is not JSON"),
        ("[1]\n", "line 1 of .* is not an object"),
        ("\n", "is empty"),
    ):
        file.write_text(text)
        with pytest.raises(InputError, match=sentence):
            list(read_json_lines(file))
