"""Cost and latency, from the logs of a tool to the screen of `rank` and the report."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import adjudge
from tests.support.logs import inspect_log, inspect_sample

MODELS = {"large": (0.02, 3.0, 1), "small": (0.002, 0.5, 2)}  # cost, seconds, and how many of 60 answers are wrong
SAMPLES = 60


def said(model: str, sample: int) -> str:
    return "wrong" if sample < MODELS[model][2] else "155"


def table(folder: Path) -> list[Path]:
    rows = [
        f"{sample},{model},{said(model, sample)},155,{cost},{1000 * seconds}\n"
        for model, (cost, seconds, _) in MODELS.items()
        for sample in range(SAMPLES)
    ]
    (folder / "answers.csv").write_text("".join(["question_id,model,response,target,cost_usd,latency_ms\n", *rows]))
    return [folder / "answers.csv"]


def inspect(folder: Path) -> list[Path]:
    return [
        inspect_log(
            folder / f"{model}.eval",
            [
                inspect_sample(
                    sample, said(model, sample), working_time=seconds, model_usage={model: {"total_cost": cost}}
                )
                for sample in range(SAMPLES)
            ],
            model,
        )
        for model, (cost, seconds, _) in MODELS.items()
    ]


def promptfoo(folder: Path) -> list[Path]:
    results: list[dict[str, Any]] = [
        {
            "provider": {"id": model, "label": model},
            "promptIdx": 0,
            "vars": {"question": f"Question {sample}?"},
            "response": {"output": said(model, sample), "cost": cost},
            "failureReason": 0,
            "score": 1,
            "latencyMs": 1000 * seconds,
            "testCase": {"assert": [{"type": "equals", "value": "155"}]},
        }
        for model, (cost, seconds, _) in MODELS.items()
        for sample in range(SAMPLES)
    ]
    told = {"evalId": "e", "results": {"version": 3, "results": results}}
    (folder / "results.json").write_text(json.dumps(told))
    return [folder / "results.json"]


@pytest.mark.parametrize("write", [table, inspect, promptfoo])
def test_prices_go_from_logs_to_the_screen_and_the_report(tmp_path: Path, write: Callable[[Path], list[Path]]) -> None:
    out, truth, report = (tmp_path / name for name in ("predictions.parquet", "truth.csv", "report.html"))
    done = adjudge("import", write.__name__, *write(tmp_path), "--out", out, "--with-truth", truth)
    assert done.returncode == 0, done.stderr
    words = [out, "--labels", truth, "--drawn", "uniform", "--margin", 0.02]
    shown = " ".join(adjudge("rank", *words).stdout.split())
    assert shown.startswith("Deploy large.")
    worse = "is 1.7 points worse than the best, exactly."
    assert f"Cheapest: small, 0.002 a sample (large: 0.02, 10 times as much), {worse}" in shown
    assert f"Fastest: small, 0.5 s a sample (large: 3 s, 6 times as much), {worse}" in shown
    made = adjudge("report", *words, "--out", report)
    assert made.returncode == 0, made.stderr
    text = report.read_text(encoding="utf-8")
    assert "Quality and cost" in text
    assert "Quality and latency" in text


def test_with_some_labels_the_cheapest_model_has_a_likely_loss_and_a_guarantee(tmp_path: Path) -> None:
    out, truth, labels = (tmp_path / name for name in ("predictions.parquet", "truth.csv", "labels.csv"))
    adjudge("import", "table", *table(tmp_path), "--out", out, "--with-truth", truth)
    known = truth.read_text().splitlines()
    labels.write_text("\n".join(known[:41]) + "\n")  # with the sample on which the small model alone is wrong
    shown = " ".join(adjudge("rank", out, "--labels", labels, "--drawn", "uniform", "--margin", 0.2).stdout.split())
    told = shown[shown.index("Cheapest:") : shown.index("Fastest:")]
    assert told.startswith("Cheapest: small, 0.002 a sample (large: 0.02, 10 times as much). 95% sure")
    assert "Guaranteed: at most" in told


def test_a_leader_that_is_the_cheapest_of_all_is_called_that(tmp_path: Path) -> None:
    out, truth, labels = (tmp_path / name for name in ("predictions.parquet", "truth.csv", "labels.csv"))
    adjudge("import", "table", *table(tmp_path), "--out", out, "--with-truth", truth)
    known = truth.read_text().splitlines()
    labels.write_text("\n".join([known[0], *known[21:]]) + "\n")  # nothing on which the two differ
    shown = " ".join(adjudge("rank", out, "--labels", labels, "--drawn", "uniform", "--margin", 0.05).stdout.split())
    assert "Cheapest: small too: no model costs less." in shown
    assert "Fastest: small too: no model is faster." in shown
