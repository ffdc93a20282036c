"""Every Eval Ever, promptfoo and long tables."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge.errors import InputError
from adjudge.io.runs.every_eval_ever import read_every_eval_ever
from adjudge.io.runs.long_tables import read_long_table
from adjudge.io.runs.promptfoo import read_promptfoo
from adjudge.io.runs.records import State
from tests.support.logs import LOGS, json_lines


def instance(sample: str = "q1", **more: Any) -> dict[str, Any]:
    return {
        "model_id": "org/net",
        "evaluation_name": "colors",
        "sample_id": sample,
        "sample_hash": "0123456789abcdef",
        "input": {"raw": "Which color?", "reference": ["blue"], "choices": ["red", "blue"]},
        "output": {"raw": [" B"]},
        "answer_attribution": [{"extracted_value": "B", "is_terminal": True}],
        "evaluation": {"score": 1.0, "is_correct": True},
        "performance": {"latency_ms": 250},
        "error": None,
        **more,
    }


def test_instances_of_every_eval_ever(tmp_path: Path) -> None:
    rows = [
        instance(),
        instance("q2", answer_attribution=[], sample_hash=None),
        instance("q3", answer_attribution=[{"extracted_value": ""}]),
        instance("q4", error="Refusal of the model"),
        instance("q5", error="time-out", output=None),
        instance("q6", answer_attribution=[], output=None, messages=[{"role": "assistant", "content": "A"}]),
        instance(model_id="org/tree"),
    ]
    net, tree = read_every_eval_ever(json_lines(tmp_path / "runs.jsonl", rows))
    assert (net.model, tree.model) == ("org/net", "org/tree")
    assert [row.answer for row in net.rows] == ["B", " B", "", "B", "B", "A"]
    assert [row.state for row in net.rows] == [
        State.answered,
        State.answered,
        State.unparsed,
        State.refused,
        State.errored,
        State.answered,
    ]
    assert net.rows[0].key == "colors/q1-01234567"
    assert (net.rows[0].targets, net.rows[0].choices) == (("B",), ("red", "blue"))
    assert (net.rows[0].latency, net.rows[0].score) == (0.25, 1)
    with pytest.raises(InputError, match="has no 'model_id', so it is not a log of Every Eval Ever"):
        read_every_eval_ever(json_lines(tmp_path / "other.jsonl", [{"a": 1}]))


def test_what_the_converter_of_every_eval_ever_makes_of_the_harness(tmp_path: Path) -> None:
    """Its right options are numbers, its filters are in the names of tasks, and each metric has a row of its own."""
    [run] = read_every_eval_ever(LOGS / "every-eval-ever" / "other_samples.jsonl")
    assert len({row.key for row in run.rows}) == len(run.rows) == 7
    assert [row.targets for row in run.rows] == [("B",), ("A",), ("C",), ("155",), ("1234",), ("-3",), ("42",)]
    assert [row.state for row in run.rows] == 3 * [State.answered] + 4 * [State.unparsed]
    assert run.remarks == ("Answers by other filters are left out in other_samples.jsonl: flexible",)
    rows = [instance(evaluation_result_id=each) for each in ("acc", "acc_norm", "acc")]
    [twice] = read_every_eval_ever(json_lines(tmp_path / "runs.jsonl", rows))
    assert [row.epoch for row in twice.rows] == [1, 2]


def test_right_answers_that_are_listed_as_choices_are_no_options(tmp_path: Path) -> None:
    asked = {"raw": "Who is Todd?", "reference": ["the mascot"], "choices": ["the mascot"]}
    [run] = read_every_eval_ever(json_lines(tmp_path / "helm.jsonl", [instance(input=asked)]))
    assert (run.rows[0].choices, run.rows[0].targets) == ((), ("the mascot",))


def result(question: str = "1 + 1?", output: object = "2", **more: Any) -> dict[str, Any]:
    return {
        "provider": {"id": "lab:net", "label": "net"},
        "promptIdx": 0,
        "vars": {"question": question, "expected": "2"},
        "response": {"output": output, "cost": 0.5},
        "failureReason": 0,
        "score": 1,
        "latencyMs": 1500,
        "testCase": {"assert": [{"type": "equals", "value": "2"}]},
        **more,
    }


def promptfoo(path: Path, results: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": results}}), encoding="utf-8")
    return path


def test_results_of_promptfoo(tmp_path: Path) -> None:
    results = [
        result(),
        result("again?"),
        result("again?", {"b": 1, "a": 2}),
        result("why?", "", failureReason=1, error="Expected output to equal 2"),
        result("who?", response={"output": "I must not", "isRefusal": True}),
        result("when?", response={"error": "no server"}, failureReason=2),
    ]
    [run] = read_promptfoo(promptfoo(tmp_path / "results.json", results))
    assert run.model == "net"
    assert [row.answer for row in run.rows][:3] == ["2", "2", '{"a": 2, "b": 1}']
    assert [row.epoch for row in run.rows][:3] == [1, 1, 2]
    assert [row.state for row in run.rows][3:] == [State.unparsed, State.refused, State.errored]
    assert (run.rows[0].question, run.rows[0].targets) == ("1 + 1?", ("2",))
    assert (run.rows[0].cost, run.rows[0].latency) == (0.5, 1.5)


def test_what_promptfoo_wrote_itself() -> None:
    """Two providers, `echo` and one without a server for the last question, and two prompts."""
    runs = read_promptfoo(LOGS / "promptfoo" / "results.json")
    assert [run.model for run in runs] == [f"{name} / prompt {number}" for name in ("echo", "net") for number in (1, 2)]
    net = runs[2].rows
    assert [row.question for row in net] == ["What is 60 + 95?", "What is 2 * 617?", "boom"]
    assert [row.state for row in net] == [State.answered, State.answered, State.errored]
    assert [row.answer for row in net] == ["155", "1235", None]
    assert [row.targets for row in net] == [("155",), ("1234",), ()]  # the first check wants {{expected}}
    assert net[0].cost == 0.002


def test_prompts_are_compared_as_models(tmp_path: Path) -> None:
    both = [result(promptId="p"), result(promptId="p", promptIdx=1, provider="tree")]
    assert [run.model for run in read_promptfoo(promptfoo(tmp_path / "one.json", both))] == ["net", "tree"]
    results = [result(), result(promptIdx=1), result(provider="tree")]
    runs = read_promptfoo(promptfoo(tmp_path / "results.json", results))
    assert [run.model for run in runs] == ["net / prompt 1", "net / prompt 2", "tree / prompt 1"]
    assert len({row.key for run in runs for row in run.rows}) == 1


def test_other_json_is_not_promptfoo(tmp_path: Path) -> None:
    for content, says in (("{}", "has no 'results'"), ('{"results": {}}', "holds no results"), ("{", "cut short")):
        (tmp_path / "results.json").write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=says):
            read_promptfoo(tmp_path / "results.json")


COLUMNS: dict[str, list[Any]] = {
    "question_id": ["q1", "q1", "q2"],
    "model_name": ["net", "tree", "net"],
    "response": ["155", 'a "b"', None],
    "Question": ["Why?", "Why?", "Who?"],
    "gold": ["155", "155", ""],
    "latency_ms": [250.0, 100.0, None],
    "repeat": [1, 1, 2],
    "document": ["d1", "d1", "d2"],
    "cost": [0.5, None, None],
    "options": ['["a", "155"]', '["a", "155"]', ""],
}


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_tables_with_usual_names(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"answers.{suffix}"
    table = pa.table(COLUMNS)
    if suffix == "csv":
        pa.csv.write_csv(table, file)
    elif suffix == "parquet":
        parquet.write_table(table, file)
    else:
        json_lines(file, table.to_pylist())
    net, tree = read_long_table(file)
    assert (net.model, tree.model) == ("net", "tree")
    one, two = net.rows
    assert (one.key, one.answer, one.targets, one.question, one.cluster) == ("q1", "155", ("155",), "Why?", "d1")
    assert (one.latency, one.cost, one.choices) == (0.25, 0.5, ("a", "155"))
    assert (two.key, two.state, two.epoch, two.targets) == ("q2", State.blank, 2, ())


def test_scores_may_be_letters_and_other_words_are_told(tmp_path: Path) -> None:
    scores = ["C", "I", 0.25, True, None, "fine", "fine", "poor"]
    rows = [{"id": at, "model": "ab"[at % 2], "answer": "x", "score": each} for at, each in enumerate(scores)]
    net, tree = read_long_table(json_lines(tmp_path / "answers.jsonl", rows))
    assert [row.score for row in (*net.rows, *tree.rows)] == [1, 0.25, None, None, 0, 1, None, None]
    told = ("Scores in answers.jsonl that are not numbers are left out: 'fine', 'poor'",)
    assert (net.remarks, tree.remarks) == (told, ())


def test_json_may_begin_with_a_mark_of_utf_8(tmp_path: Path) -> None:
    (tmp_path / "net.jsonl").write_bytes(b'\xef\xbb\xbf{"id": 1, "answer": "x"}\n')
    assert [row.answer for row in read_long_table(tmp_path / "net.jsonl")[0].rows] == ["x"]
    (tmp_path / "net.json").write_bytes(b'\xef\xbb\xbf{"columns": ["id", "answer"], "data": [[1, "y"]]}')
    assert [row.answer for row in read_long_table(tmp_path / "net.json")[0].rows] == ["y"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "net.jsonl is empty"),
        (b"\n\n", "net.jsonl is empty"),
        (b'{"id": 1, "answer": "\xe9"}\n', "net.jsonl is not UTF-8 text; save it as UTF-8"),
        (b'{"id": 1, "answer": "x"}\n{"id": 2, "ans\n{"id": 3, "answer": "x"}\n', "line 2 of .* is not JSON"),
        (b"[1, 2]\n", "line 1 of .* is not an object"),
    ],
)
def test_damaged_lines_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "net.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=says):
        read_long_table(tmp_path / "net.jsonl")


def test_columns_can_be_named_and_a_file_can_be_a_run(tmp_path: Path) -> None:
    file = tmp_path / "net.csv"
    file.write_text("nr,reply,answer,error,task\n1,x,right,,t\n2,,right,time-out,t\n", encoding="utf-8")
    [run] = read_long_table(file, columns={"sample": "nr", "answer": "reply", "target": "answer"})
    assert run.model == "net"
    assert [(row.key, row.answer, row.state) for row in run.rows] == [
        ("t/1", "x", State.answered),
        ("t/2", "", State.errored),
    ]
    assert run.rows[0].targets == ("right",)


@pytest.mark.parametrize(
    ("text", "columns", "says"),
    [
        (
            "id,model,text\n1,a,b\n",
            {},
            "no column that is known to hold the answer, only 'id', 'model', 'text'; name it",
        ),
        ("nr,model,answer\n1,a,b\n", {}, "known to hold the sample"),
        ("id,model,answer\n1,a,b\n", {"answer": "reply"}, "the column 'reply' is missing"),
        ("id,model,answer\n1,a,b\n", {"reply": "answer"}, "--column reply=... is not known"),
        ("id,model,answer\n,a,b\n", {}, "row 1 of answers.csv has no sample"),
        ("id,model,answer\n1,,b\n", {}, "row 1 of answers.csv has no model"),
        ("id,model,answer\n", {}, "no rows"),
    ],
)
def test_bad_tables_are_refused(tmp_path: Path, text: str, columns: dict[str, str], says: str) -> None:
    (tmp_path / "answers.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        read_long_table(tmp_path / "answers.csv", columns=columns)


def test_a_log_has_the_usual_names_of_tables_too(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("Sample ID,Classifier,y-pred,document_id\nq1,net,A,d1\nq2,net,B,d1\n")
    [run] = read_long_table(tmp_path / "answers.csv")
    assert run.model == "net"
    assert [said.sample for said in run.rows] == ["q1", "q2"]
