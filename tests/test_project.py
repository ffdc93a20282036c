"""The files around the code agree with it: workflows, hooks, the citation, the changelog, the list of targets.

And the code keeps to its own sizes: one file is a few screens, one function is one.
"""

import ast
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from adjudge import __version__

yaml = pytest.importorskip("yaml", reason="needs PyYAML, which the documentation brings")
ROOT = Path(__file__).parents[1]
WORKFLOWS = ["ci.yml", "release.yml"]
FORMS = ["bug.yml", "question.yml"]
FILE_LINES, FUNCTION_LINES = 300, 50  # signature and docstring count
OWN_TESTS = 100  # lines of a module from which on its tests are in a file of its name


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def parsed(name: str) -> Any:
    return yaml.safe_load(text(name))


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", text("Makefile"), re.M))


def steps(workflow: str) -> list[dict[str, Any]]:
    return [step for job in parsed(f".github/workflows/{workflow}")["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_workflows_call_targets_that_are_there(workflow: str) -> None:
    called = {name for step in steps(workflow) for name in re.findall(r"\bmake ([a-z-]+)", step.get("run", ""))}
    assert called
    assert called <= targets()


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_workflows_may_do_little_and_end(workflow: str) -> None:
    told = parsed(f".github/workflows/{workflow}")
    assert told["permissions"] in ({}, {"contents": "read"})
    assert all(job["timeout-minutes"] <= 60 for job in told["jobs"].values())
    assert "secrets." not in text(f".github/workflows/{workflow}")
    checkouts = [step for step in steps(workflow) if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_the_versions_of_python_are_those_that_are_tried() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    tried = parsed(".github/workflows/ci.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert [f"Programming Language :: Python :: {each}" in project["classifiers"] for each in tried] == [True] * len(
        tried
    )
    assert project["requires-python"] == f">={tried[0]}"


def test_all_that_must_hold_here_must_hold_there() -> None:
    here = set(re.findall(r"^make ([a-z-]+)$", text(".ci/run"), re.M))
    there = {name for step in steps("ci.yml") for name in re.findall(r"\bmake ([a-z-]+)", step.get("run", ""))}
    assert here <= there


def test_the_citation_is_that_of_this_version() -> None:
    citation = parsed("CITATION.cff")
    assert citation["version"] == __version__
    assert citation["repository-code"] == tomllib.loads(text("pyproject.toml"))["project"]["urls"]["Homepage"]
    assert [paper["year"] for paper in citation["references"]] == [2021, 2019, 2022]


@pytest.mark.parametrize("form", FORMS)
def test_issue_forms_ask_something(form: str) -> None:
    told = parsed(f".github/ISSUE_TEMPLATE/{form}")
    assert {"name", "description", "body"} <= set(told)
    assert len({field["id"] for field in told["body"]}) == len(told["body"])
    assert all(field["attributes"]["label"] for field in told["body"])


def test_hooks_use_the_tools_of_the_project() -> None:
    hooks = [hook for repo in parsed(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    assert all(hook["language"] == "system" for hook in hooks)
    group = tomllib.loads(text("pyproject.toml"))["dependency-groups"]["dev"]
    called = {hook["entry"].split()[0] for hook in hooks} - {"git"}
    assert called == {".venv/bin/ruff", ".venv/bin/lint-imports"}
    assert {"ruff", "import-linter"} <= set(group)


def test_the_changelog_keeps_its_form() -> None:
    changelog = text("CHANGELOG.md")
    assert re.findall(r"^## (.*)$", changelog, re.M)[0] == "[Unreleased]"
    assert set(re.findall(r"^### (.*)$", changelog, re.M)) <= {
        "Added",
        "Changed",
        "Deprecated",
        "Removed",
        "Fixed",
        "Security",
    }


def test_help_lists_every_target() -> None:
    make = shutil.which("make")
    assert make is not None, "the README's commands need make"
    told = subprocess.run([make, "--no-print-directory"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert set(re.findall(r"^make ([a-z-]+) ", told, re.M)) == targets()


def test_files_stay_short() -> None:
    lines = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "src").rglob("*.py")}
    assert lines
    assert {name: count for name, count in lines.items() if count > FILE_LINES} == {}


def test_functions_stay_short() -> None:
    lines = {
        f"{path.relative_to(ROOT)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert lines
    assert {name: count for name, count in lines.items() if count > FUNCTION_LINES} == {}


def test_the_tests_of_a_module_are_found_by_its_name() -> None:
    source = ROOT / "src" / "adjudge"
    modules = [path.relative_to(source) for path in source.rglob("*.py") if path.name != "__init__.py"]
    long = [each for each in modules if len((source / each).read_text(encoding="utf-8").splitlines()) >= OWN_TESTS]
    assert long
    assert [str(each) for each in long if not (ROOT / "tests" / each.with_name(f"test_{each.name}")).exists()] == []
