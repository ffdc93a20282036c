"""Specs: built in or TOML, and what is refused."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.errors import AdjudgeError
from adjudge.experiments.comparison import MethodComparison
from adjudge.experiments.jobs import RunSettings
from adjudge.experiments.outputs import Grid
from adjudge.experiments.run import run
from adjudge.experiments.spec import experiment
from adjudge.experiments.tables import RANDOM_START
from tests.support.commands import as_json, refused
from tests.support.small_tasks import small_task, write_task

SPEC = """
tasks = ["small"]
budgets = [20, 10]
repetitions = 3
seed = 4
indicators = ["spearman"]
compare = "wide"

[[methods]]
method = "random"

[[methods]]
name = "wide"
method = "sds"
options = { candidates = 0.5 }
"""


def spec(folder: Path, text: str = SPEC) -> str:
    path = folder / "spec.toml"
    path.write_text(text)
    return str(path)


def test_a_file_says_what_to_run(tmp_path: Path) -> None:
    made, named, settings = experiment(spec(tmp_path))
    assert isinstance(made, MethodComparison)
    assert (made.budgets, made.ours, named, settings) == ((10, 20), "wide", ("small",), RunSettings(3, 4))
    jobs = made.jobs([small_task(tmp_path)], settings)
    assert [(job.name, job.method, dict(job.options)) for job in jobs] == [
        ("random", "random", {}),
        ("wide", "sds", {"candidates": 0.5}),
    ]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("budgets =", "budget =", "spec.toml has the unknown key 'budget'; it may have tasks, budgets,"),
        ("budgets = [20, 10]", "budgets = [0.5]", "the budgets of spec.toml are .0.5.; give whole numbers above 0"),
        ("repetitions = 3", "repetitions = 0", "asks for 0 repetitions from the seed 4; give at least 1"),
        ("seed = 4", "seed = '4'", "seed of spec.toml is '4'; give a whole number"),
        ("tasks = [", "tasks = {}  # [", "tasks of spec.toml is {}; give a list"),
        ('method = "sds"', 'method = "sdss"', "no method 'sdss'; did you mean 'sds'"),
        ('method = "sds"', "", "a \\[\\[methods\\]\\] table of spec.toml has no method; it takes method, name"),
        ("candidates =", "candidate =", "'sds' has no option 'candidate'; it takes group, candidates, skip"),
        ("candidates = 0.5", "candidates = 5", "SDS takes a group share"),
        ('name = "wide"', 'name = "random"', "compare names 'wide', which is not among the methods random, random"),
        ('compare = "wide"', 'compare = "random"\n', None),
        ("spearman", "pearson", "there is no indicator 'pearson'; use spearman,"),
        ("[[methods]]", "[[method]]", "spec.toml has the unknown key 'method'"),
        ("budgets =", "budgets", "spec.toml is not TOML"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, before: str, after: str, message: str | None) -> None:
    text = SPEC.replace(before, after)
    assert text != SPEC
    if message is None:
        experiment(spec(tmp_path, text))
        return
    with pytest.raises(AdjudgeError, match=message):
        experiment(spec(tmp_path, text))


def test_the_example_of_the_docs_runs(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "bench.md").read_text(encoding="utf-8")
    block = re.search(r"```toml\n(.*?)```", page, re.S)
    assert block is not None
    made, named, settings = experiment(spec(tmp_path, block[1]))
    assert isinstance(made, MethodComparison)
    assert (named, settings) == (("pools/mine.npz", "pacs"), RunSettings(20, 0))
    task = small_task(tmp_path)
    results = run(made.jobs([task], RunSettings(2)), {"small": task.path}, tmp_path / "out", 1)
    assert not results.left_out
    outputs = made.outputs([task], results)
    assert [output.name for output in outputs if isinstance(output, Grid)] == [
        "table-spearman",
        "table-jaccard_3",
        "table-regret",
        "times",
    ]
    assert {output.name for output in outputs if RANDOM_START in output.note} == {
        f"{kind}-{each}" for kind in ("table", "figure") for each in made.indicators
    }
    assert all(
        each.text != "-" for output in outputs if isinstance(output, Grid) for row in output.rows for each in row
    )


def test_two_methods_of_one_name_and_a_file_without_methods_are_refused(tmp_path: Path) -> None:
    twice = SPEC.replace('name = "wide"', 'name = "random"').replace('compare = "wide"', 'compare = "random"')
    with pytest.raises(AdjudgeError, match="two methods are named 'random'"):
        experiment(spec(tmp_path, twice))
    with pytest.raises(AdjudgeError, match="names no method; add at least one"):
        experiment(spec(tmp_path, "seed = 1"))
    with pytest.raises(AdjudgeError, match="neither a file nor a built-in experiment; those are sds-2021, ces-2019"):
        experiment("sds-2020")


def test_with_a_task_scikit_learn_is_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for loaded in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    task = write_task(tmp_path / "small.npz")
    as_json("bench", spec(tmp_path), "--task", task, "--out", tmp_path / "out")
    monkeypatch.setenv("ADJUDGE_TASKS", str(tmp_path / "nothing"))
    without = spec(tmp_path, SPEC.replace('tasks = ["small"]', ""))
    assert "scikit-learn, which is not installed" in refused("bench", without, "--out", tmp_path / "out")


def test_no_experiment_loads_scikit_learn_before_it_is_needed() -> None:
    code = "import sys, adjudge.cli.main, adjudge.experiments.run; assert 'sklearn' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
