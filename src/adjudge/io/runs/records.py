"""What the log of any tool comes down to: runs, and what each says about a sample."""

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.io.files import parsing

UTF_8 = "utf-8-sig"  # with or without the mark that some editors put first
INVALID = "[invalid]"  # what a filter of lm-evaluation-harness leaves where it found nothing
VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # of inspect_ai: correct, incorrect, partial, no answer
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class State(StrEnum):
    """What became of a question."""

    answered = "answered"
    unparsed = "unparsed"  # the model said something, and no answer was found in it
    refused = "refused"  # the model would not answer
    errored = "errored"  # the model was never heard: a time-out, a failure of the server
    blank = "blank"  # a table holds nothing


@dataclass(frozen=True)
class Said:
    """What a run says about a sample.

    Parameters
    ----------
    key
        The id of the sample in the pool: two runs that share it answered the same question.
    sample
        Its id in the log, for people.
    targets
        All answers that count as right; none: unknown.
    """

    key: str
    sample: str
    task: str = ""
    answer: str | None = None
    state: State = State.answered
    targets: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    question: str = ""
    cluster: str = ""
    epoch: int = 1
    score: float | None = None
    cost: float | None = None
    latency: float | None = None  # seconds


@dataclass(frozen=True)
class Run:
    """One model on one or several tasks, as one file or folder has it; `remarks` are sentences for people.

    `file` is a path as it was told, since two logs may have the same name in two folders.
    """

    model: str
    file: str
    rows: tuple[Said, ...]
    remarks: tuple[str, ...] = ()


def key_of(task: str, sample: str, content: object = None) -> str:
    """An id from the task, the sample, and a hash of what was asked, since numbers of samples may be used again.

    >>> key_of("sums", "1", "What is 1 + 1?"), key_of("", "q7")
    ('sums/1-f9f244e3', 'q7')
    """
    name = f"{task}/{sample}" if task else sample
    return name if content is None else f"{name}-{digest(content)[:8]}"


def epoch_name(model: str, epoch: int) -> str:
    """The name of one of several runs of a model."""
    return f"{model} (epoch {epoch})"


def runs_of_models(names: Sequence[str]) -> dict[str, list[int]]:
    """The places of the runs of each model, by the names that `epoch_name` gives.

    >>> runs_of_models(["a (epoch 1)", "b", "a (epoch 2)"])
    {'a': [0, 2], 'b': [1]}
    """
    found: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        told = re.fullmatch(r"(.+) \(epoch \d+\)", name, re.DOTALL)
        found.setdefault(told[1] if told else name, []).append(place)
    return found


def digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def parsed(answer: str | None) -> State:
    """Whether an answer that a tool looked for was found."""
    return State.answered if answer and answer.strip() not in ("", INVALID) else State.unparsed


def letter(place: int) -> str:
    """The name of an option: a letter, or a number where there are too many."""
    return LETTERS[place] if place < len(LETTERS) else str(place + 1)


def place_among(text: str, choices: Sequence[str]) -> int | None:
    """Which option is meant by a letter or by its own words; None: no single one.

    >>> place_among("B", ["red", "blue"]), place_among(" Blue", ["red", "blue"]), place_among("green", ["red", "blue"])
    (1, 1, None)
    """
    bare = text.strip()
    words = [each.strip().casefold() for each in choices]
    if words.count(bare.casefold()) == 1:
        return words.index(bare.casefold())
    names = [letter(place) for place in range(len(choices))]
    return names.index(bare.upper()) if bare.upper() in names else None


def option_of(target: str, choices: Sequence[str]) -> str:
    """The letter of the right option, which is told by its words, its letter or its place, counted from 0.

    >>> option_of("blue", ["red", "blue"]), option_of("1", ["red", "blue"]), option_of("green", ["red", "blue"])
    ('B', 'B', 'green')
    """
    place = place_among(target, choices)
    if target.strip().isdecimal() and target.strip() not in choices:
        place = int(target)
    return target if place is None or place >= len(choices) else letter(place)


def score_of(value: object) -> float | None:
    """A score, which may be a letter.

    >>> score_of("C"), score_of("0.5"), score_of(True), score_of("fine")
    (1.0, 0.5, 1.0, None)
    """
    return VALUES.get(value.strip(), number_of(value)) if isinstance(value, str) else number_of(value)


def number_of(value: object) -> float | None:
    """A number that a log holds, also as text; None where there is none."""
    if value is None or isinstance(value, Mapping | list):
        return None
    try:
        number = float(str(value).strip()) if not isinstance(value, bool) else float(value)
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(str(value).strip().lower())
    return None if math.isnan(number) else number


def text_of(value: object) -> str | None:
    """Any value as an answer in words: text as it is, what is nested as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def read_json(file: Path) -> Any:
    check_there(file)
    with parsing(file):
        return json.loads(file.read_text(encoding=UTF_8))


def read_json_lines(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file with one JSON object on each line."""
    check_there(file)
    rows = 0
    with parsing(file), file.open(encoding=UTF_8) as opened:
        for number, line in enumerate(opened, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as problem:
                raise InputError(
                    f"line {number} of {file} is not JSON; it may be cut short, so write it again"
                ) from problem
            if not isinstance(row, dict):
                raise InputError(f"line {number} of {file} is not an object; give one for each answer")
            rows += 1
            yield row
    if not rows:
        raise InputError(f"{file} is empty; write it again")


def check_there(file: Path) -> None:
    if not file.exists():
        raise InputError(f"{file} does not exist; check the path")
    if file.is_dir():
        raise InputError(f"{file} is a folder; give a file")
    if not file.stat().st_size:
        raise InputError(f"{file} is empty; write it again")


def need(row: Mapping[str, Any], name: str, file: str, tool: str) -> Any:
    """A field that every log of a tool has."""
    if not isinstance(row, Mapping) or name not in row:
        raise InputError(f"{file} has no {name!r}, so it is not a log of {tool}; give one of those")
    return row[name]
