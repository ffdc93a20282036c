"""Each example and each notebook runs by itself, as a newcomer would start it, and prints what it promises."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.simulation.contract import example_pool

EXAMPLES = Path(__file__).parents[1] / "examples"
SAID = {
    "rank_select_label.py": "adjudge takes svm.",
    "release_gate.py": "That it is worse by less than 0.02 is shown: release it.",
    "own_method.py": "Disputed keeps the contract of a selector.",
}
NOTEBOOKS = {
    "choose_among_fifty.ipynb": "adjudge takes svm with 40 labels",
    "sign_off_b_against_a.ipynb": "B is less than 0.01 worse than A: shown",
    "language_models.ipynb": "large leads: likely",
}
LARGEST = 250_000  # bytes of a notebook with its pictures
EXECUTE = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300).execute()
nbformat.write(notebook, "run.ipynb")
"""


def test_all_examples_are_tried() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAID)
    assert {path.name for path in EXAMPLES.glob("*.ipynb")} == set(NOTEBOOKS)


@pytest.mark.parametrize("name", SAID)
def test_the_example_runs(name: str, tmp_path: Path) -> None:
    call = [sys.executable, "-W", "error", str(EXAMPLES / name)]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert SAID[name] in done.stdout
    assert not list(tmp_path.iterdir())


def outputs(notebook: Any) -> list[Any]:
    return [each for cell in notebook["cells"] for each in cell.get("outputs", ())]


def printed(notebook: Any) -> str:
    return "".join("".join(each["text"]) for each in outputs(notebook) if each.get("name") == "stdout")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_stored_notebook_is_whole(name: str) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert NOTEBOOKS[name] in printed(notebook)
    assert "image/png" in text or "data:image/png" in text
    assert not [each for each in outputs(notebook) if each.get("name") == "stderr"]
    assert not re.search(r"/(home|root|tmp|usr|work|Users)/", text)
    assert len(text) < LARGEST
    counts = [cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_notebook_runs(name: str, tmp_path: Path) -> None:
    for package in ("nbclient", "ipykernel"):
        pytest.importorskip(package)
    call = [sys.executable, "-c", EXECUTE, str(EXAMPLES / name)]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert NOTEBOOKS[name] in printed(json.loads((tmp_path / "run.ipynb").read_text(encoding="utf-8")))


@pytest.mark.slow
def test_the_workflow_comments_what_to_deploy_and_what_to_label(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML, which the documentation brings")
    told = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text(encoding="utf-8"))
    steps = told["jobs"]["gate"]["steps"]
    assert all(("run" in step) != ("uses" in step) for step in steps)
    assert [step["run"] for step in steps if step.get("run", "").startswith("gh ")] == [
        'gh pr comment "$NUMBER" --edit-last --create-if-none --body-file comment.md'
    ]
    [script] = [step["run"] for step in steps if "comment.md" in step.get("run", "") and "gh " not in step["run"]]
    pool, truth = example_pool(models=4, samples=80)
    adjudge.write_predictions(pool, tmp_path / "predictions.parquet")
    adjudge.write_labels(adjudge.select(pool, 15).answer_all(truth.astype(float)), pool, tmp_path / "labels.csv")
    program = tmp_path / "bin" / "adjudge"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m adjudge "$@"\n')
    program.chmod(0o755)
    found = os.environ | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=tmp_path, env=found, check=True)
    comment = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert comment.count("```") == 4
    ranking = adjudge.rank(pool, adjudge.read_labels(tmp_path / "labels.csv", pool)[1])
    assert ranking.recommendation is not None
    assert ranking.recommendation.words[0][1] in comment
    samples = comment.rpartition("```\n")[0].rpartition("```\n")[2].split()
    assert len(set(samples)) == 10
    assert set(samples) <= {str(sample) for sample in range(80)}
