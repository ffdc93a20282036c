"""Results of promptfoo: one JSON file with all answers of all providers to all prompts."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.io.runs.records import Run, Said, State, digest, key_of, need, number_of, parsed, read_json, text_of

TOOL = "promptfoo"
EXPECTED = ("expected", "expected_answer", "expected_output", "target", "reference", "ground_truth", "__expected")
FAILED = 2  # the reason of a failure: no answer came, not one that a check refused
MILLISECONDS = 1000
VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def read_promptfoo(path: Path) -> list[Run]:
    """The runs of a file of results, one for each provider, and for each prompt where there are several."""
    told = need(read_json(path), "results", path.name, TOOL)
    results = told.get("results") if isinstance(told, dict) else told
    if not isinstance(results, list) or not results or not all(isinstance(each, dict) for each in results):
        raise InputError(f"{path.name} holds no results of {TOOL}; write them again with --output results.json")
    prompts = list(dict.fromkeys(_prompt(row) for row in results))
    rows: defaultdict[str, list[Said]] = defaultdict(list)
    times: defaultdict[tuple[str, str], int] = defaultdict(int)
    for row in results:
        model = _provider(need(row, "provider", path.name, TOOL))
        if len(prompts) > 1:
            model = f"{model} / prompt {prompts.index(_prompt(row)) + 1}"
        said = _said(row)
        times[model, said.key] += 1
        rows[model].append(replace(said, epoch=times[model, said.key]))  # a repeated test is another epoch
    return [Run(model, str(path), tuple(said)) for model, said in rows.items()]


def _provider(given: object) -> str:
    if isinstance(given, dict):
        return str(given.get("label") or given.get("id") or "provider")
    return str(given)


def _prompt(row: Mapping[str, Any]) -> object:
    """What tells prompts apart; `promptIdx` counts pairs of a provider and a prompt."""
    prompt = row.get("prompt")
    return row.get("promptId") or (prompt.get("label") if isinstance(prompt, dict) else None) or row.get("promptIdx")


def _said(row: Mapping[str, Any]) -> Said:
    test = row.get("testCase") or {}
    given = row.get("vars") or test.get("vars") or {}
    asked = {name: value for name, value in given.items() if name not in EXPECTED}
    response = row.get("response") or {}
    answer = text_of(response.get("output"))
    cost, took = row.get("cost", response.get("cost")), number_of(row.get("latencyMs"))
    texts = [str(value) if len(asked) == 1 else f"{name}: {text_of(value)}" for name, value in asked.items()]
    return Said(
        key_of("", digest(asked)[:12]),
        str(row.get("testIdx", "")),
        "",
        answer,
        _state(row, answer),
        _targets(test, given),
        (),
        "\n".join(texts),
        score=number_of(row.get("score")),
        cost=number_of(cost),
        latency=None if took is None else took / MILLISECONDS,
    )


def _state(row: Mapping[str, Any], answer: str | None) -> State:
    response = row.get("response") or {}
    if response.get("isRefusal"):
        return State.refused
    if row.get("failureReason") == FAILED or response.get("error") or (row.get("error") and answer is None):
        return State.errored
    return parsed(answer)


def _targets(test: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[str, ...]:
    """The right answer, where a check wants exactly one, or a variable is named after it."""
    checks = [each.get("value") for each in test.get("assert") or () if each.get("type") == "equals"]
    wanted = [_rendered(each, given) if isinstance(each, str) else each for each in checks]
    found = [text_of(each) for each in (*wanted, *(given.get(name) for name in EXPECTED))]
    return tuple(dict.fromkeys(each for each in found if each))


def _rendered(text: str, given: Mapping[str, Any]) -> str | None:
    """A text with variables filled in; None: it holds more than their names."""
    filled = VARIABLE.sub(lambda found: text_of(given.get(found[1])) or found[0], text)
    return None if "{{" in filled or "{%" in filled else filled
