"""Logs of inspect_ai, as the real tool wrote them, and rows that it writes when something goes wrong."""

import math
from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.io.runs.inspect_ai import read_inspect
from adjudge.io.runs.records import State
from tests.support.logs import COLORS, LOGS, ONE, TWO, inspect_log, inspect_sample


def test_zips_with_zstd_are_read() -> None:
    [run] = read_inspect(TWO)
    assert (run.model, run.file, run.remarks) == ("mockllm/two", str(TWO), ())
    assert [(each.sample, each.answer, each.targets) for each in run.rows] == [
        ("1", "155", ("155",)),
        ("2", "1235", ("1234",)),
        ("3", "-3", ("-3",)),
        ("4", "", ("42",)),
    ]
    assert [each.state for each in run.rows] == [State.answered] * 3 + [State.unparsed]
    assert [each.score for each in run.rows] == [1, 0, 1, 0]
    assert all(each.latency is not None and each.latency > 0 for each in run.rows)
    assert {each.task for each in run.rows} == {"sums"}
    assert [each.key for each in run.rows] == [each.key for each in read_inspect(ONE)[0].rows]


def test_json_has_options_and_epochs() -> None:
    [run] = read_inspect(COLORS)
    assert [(each.sample, each.epoch, each.answer) for each in run.rows] == [
        ("color0", 1, "B"),
        ("color1", 1, "A"),
        ("color2", 1, ""),
        ("color0", 2, "B"),
        ("color1", 2, "C"),
        ("color2", 2, "C"),
    ]
    assert run.rows[0].choices == ("red", "yellow", "blue")
    assert run.rows[0].question == "Which color does a ripe banana have?"


def test_a_folder_is_all_its_logs() -> None:
    assert sorted(run.model for run in read_inspect(LOGS)) == ["mockllm/one", "mockllm/three", "mockllm/two"]


@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_unparsed_refused_and_errored_are_three_things(tmp_path: Path, suffix: str) -> None:
    rows = [
        inspect_sample(1, ""),
        inspect_sample(2, "no", output={"choices": [{"stop_reason": "content_filter"}]}),
        inspect_sample(3, scores={"match": {"value": "N", "answer": None}}),
        inspect_sample(4, scores={}, completed=True, error={"message": "time is up"}),
        inspect_sample(5, scores={}, output={"completion": "155", "choices": []}),
        inspect_sample(6, scores={"judge": {"value": math.nan, "answer": "155"}}),
    ]
    [run] = read_inspect(inspect_log(tmp_path / f"log.{suffix}", rows))
    assert [each.state for each in run.rows] == [
        State.unparsed,
        State.refused,
        State.refused,
        State.errored,
        State.answered,
        State.answered,
    ]
    assert [each.answer for each in run.rows[4:]] == ["155", "155"]
    assert [each.score for each in run.rows] == [1, 1, 0, None, None, None]


def test_values_are_letters_or_numbers(tmp_path: Path) -> None:
    values = ["C", "I", "P", 0.25, True, "0.5", {"a": 1}]
    rows = [inspect_sample(at, scores={"s": {"value": each, "answer": "x"}}) for at, each in enumerate(values)]
    [run] = read_inspect(inspect_log(tmp_path / "log.json", rows))
    assert [each.score for each in run.rows] == [1, 0, 0.5, 0.25, 1, 0.5, None]


def test_a_scorer_can_be_named(tmp_path: Path) -> None:
    scores = {"length": {"value": 3}, "match": {"value": "C", "answer": "a"}, "other": {"value": "I", "answer": "b"}}
    log = inspect_log(tmp_path / "log.json", [inspect_sample(scores=scores)])
    assert read_inspect(log)[0].rows[0].answer == "a"
    assert read_inspect(log, scorer="other")[0].rows[0].answer == "b"
    with pytest.raises(InputError, match="no scorer 'none' but length, match, other"):
        read_inspect(log, scorer="none")


def test_questions_may_be_messages_and_costs_are_added(tmp_path: Path) -> None:
    asked = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Why?"}]},
    ]
    usage = {"net": {"total_cost": 0.5}, "judge": {"total_cost": 0.25}, "free": {}}
    [run] = read_inspect(inspect_log(tmp_path / "log.json", [inspect_sample(input=asked, model_usage=usage)]))
    assert (run.rows[0].question, run.rows[0].cost) == ("Be brief.\nWhy?", 0.75)


def test_a_run_that_was_stopped_says_so(tmp_path: Path) -> None:
    [run] = read_inspect(inspect_log(tmp_path / "log.eval", [inspect_sample()], status="cancelled"))
    assert run.remarks == ("The run of log.eval did not end well: its status is 'cancelled'",)


def test_damage_is_told_in_one_sentence(tmp_path: Path) -> None:
    whole = ONE.read_bytes()
    damaged = bytearray(whole)
    at = whole.index(b"samples/1_epoch_1.json") + 60  # inside what is packed
    damaged[at : at + 20] = bytes(20)
    for name, content, says in (
        ("cut.eval", whole[:3000], "cut short"),
        ("damaged.eval", bytes(damaged), "damaged"),
        ("cut.json", COLORS.read_bytes()[:5000], "cut short"),
        ("nothing.eval", b"", "nothing.eval is empty; write it again"),
        ("nothing.json", b"", "nothing.json is empty; write it again"),
        ("other.eval", b"PK\x05\x06" + bytes(18), "has no header.json, so it is not a log of inspect_ai"),
        ("latin.json", b'{"eval": "\xe9"}', "latin.json is not UTF-8 text; save it as UTF-8"),
        ("other.json", b'{"samples": []}', "has no 'eval'"),
        ("list.json", b"[1]", "not a log of inspect_ai"),
        ("empty.json", b'{"eval": {"task": "a", "model": "b"}, "samples": []}', "holds no sample"),
        ("log.txt", b"x", "ends in .eval or .json"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=says):
            read_inspect(tmp_path / name)
    with pytest.raises(InputError, match="does not exist"):
        read_inspect(tmp_path / "none.eval")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"folder .*folder holds no log of inspect_ai"):
        read_inspect(tmp_path / "folder")
