"""Every Eval Ever: one JSON object for each answer, whatever tool it came from."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adjudge.io.runs.records import Run, Said, State, key_of, need, number_of, parsed, read_json_lines, text_of

TOOL = "Every Eval Ever"
MILLISECONDS = 1000


def read_every_eval_ever(path: Path) -> list[Run]:
    """The runs of a file of instances (JSONL), one for each model in it."""
    rows: defaultdict[str, list[Said]] = defaultdict(list)
    for row in read_json_lines(path):
        rows[str(need(row, "model_id", path.name, TOOL))].append(_said(row, path.name))
    return [Run(model, path.name, tuple(said)) for model, said in rows.items()]


def _said(row: Mapping[str, Any], file: str) -> Said:
    asked = need(row, "input", file, TOOL) or {}
    sample, task = str(need(row, "sample_id", file, TOOL)), str(row.get("evaluation_name") or "")
    identity = row.get("sample_hash")
    answer = _answer(row)
    speed = row.get("performance") or {}
    took = number_of(speed.get("latency_ms") or speed.get("generation_time_ms"))
    reference = asked.get("reference") or ()
    return Said(
        f"{key_of(task, sample)}-{str(identity)[:8]}" if identity else key_of(task, sample, asked.get("raw")),
        sample,
        task,
        answer,
        _state(row, answer),
        (reference,) if isinstance(reference, str) else tuple(map(str, reference)),
        tuple(map(str, asked.get("choices") or ())),
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
