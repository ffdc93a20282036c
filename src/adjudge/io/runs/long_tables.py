"""Any long table: a row for each sample and model, as CSV, JSONL, Parquet, or a JSON table."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from adjudge.core.index import listed
from adjudge.errors import InputError
from adjudge.io.column_names import IDS, MODELS, PREDICTIONS
from adjudge.io.named_columns import named_columns, rows_of
from adjudge.io.runs.records import Run, Said, State, key_of, number_of, score_of, text_of

OF_A_GROUP = ("cluster", "document", "document_id", "passage_id", "group")  # which may have several samples
NAMES = {  # what a column may be called
    "sample": tuple(name for name in IDS if name not in OF_A_GROUP),
    "model": (*MODELS, "provider"),
    "answer": (
        "answer",
        *PREDICTIONS,
        *("response", "output", "outputs", "completion", "model_answer", "extracted_answer"),
    ),
    "score": ("score", "grade", "correct", "is_correct"),
    "choices": ("choices", "options"),
    # fewer names than elsewhere: a `class` of questions is no answer to them
    "target": (
        "target",
        "targets",
        "label",
        "truth",
        "gold",
        "reference",
        "expected",
        "correct_answer",
        "ground_truth",
    ),
    "cost": ("cost", "cost_usd", "price"),
    "latency": ("latency", "latency_s", "latency_ms", "seconds", "duration"),
    "epoch": ("epoch", "repeat", "trial", "attempt"),
    "cluster": OF_A_GROUP,
    "prompt": ("prompt", "question", "input", "inputs", "query", "text"),
    "task": ("task", "benchmark", "dataset"),
    "error": ("error",),
}
NEEDED = ("sample", "answer")
MILLISECONDS = 1000


def read_long_table(path: Path, *, columns: Mapping[str, str] | None = None) -> list[Run]:
    """The runs of a table, one for each model in it; without a column of models, the file is one.

    Parameters
    ----------
    columns
        What the table calls sample, model, answer and the others, where that cannot be guessed.
    """
    runs = runs_of_rows(rows_of(path, "answer"), path.name, path.stem, columns or {})
    return [replace(run, file=str(path)) for run in runs]


def runs_of_rows(rows: Sequence[Mapping[str, Any]], file: str, model: str, columns: Mapping[str, str]) -> list[Run]:
    """The runs of rows, one for each model; without a column of models, all are of this one."""
    names = named_columns(file, rows, columns, NAMES, NEEDED)
    found: defaultdict[str, list[Said]] = defaultdict(list)
    for number, row in enumerate(rows, start=1):
        cells = {meaning: row.get(name) for meaning, name in names.items()}
        if not str(cells["sample"] if cells["sample"] is not None else "").strip():
            raise InputError(f"row {number} of {file} has no sample in {names['sample']!r}; give it one")
        name = model if "model" not in names else str(cells["model"] or "").strip()
        if not name:
            raise InputError(f"row {number} of {file} has no model in {names['model']!r}; name it")
        found[name].append(_said(cells, names))
    remarks = _on_scores(file, [row.get(names["score"]) for row in rows]) if "score" in names else ()
    return [Run(name, file, tuple(said), () if place else remarks) for place, (name, said) in enumerate(found.items())]


def _on_scores(file: str, scores: Sequence[Any]) -> tuple[str, ...]:
    """A sentence on those that are words, if there are any."""
    words = dict.fromkeys(each for each in scores if isinstance(each, str) and each.strip() and score_of(each) is None)
    return (f"Scores in {file} that are not numbers are left out: {listed(list(words), 3)}",) if words else ()


def _said(cells: Mapping[str, Any], names: Mapping[str, str]) -> Said:
    answer, task, sample = text_of(cells["answer"]), str(cells.get("task") or ""), str(cells["sample"]).strip()
    state = State.answered if answer is not None and answer.strip() else State.blank
    if str(cells.get("error") or "").strip():
        state = State.errored
    took = number_of(cells.get("latency"))
    if took is not None and names["latency"].lower().endswith("_ms"):
        took /= MILLISECONDS
    epoch = number_of(cells.get("epoch"))
    return Said(
        key_of(task, sample),
        sample,
        task,
        answer,
        state,
        tuple(_listed(cells.get("target"))),
        tuple(_listed(cells.get("choices"))),
        text_of(cells.get("prompt")) or "",
        text_of(cells.get("cluster")) or "",
        1 if epoch is None else int(epoch),
        score_of(cells.get("score")),
        number_of(cells.get("cost")),
        took,
    )


def _listed(given: Any) -> Iterable[str]:
    """A cell with one text, or with a list of them, which may be written as JSON."""
    if isinstance(given, str) and given.strip().startswith("["):
        try:
            given = json.loads(given)
        except ValueError:
            return [given]
    if isinstance(given, list):
        return [str(each) for each in given]
    return [] if given is None or not str(given).strip() else [text_of(given) or ""]
