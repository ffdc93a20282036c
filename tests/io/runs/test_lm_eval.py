"""Folders of lm-evaluation-harness, as the real tool wrote them with its dummy model, and the odd ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import InputError
from adjudge.io.runs.lm_eval import read_lm_eval
from adjudge.io.runs.records import State
from tests.support.logs import HARNESS, harness_row, json_lines

NAMED = "samples_sums_2026-01-02T03-04-05.678901.jsonl"


def folder(path: Path, rows: list[dict[str, Any]], name: str = NAMED) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    json_lines(path / name, rows)
    return path


def test_the_dummy_model_without_a_name_is_called_by_its_folder() -> None:
    runs = read_lm_eval(HARNESS)
    assert [run.model for run in runs] == ["guess", "other"]
    [run] = read_lm_eval(HARNESS / "guess" / "None")
    assert (run.model, run.file) == ("guess", str(HARNESS / "guess" / "None"))


def test_choices_are_the_likeliest_option_and_open_answers_are_filtered() -> None:
    run = read_lm_eval(HARNESS)[0]
    choices, sums = run.rows[:3], run.rows[3:]
    for row in choices:
        assert row.answer in ("A", "B", "C")
        assert row.score == float(row.answer == row.targets[0])  # what the tool itself calls right
    assert [row.targets for row in choices] == [("B",), ("A",), ("C",)]
    assert choices[0].choices == ("red", "yellow", "blue")
    assert [(row.answer, row.state) for row in sums] == [("[invalid]", State.unparsed)] * 4
    assert [row.targets for row in sums] == [("155",), ("1234",), ("-3",), ("42",)]
    assert len(run.remarks) == 1
    assert run.remarks[0].endswith("flexible")
    flexible = read_lm_eval(HARNESS, filter="flexible")[0]
    assert [row.answer for row in flexible.rows[3:]] == ["lol"] * 4


def test_a_filter_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="no filter 'loose' but strict-match, flexible"):
        read_lm_eval(HARNESS, filter="loose")


def test_results_name_the_model(tmp_path: Path) -> None:
    place = folder(tmp_path / "out", [harness_row()])
    (place / "results_2026.json").write_text(json.dumps({"model_name": "org/net"}), encoding="utf-8")
    assert read_lm_eval(place)[0].model == "org/net"


def test_the_newest_file_of_a_task_is_taken(tmp_path: Path) -> None:
    place = folder(tmp_path / "net", [harness_row(answer="old")], "samples_sums_2026-01-01T00-00-00.1.jsonl")
    [run] = read_lm_eval(folder(place, [harness_row(answer="new")]))
    assert [row.answer for row in run.rows] == ["new"]
    assert run.remarks == ("Older files of the task sums are left out in net: 1",)


@pytest.mark.parametrize(
    ("row", "answer", "targets"),
    [
        ({"filtered_resps": [["18", "19"]], "target": "so it is 18 #### 18"}, "18", ("18",)),
        ({"filtered_resps": ["x"], "target": ["x", "y"]}, "x", ("x", "y")),
        (
            {
                "filtered_resps": [["-1.5", "False"], ["-0.5", "True"]],
                "target": "yes",
                "arguments": [["q", " no"], ["q", " yes"]],
            },
            "B",
            ("B",),
        ),
        (
            {"filtered_resps": [[-1.5, False], [-0.5, True]], "target": 0, "arguments": [["a x", "."], ["b x", "."]]},
            "B",
            ("A",),
        ),
    ],
)
def test_other_forms_of_rows(tmp_path: Path, row: dict[str, Any], answer: str, targets: tuple[str, ...]) -> None:
    [run] = read_lm_eval(folder(tmp_path / "net", [harness_row(**{"answer": None} | row)]))
    assert (run.rows[0].answer, run.rows[0].targets) == (answer, targets)


def test_a_probability_of_one_text_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leave this task out"):
        read_lm_eval(folder(tmp_path / "net", [harness_row(filtered_resps=[["-1.5", "False"]])]))


def test_damage_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none does not exist"):
        read_lm_eval(tmp_path / "none")
    with pytest.raises(InputError, match="is not a folder"):
        read_lm_eval(json_lines(tmp_path / "rows.jsonl", [{}]))
    with pytest.raises(InputError, match="run lm-evaluation-harness with --log_samples"):
        read_lm_eval(tmp_path)
    place = folder(tmp_path / "net", [harness_row(0), harness_row(1)])
    (place / NAMED).write_text((place / NAMED).read_text(encoding="utf-8")[:-20], encoding="utf-8")
    with pytest.raises(InputError, match=f"line 2 of .*net/{NAMED} is not JSON; it may be cut short"):
        read_lm_eval(place)
    json_lines(place / NAMED, [{"doc_id": 1}])
    with pytest.raises(InputError, match="has no 'doc', so it is not a log of lm-evaluation-harness"):
        read_lm_eval(place)
