"""Every Eval Ever: one JSON object for each answer, whatever tool it came from."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from adjudge.io.runs.records import (
    Run,
    Said,
    State,
    key_of,
    need,
    number_of,
    option_of,
    parsed,
    read_json_lines,
    text_of,
)

TOOL = "Every Eval Ever"
MILLISECONDS = 1000


def read_every_eval_ever(path: Path) -> list[Run]:
    """The runs of a file of instances (JSONL), one for each model in it."""
    rows: defaultdict[str, dict[tuple[str, int], Said]] = defaultdict(dict)
    filters: dict[str, str] = {}  # by task, the first
    metrics: dict[tuple[str, str], object] = {}  # by model and sample, the first: others tell of the same answer
    left_out: defaultdict[str, set[str]] = defaultdict(set)
    for row in read_json_lines(path):
        model, (task, by) = str(need(row, "model_id", path.name, TOOL)), _task(row)
        if by != filters.setdefault(task, by):
            left_out[model].add(by)
            continue
        said, metric = _said(row, task, path.name), row.get("evaluation_result_id")
        if metric == metrics.setdefault((model, said.key), metric):
            epoch = next(number for number in count(1) if (said.key, number) not in rows[model])
            rows[model][said.key, epoch] = replace(said, epoch=epoch)
    return [
        Run(model, str(path), tuple(said.values()), _remarks(path.name, left_out[model]))
        for model, said in rows.items()
    ]


def _remarks(file: str, filters: Collection[str]) -> tuple[str, ...]:
    return (f"Answers by other filters are left out in {file}: {', '.join(sorted(filters))}",) if filters else ()


def _task(row: Mapping[str, Any]) -> tuple[str, str]:
    """The task, and the filter that lm-evaluation-harness applied, which converted rows have in the task's name."""
    name, by = str(row.get("evaluation_name") or ""), str((row.get("metadata") or {}).get("filter") or "")
    return name.removesuffix(f"/{by}"), by


def _said(row: Mapping[str, Any], task: str, file: str) -> Said:
    asked = need(row, "input", file, TOOL) or {}
    sample, identity = str(need(row, "sample_id", file, TOOL)), row.get("sample_hash")
    answer, speed = _answer(row), row.get("performance") or {}
    took = number_of(speed.get("latency_ms") or speed.get("generation_time_ms"))
    given = asked.get("reference") or ()
    right = (given,) if isinstance(given, str) else tuple(map(str, given))
    choices = tuple(map(str, asked.get("choices") or ()))
    if set(choices) <= set(right):  # HELM lists right answers to open questions so
        choices = ()
    return Said(
        f"{key_of(task, sample)}-{str(identity)[:8]}" if identity else key_of(task, sample, asked.get("raw")),
        sample,
        task,
        answer,
        _state(row, answer),
        tuple(option_of(each, choices) for each in right) if choices else right,
        choices,
        str(asked.get("raw") or ""),
        score=number_of((row.get("evaluation") or {}).get("score")),
        latency=None if took is None else took / MILLISECONDS,
    )


def _state(row: Mapping[str, Any], answer: str | None) -> State:
    problem = str(row.get("error") or "")
    if problem:
        return State.refused if "refus" in problem.lower() else State.errored
    return parsed(answer)


def _answer(row: Mapping[str, Any]) -> str | None:
    """What was extracted in the end; without that, all that the model said last."""
    extracted = [each for each in row.get("answer_attribution") or () if each.get("is_terminal", True)]
    if extracted:
        return text_of(extracted[-1].get("extracted_value"))
    raw = (row.get("output") or {}).get("raw")
    if raw:
        return text_of(raw[0] if isinstance(raw, list) else raw)
    said = [each.get("content") for each in row.get("messages") or () if each.get("role") == "assistant"]
    return text_of(said[-1]) if said else None
