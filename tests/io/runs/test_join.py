"""Several runs become one table, and what does not fit together is listed."""

from typing import Any

import pytest

from adjudge.errors import InputError
from adjudge.io.runs.join import joined
from adjudge.io.runs.records import Run, Said, State
from adjudge.reports.imports import import_sentences


def said(key: str, answer: str | None = "x", **more: Any) -> Said:
    return Said(key, key, **{"task": "t", "answer": answer, **more})


def run(model: str, *rows: Said, file: str = "") -> Run:
    return Run(model, file or f"{model}.log", rows)


def cells(runs: list[Run], **options: Any) -> dict[tuple[str, str], str | None]:
    table = joined(runs, **options).table.to_pydict()
    return dict(zip(zip(table["model"], table["sample_id"], strict=True), table["prediction"], strict=True))


def test_samples_of_some_runs_are_blank_and_listed() -> None:
    runs = [run("a", said("1"), said("2")), run("b", said("2"), said("3"))]
    assert cells(runs)["b", "1"] is None
    summary = joined(runs).summary
    assert (summary.samples, summary.partial, summary.models) == (3, ("1", "3"), {"a": 2, "b": 2})


def test_a_run_with_the_first_samples_only_looks_cut_off() -> None:
    whole, cut, gappy = (run(name, *map(said, samples)) for name, samples in (("a", "1234"), ("b", "12"), ("c", "134")))
    assert joined([cut, whole, gappy]).summary.cut_off == ("b",)
    assert joined([whole, run("d", *map(said, "4321"))]).summary.cut_off == ()
    assert joined([whole, run("d", *map(said, "123"))]).summary.cut_off == ()  # the last one may have failed
    told = {len(runs): import_sentences(joined(runs).summary)[1] for runs in ([cut, whole], [cut, whole, gappy])}
    assert told[2].endswith("Finish the run.")  # one run alone has none to be compared with
    assert told[3].endswith("Finish the run, or import the others only.")


def test_a_run_of_fewer_tasks_does_not_look_cut_off() -> None:
    """Two tasks, one after the other, in the logs of one model; the other has answered the first task only."""
    both = run("a", *map(said, "1234"), *(said(key, task="u") for key in "5678"))
    one, cut = run("b", *map(said, "1234")), run("c", *map(said, "12"), *(said(key, task="u") for key in "5678"))
    summary = joined([both, one]).summary
    assert (summary.cut_off, summary.own_tasks) == ((), {"a": {"t": 4, "u": 4}, "b": {"t": 4}})
    told = "Runs have different tasks (samples): a has t (4), u (4); b has t (4)."
    assert told in import_sentences(summary)
    summary = joined([both, cut]).summary
    assert (summary.cut_off, summary.own_tasks) == (("c",), {})
    assert any("samples that the longest run of a task has, it has only" in each for each in import_sentences(summary))


def test_three_kinds_of_no_answer_are_counted_apart() -> None:
    rows = [said("1", state=State.unparsed), said("2", state=State.refused), said("3", state=State.errored)]
    runs = [run("a", *rows, said("4", None, state=State.blank)), run("b", *(said(str(at)) for at in range(1, 5)))]
    found = cells(runs)
    assert [found["a", str(at)] for at in range(1, 5)] == ["(unparsed)", "(refused)", None, None]
    summary = joined(runs).summary
    assert (summary.unparsed, summary.refused, summary.errored, summary.blank) == tuple([{"a": 1}] * 4)


def test_targets_that_differ_are_no_truth() -> None:
    first = run("a", said("1", targets=("x",)), said("2", targets=("y",)), said("3", targets=("p", "q")))
    other = run("b", said("1", targets=("x",)), said("2", targets=("z",)), said("3", targets=("p", "q")))
    found = joined([first, other])
    assert found.truth.to_pydict() == {"sample_id": ["1"], "label": ["x"]}
    assert (found.summary.targets_differ, found.summary.several_targets) == (("2",), ("3",))


def test_options_in_another_order_are_the_same_options() -> None:
    first = run("a", said("1", "A", choices=("red", "blue"), targets=("blue",)), said("2", "B", choices=("x", "y")))
    other = run("b", said("1", "A", choices=("blue", "red"), targets=("A",)), said("2", "B", choices=("x", "z")))
    found = joined([first, other])
    assert cells([first, other]) == {("a", "1"): "A", ("a", "2"): "B", ("b", "1"): "B", ("b", "2"): None}
    assert found.summary.options_differ == ("1", "2")
    assert found.truth.to_pydict()["label"] == ["B"]
    assert found.table.to_pydict()["options"][0] == "A. red\nB. blue"


def test_answers_in_the_words_of_an_option_are_its_letter() -> None:
    assert cells([run("a", said("1", " Blue ", choices=("red", "blue")), said("2", "A, B", choices=("x", "y")))]) == {
        ("a", "1"): "B",
        ("a", "2"): "A, B",
    }


def test_one_id_with_two_questions_is_listed() -> None:
    runs = [
        run("a", Said("1-x", "1", "t", "x", question="old"), said("2")),
        run("b", Said("1-y", "1", "t", "x", question="new"), said("2")),
    ]
    assert joined(runs).summary.questions_differ == ("1-x", "1-y")


def test_epochs_and_duplicates() -> None:
    runs = [run("a", said("1", "x"), said("1", "y", epoch=2), said("1", "z", epoch=2)), run("b", said("1", "x"))]
    assert cells(runs) == {("a", "1"): "x", ("b", "1"): "x"}
    assert cells(runs, epochs="all") == {("a (epoch 1)", "1"): "x", ("a (epoch 2)", "1"): "y", ("b", "1"): "x"}
    summary = joined(runs).summary
    assert (summary.epochs, summary.duplicates) == ({"a": 2}, {"a": 1})
    with pytest.raises(InputError, match="use first or all"):
        joined(runs, epochs="last")


def test_one_model_may_come_in_several_files_but_not_twice() -> None:
    parts = [run("a", said("1"), file="one"), run("a", said("2"), file="two"), run("b", said("1"), said("2"))]
    assert joined(parts).summary.models == {"a": 2, "b": 2}
    with pytest.raises(InputError, match=r"two runs have the name 'a' \(one and two\), and both answer '1'"):
        joined([run("a", said("1"), file="one"), run("a", said("1"), file="two")])


def test_a_run_of_another_task_is_refused() -> None:
    other = Run("b", "b.log", (Said("u/1", "1", "u", "x"),))
    with pytest.raises(InputError, match=r"'a' of a.log has no sample in common .*its task is 't', theirs 'u'"):
        joined([run("a", said("1")), other])


def test_facts_and_numbers_stand_beside_the_answers() -> None:
    row = said("1", question="Why?", cluster="d", cost=0.5, latency=2.0, score=1.0)
    [found] = joined([run("a", row)]).table.to_pylist()
    assert found == {
        "sample_id": "1",
        "model": "a",
        "prediction": "x",
        "state": "answered",
        "task": "t",
        "question": "Why?",
        "cluster": "d",
        "score": 1.0,
        "cost": 0.5,
        "latency": 2.0,
    }
