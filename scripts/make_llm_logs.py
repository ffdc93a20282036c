"""Logs of real evaluation tools, written offline, for the tests of `adjudge import`.

    python3 -m venv /path/of/your/choice && . /path/of/your/choice/bin/activate
    pip install inspect_ai torch lm_eval
    python scripts/make_llm_logs.py --out tests/data/logs

inspect_ai runs its model `mockllm/model`, whose answers are given here; lm-evaluation-harness runs its model `dummy`,
which guesses. With `every_eval_ever` installed too (Python 3.12), its converter reads the logs of the harness.
Questions are our own. What names the machine is left out of the results of lm-evaluation-harness.
"""

import argparse
import json
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SUMS = [("What is 60 + 95?", "155"), ("What is 2 * 617?", "1234"), ("What is 9 - 12?", "-3"), ("What is 7 * 6?", "42")]
SAID = {  # by model, an answer for each sum
    "one": ["It is 155.", "The answer is 1,234", "-3", "42"],
    "two": ["155", "1235", "-3", "I do not know"],
}
COLORS = [
    ("Which color does a ripe banana have?", ["red", "yellow", "blue"], 1),
    ("Which color does fresh snow have?", ["white", "green", "black"], 0),
    ("Which color does coal have?", ["pink", "orange", "black"], 2),
]
CHOSEN = ["ANSWER: B", "ANSWER: A", "All of them", "ANSWER: B", "ANSWER: C", "ANSWER: C"]  # two epochs
CHOICE_TASK = """\
task: {task}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}\\nAnswer:"
doc_to_choice: choices
doc_to_target: answer
metric_list: [{{metric: acc}}]
"""
OPEN_TASK = """\
task: {task}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}\\nAnswer:"
doc_to_target: answer
generation_kwargs: {{until: ["\\n"]}}
metric_list: [{{metric: exact_match}}]
filter_list:
  - name: strict-match
    filter: [{{function: regex, regex_pattern: "([0-9]+)"}}, {{function: take_first}}]
  - name: flexible
    filter: [{{function: take_first}}]
"""


def inspect_logs(out: Path) -> None:
    """Two runs of sums as zips, and one run of choices with two epochs as JSON."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import write_eval_log
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import choice, match
    from inspect_ai.solver import generate, multiple_choice

    def model(name: str, answers: list[str]) -> Any:
        said = [ModelOutput.from_content(f"mockllm/{name}", each) for each in answers]
        for each in said:
            each.usage = ModelUsage(input_tokens=9, output_tokens=3, total_tokens=12)  # else a tokenizer is fetched
        return get_model(f"mockllm/{name}", custom_outputs=said)

    def run(task: Any, name: str, answers: list[str], file: str, **more: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            [log] = evaluate(
                task,
                model=model(name, answers),
                log_dir=folder,
                display="none",
                max_connections=1,
                max_samples=1,
                **more,
            )
            assert log.status == "success", log.error
            for sample in log.samples:
                sample.events = []  # what happened step by step, which nobody needs here
            write_eval_log(log, str(out / file))

    sums = [Sample(id=at, input=text, target=target) for at, (text, target) in enumerate(SUMS, start=1)]
    for name, answers in SAID.items():
        task = Task(
            name="sums", dataset=MemoryDataset(sums, name="sums"), solver=generate(), scorer=match(numeric=True)
        )
        run(task, name, answers, f"sums_{name}.eval")
    colors = [
        Sample(id=f"color{at}", input=text, choices=choices, target="ABC"[right])
        for at, (text, choices, right) in enumerate(COLORS)
    ]
    task = Task(name="colors", dataset=MemoryDataset(colors, name="colors"), solver=multiple_choice(), scorer=choice())
    run(task, "three", CHOSEN, "colors_three.json", epochs=2)


def lm_eval_logs(out: Path) -> None:
    """Two runs of the dummy model, each with a task of choices and an open one with two filters."""
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        choices = [{"question": text, "choices": given, "answer": right} for text, given, right in COLORS]
        sums = [{"question": text, "answer": right} for text, right in SUMS]
        for task, rows, form in (("colors", choices, CHOICE_TASK), ("sums", sums, OPEN_TASK)):
            data = place / f"{task}.jsonl"
            data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            (place / f"{task}.yaml").write_text(form.format(task=task, data=data), encoding="utf-8")
        manager = TaskManager(include_path=folder)
        for seed, name in enumerate(("guess", "other")):
            tracker = EvaluationTracker(output_path=str(place / name))
            found = simple_evaluate(
                "dummy", tasks=["colors", "sums"], task_manager=manager, log_samples=True, random_seed=seed
            )
            samples = found.pop("samples")
            tracker.save_results_aggregated(results=found, samples=samples)
            for task in found["configs"]:
                tracker.save_results_samples(task_name=task, samples=samples[task])
            _keep(place / name, out / "lm-eval" / name)


def every_eval_ever_logs(out: Path) -> None:
    """What the converter of Every Eval Ever makes of the logs of lm-evaluation-harness."""
    from every_eval_ever.converters.lm_eval.instance_level_adapter import LMEvalInstanceLevelAdapter

    kept = out / "every-eval-ever"
    kept.mkdir(exist_ok=True)
    for folder in sorted((out / "lm-eval").iterdir()):
        rows = [
            row.model_dump(mode="json")
            for file in sorted(folder.rglob("samples_*.jsonl"))
            for row in LMEvalInstanceLevelAdapter().transform_samples(file, "e", folder.name, file.name.split("_")[1])
        ]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (kept / f"{folder.name}_samples.jsonl").write_text(lines, encoding="utf-8")


def _keep(written: Path, kept: Path) -> None:
    """Copy what was written; of the results, only what names the model."""
    kept.mkdir(parents=True, exist_ok=True)
    for file in written.rglob("*.json*"):
        target = kept / file.parent.name / file.name
        target.parent.mkdir(exist_ok=True)
        if file.name.startswith("results_"):
            told = json.loads(file.read_text(encoding="utf-8"))
            names = {key: told[key] for key in ("model_name", "model_source") if key in told}
            target.write_text(json.dumps(names | {"config": {"model": told["config"]["model"]}}), encoding="utf-8")
        else:
            shutil.copy(file, target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    inspect_logs(out)
    lm_eval_logs(out)
    if find_spec("every_eval_ever") is not None:
        every_eval_ever_logs(out)


if __name__ == "__main__":
    main()
