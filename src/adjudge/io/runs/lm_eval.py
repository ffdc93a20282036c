"""Folders of lm-evaluation-harness with `--log_samples`: a file of rows for each task."""

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.io.runs.records import (
    Run,
    Said,
    State,
    check_there,
    digest,
    key_of,
    letter,
    need,
    number_of,
    option_of,
    parsed,
    read_json,
    read_json_lines,
    text_of,
)

TOOL = "lm-evaluation-harness"
FILE = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl")
QUESTIONS = ("question", "query", "problem", "input", "text", "sentence", "ctx", "goal", "prompt")
FINAL = "####"  # what stands before the answer in worked solutions
HASH = 12  # letters of the hash of a document that are its id


def read_lm_eval(path: Path, *, filter: str | None = None) -> list[Run]:  # noqa: A002
    """The runs of a folder: itself, if it holds files of samples, or the folders in it that do.

    Parameters
    ----------
    filter
        Whose answers are taken; by default those of the first filter of each task.
    """
    if not path.is_dir():
        check_there(path)
        raise InputError(f"{path} is not a folder; give the folder that {TOOL} wrote with --log_samples")
    folders: defaultdict[Path, list[Path]] = defaultdict(list)
    for file in sorted(path.rglob("samples_*.jsonl")):
        folders[file.parent].append(file)
    if not folders:
        raise InputError(f"the folder {path} holds no samples_*.jsonl; run {TOOL} with --log_samples")
    return [_run(folder, files, filter) for folder, files in folders.items()]


def _run(folder: Path, files: list[Path], wanted: str | None) -> Run:
    tasks: defaultdict[str, list[tuple[str, Path]]] = defaultdict(list)
    for file in files:
        if found := FILE.fullmatch(file.name):
            tasks[found["task"]].append((found["date"] or "", file))
    rows: list[Said] = []
    remarks: list[str] = []
    for task, dated in tasks.items():
        newest = max(dated)[1]
        if len(dated) > 1:
            remarks.append(f"Older files of the task {task} are left out in {_name(folder)}: {len(dated) - 1}")
        said, others = _of_task(newest, task, wanted)
        rows += said
        if others:
            remarks.append(f"Answers by other filters are left out in {newest.name}: {', '.join(others)}")
    return Run(_model(folder), str(folder), tuple(rows), tuple(remarks))


def _model(folder: Path) -> str:
    """The name in the results; without one, that of the folder."""
    for file in sorted(folder.glob("results_*.json"), reverse=True):
        told = read_json(file)
        name = told.get("model_name") if isinstance(told, dict) else None
        if name and name != "None":
            return str(name)
    return _name(folder)


def _name(folder: Path) -> str:
    """The name of a folder, or of the one above where the harness called it `None`."""
    here = folder.resolve()
    return here.parent.name if here.name == "None" else here.name


def _of_task(file: Path, task: str, wanted: str | None) -> tuple[list[Said], list[str]]:
    """The rows by one filter, and the names of the others."""
    by_filter: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_json_lines(file):
        by_filter[str(row.get("filter", "none"))].append(row)
    names = list(by_filter)
    chosen = wanted if wanted in names else names[0]
    if wanted is not None and chosen != wanted and len(names) > 1:
        raise InputError(f"{file.name} has no filter {wanted!r} but {', '.join(names)}; name one of these")
    return [_said(row, task, file.name) for row in by_filter[chosen]], [name for name in names if name != chosen]


def _said(row: Mapping[str, Any], task: str, file: str) -> Said:
    document = need(row, "doc", file, TOOL)
    given = need(row, "filtered_resps", file, TOOL)
    identity = str(row.get("doc_hash") or digest(document))[:HASH]
    arguments = _arguments(row.get("arguments"))
    fields = document if isinstance(document, dict) else {}
    question = next((str(fields[name]) for name in QUESTIONS if fields.get(name)), "")
    metrics = [number_of(row.get(name)) for name in row.get("metrics") or ("acc", "exact_match")]
    choices: tuple[str, ...] = ()
    if _has_probabilities(given):
        if len(given) < 2:
            raise InputError(
                f"{file} holds the log-probability of one text only, which is no answer; leave this task out"
            )
        choices = _choices(arguments, len(given))
        numbers = [float(each[0]) for each in given]
        answer, state = letter(numbers.index(max(numbers))), State.answered
    else:
        first = given[0] if isinstance(given, list) and given else given
        answer = text_of(first[0] if isinstance(first, list) and first else first) or ""
        state = parsed(answer)
    return Said(
        key_of(task, identity),
        str(row.get("doc_id", identity)),
        task,
        answer,
        state,
        _targets(row.get("target"), choices),
        choices,
        question or (arguments[0][0] if arguments else ""),
        score=next((each for each in metrics if each is not None), None),
    )


def _has_probabilities(given: object) -> bool:
    """Whether there is a log-probability for each option, with whether it is the most likely text."""
    if not isinstance(given, list) or not given:
        return False
    pairs = [each for each in given if isinstance(each, list) and len(each) == 2]
    return len(pairs) == len(given) and all(
        number_of(number) is not None and str(greedy) in ("True", "False") for number, greedy in pairs
    )


def _arguments(given: object) -> list[list[str]]:
    """What the model was asked, a list for each request, as older and newer versions write it."""
    if isinstance(given, dict):
        given = [list(each.values()) if isinstance(each, dict) else each for each in given.values()]
    if not isinstance(given, list):
        return []
    return [[str(part) for part in each] for each in given if isinstance(each, list) and each]


def _choices(arguments: list[list[str]], count: int) -> tuple[str, ...]:
    """The options: the part of the requests in which they differ."""
    for part in (1, 0):
        texts = [each[part].strip() for each in arguments if len(each) > part]
        if len(texts) == count and len(set(texts)) > 1:
            return tuple(texts)
    return tuple(letter(place) for place in range(count))


def _targets(target: object, choices: tuple[str, ...]) -> tuple[str, ...]:
    given = target if isinstance(target, list) else [target]
    texts = [str(each) for each in given if each is not None]
    if choices:
        return tuple(option_of(each, choices) for each in texts)
    return tuple(each.rpartition(FINAL)[2].strip() for each in texts)
