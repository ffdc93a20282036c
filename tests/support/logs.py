"""Logs of evaluation tools: those that the real tools wrote, and small ones in their form."""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LOGS = Path(__file__).parents[1] / "data" / "logs"  # written by scripts/make_llm_logs.py
ONE, TWO = LOGS / "sums_one.eval", LOGS / "sums_two.eval"
COLORS = LOGS / "colors_three.json"
HARNESS = LOGS / "lm-eval"


def inspect_sample(sample: object = 1, answer: str | None = "155", **more: Any) -> dict[str, Any]:
    scores = {"match": {"value": "C", "answer": answer}}
    return {"id": sample, "epoch": 1, "input": f"Question {sample}?", "target": "155", "scores": scores, **more}


def inspect_log(path: Path, samples: Sequence[dict[str, Any]], model: str = "net", **header: Any) -> Path:
    """A log of inspect_ai as JSON, or as a zip without zstd, which older versions wrote."""
    told = {"version": 2, "status": "success", "eval": {"task": "sums", "model": model}, **header}
    if path.suffix == ".json":
        path.write_text(json.dumps({**told, "samples": samples}), encoding="utf-8")
        return path
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(told))
        for each in samples:
            archive.writestr(f"samples/{each['id']}_epoch_{each['epoch']}.json", json.dumps(each))
    return path


def json_lines(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def harness_row(document: int = 0, answer: Any = "155", **more: Any) -> dict[str, Any]:
    doc = {"question": f"Question {document}?"}
    return {"doc_id": document, "doc": doc, "target": "155", "filtered_resps": [answer], "filter": "none", **more}
