"""A model behind an address: what goes out, what comes back, and what happens when it does not."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.models.datasets import from_array, from_texts, read_data
from tests.support.served import SILENCE, serving


class Clock:
    """In place of the module `time`: nobody waits, and it is known how long one would have."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return sum(self.waits)

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


def settings(folder: Path, text: str) -> Path:
    file = folder / "endpoint.toml"
    file.write_text(text)
    return file


def length(inputs: list[Any], _: int) -> Any:
    return {"labels": ["long" if len(each) > 3 else "short" for each in inputs]}


def test_text_goes_out_and_labels_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_TOKEN", "secret")
    monkeypatch.setattr("adjudge.models.runners.endpoint.time", clock := Clock())
    data = from_texts(["cat", "horse", "dog", "mouse", "ox"], list("abcde"))
    with serving(length) as (address, got):
        found = adjudge.predict(
            f"net={address}", data, settings=settings(tmp_path, 'batch = 2\ntoken = "TINY_TOKEN"\nrate = 20\n')
        )
    assert [each["inputs"] for each in got] == [["cat", "horse"], ["dog", "mouse"], ["ox"]]
    assert {each["token"] for each in got} == {"Bearer secret"}
    assert clock.waits == pytest.approx([0, 0.05, 0.05])
    pool = found.predictions
    assert pool.classes == ("long", "short")
    assert not pool.declared
    assert pool.values.tolist() == [[1, 0, 1, 0, 1]]


def test_probabilities_numbers_and_blanks(tmp_path: Path) -> None:
    data = from_array(np.array([[1.0, np.nan], [3.0, 4.0]]))
    with serving(lambda inputs, _: {"probabilities": [[0.25, 0.75]] * len(inputs)}) as (address, got):
        pool = adjudge.predict(address, data, probabilities=True).predictions
    assert got[0]["inputs"] == [[1.0, None], [3.0, 4.0]]
    assert pool.probabilities is not None
    assert pool.probabilities.tolist() == [[[0.25, 0.75], [0.25, 0.75]]]
    with serving(lambda inputs, _: {"numbers": [sum(map(float, filter(None, each))) for each in inputs]}) as (
        address,
        _,
    ):
        numbers = adjudge.predict(address, data).predictions
    assert (numbers.classes, numbers.values.tolist()) == (None, [[1.0, 7.0]])


def test_a_busy_endpoint_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.models.runners.endpoint.time", clock := Clock())
    with serving(lambda inputs, number: 503 if number < 3 else length(inputs, number)) as (address, got):
        pool = adjudge.predict(address, from_texts(["cat", "horse"])).predictions
    assert len(got) == 3
    assert clock.waits == [0, 0]  # as the endpoint asked for
    assert pool.values.tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (404, "answered 404 Not Found, after 1 tries"),
        (None, "did not answer with JSON"),
        ({"nothing": []}, "holds none of probabilities, numbers, labels"),
        ({"labels": ["a"]}, "gave 1 labels for 2 samples"),
        (SILENCE, r"did not answer within 0.1 s, after 2 tries"),
    ],
)
def test_what_an_endpoint_does_wrong_is_told(tmp_path: Path, answer: Any, sentence: str) -> None:
    told = settings(tmp_path, f"timeout = {0.1 if answer is SILENCE else 60}\nretries = 1\n")
    with serving(lambda inputs, number: answer) as (address, _), pytest.raises(InputError, match=sentence):
        adjudge.predict(address, from_texts(["cat", "horse"]), settings=told)


def test_nothing_is_asked_twice_after_a_time_out(tmp_path: Path) -> None:
    data = from_texts([f"text {number}" for number in range(6)])
    told = settings(tmp_path, "batch = 2\ntimeout = 3\nretries = 0\n")  # enough for an answer on a busy machine
    slow = [True]

    def answer(inputs: list[Any], number: int) -> Any:
        return SILENCE if slow[0] and number == 3 else {"labels": [each[-1] for each in inputs]}

    with serving(answer) as (address, got):
        with pytest.raises(InputError, match=r"did not answer within 3 s"):
            adjudge.predict(address, data, settings=told, cache=tmp_path / "runs")
        slow[0] = False
        found = adjudge.predict(address, data, settings=told, cache=tmp_path / "runs")
        assert [each["inputs"][0] for each in got] == ["text 0", "text 2", "text 4", "text 4"]
        again = adjudge.predict(address, data, settings=told, cache=tmp_path / "runs")
        assert len(got) == 4
    assert again.reused == (found.predictions.models[0],)
    assert found.predictions.values.tolist() == again.predictions.values.tolist() == [[0, 1, 2, 3, 4, 5]]


def test_nobody_there_and_no_token(tmp_path: Path) -> None:
    data = read_data(_texts(tmp_path))
    with pytest.raises(InputError, match=r"the endpoint failed .*after 1 tries"):
        adjudge.predict("http://127.0.0.1:9/none", data, settings=settings(tmp_path, "retries = 0\n"))
    with pytest.raises(InputError, match=r"looked for in \$NO_SUCH_TOKEN"):
        adjudge.predict("http://127.0.0.1:9/none", data, settings=settings(tmp_path, 'token = "NO_SUCH_TOKEN"\n'))


def _texts(folder: Path) -> Path:
    file = folder / "texts.csv"
    file.write_text("id,text\na,one word\n")
    return file
