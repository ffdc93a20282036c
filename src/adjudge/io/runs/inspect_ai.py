"""Logs of inspect_ai: `.eval`, a zip with a file for each sample and epoch, and `.json`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.io.files import parsing
from adjudge.io.runs.archive import Members, members
from adjudge.io.runs.records import (
    Run,
    Said,
    State,
    check_there,
    key_of,
    need,
    number_of,
    parsed,
    read_json,
    score_of,
    text_of,
)

TOOL = "inspect_ai"
SUFFIXES = (".eval", ".json")
HEADER, START, SAMPLES = "header.json", "_journal/start.json", "samples/"


def read_inspect(path: Path, *, scorer: str | None = None) -> list[Run]:
    """The run of a log, or those of a folder of logs.

    Parameters
    ----------
    scorer
        Whose answers are taken; by default those of the first scorer that noted any.
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix in SUFFIXES)
        if not files:
            raise InputError(f"the folder {path} holds no log of {TOOL}; give one with .eval or .json files")
        return [replace(_run(file, scorer), file=str(file)) for file in files]
    check_there(path)
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path.name} is not a log of {TOOL}; give a file that ends in .eval or .json")
    return [replace(_run(path, scorer), file=str(path))]


def _run(file: Path, scorer: str | None) -> Run:
    if file.suffix == ".json":
        told = read_json(file)
        with parsing(file):
            return _of(file.name, told, need(told, "samples", file.name, TOOL) or (), scorer)
    with members(file) as archive:
        header = _header(archive, file.name)
        names = [name for name in archive.names if name.startswith(SAMPLES)]
        return _of(file.name, header, (json.loads(archive.read(name)) for name in names), scorer)


def _header(archive: Members, name: str) -> Any:
    """What the log says about the run; one that was stopped has only what was known at its start."""
    found = next((each for each in (HEADER, START) if each in archive.names), None)
    if found is None:
        raise InputError(f"{name} has no {HEADER}, so it is not a log of {TOOL}; give one of those")
    told = json.loads(archive.read(found))
    return told if found == HEADER else {**told, "status": "started"}


def _of(name: str, header: Any, samples: "Iterator[Any] | Sequence[Any]", scorer: str | None) -> Run:
    about = need(header, "eval", name, TOOL)
    model, task = (str(need(about, each, name, TOOL)) for each in ("model", "task"))
    rows = tuple(_said(row, task, name, scorer) for row in samples)
    if not rows:
        raise InputError(f"{name} holds no sample; run the task again, or leave it out")
    status = header.get("status", "success")
    remarks = () if status == "success" else (f"The run of {name} did not end well: its status is {status!r}",)
    return Run(model, name, rows, remarks)


def _said(row: Mapping[str, Any], task: str, file: str, scorer: str | None) -> Said:
    sample, question = str(need(row, "id", file, TOOL)), _text(row.get("input"))
    score = _score(row.get("scores") or {}, scorer, file)
    answer, state = _answer(row, score)
    target = row.get("target") or ()
    usage = [number_of(each.get("total_cost")) for each in (row.get("model_usage") or {}).values()]
    costs = [each for each in usage if each is not None]
    value = None if score is None else score.get("value")
    return Said(
        key_of(task, sample, question),
        sample,
        task,
        answer,
        state,
        (target,) if isinstance(target, str) else tuple(map(str, target)),
        tuple(map(str, row.get("choices") or ())),
        question,
        epoch=int(row.get("epoch") or 1),
        score=score_of(value),
        cost=sum(costs) if costs else None,
        latency=number_of(row.get("working_time") or row.get("total_time")),
    )


def _score(scores: Mapping[str, Any], scorer: str | None, file: str) -> Mapping[str, Any] | None:
    if scorer is not None:
        if scores and scorer not in scores:
            raise InputError(f"{file} has no scorer {scorer!r} but {', '.join(scores)}; name one of these")
        return scores.get(scorer)
    noted = [score for score in scores.values() if score.get("answer") is not None]
    return next(iter([*noted, *scores.values()]), None)


def _answer(row: Mapping[str, Any], score: Mapping[str, Any] | None) -> tuple[str | None, State]:
    """A row may say that it is completed and still carry an error: then there is no answer."""
    if row.get("error"):
        return None, State.errored
    output = row.get("output") or {}
    stops = [choice.get("stop_reason") for choice in output.get("choices") or ()]
    if "content_filter" in stops or (score is not None and score.get("value") == "N"):
        return None, State.refused
    answer = None if score is None else text_of(score.get("answer"))
    if answer is None:  # a scorer that looks at all of it
        answer = output.get("completion") or ""
    return answer, parsed(answer)


def _text(given: object) -> str:
    """A question, which may be a list of messages whose contents may be lists of parts."""
    if isinstance(given, list):
        return "\n".join(filter(None, map(_text, given)))
    if isinstance(given, dict):
        return _text(given.get("content", given.get("text")))
    return str(given or "")
