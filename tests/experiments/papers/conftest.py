"""Small tasks of the paper, and what comes of them."""

import pytest

from adjudge.experiments.jobs import RunSettings
from adjudge.experiments.papers import ces_2019
from adjudge.experiments.results import Results
from adjudge.experiments.run import run
from adjudge.experiments.tasks import Task, load
from tests.support.small_tasks import FEATURES, write_regression, write_task


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[Task]:
    folder = tmp_path_factory.mktemp("tasks")
    write_task(folder / "plain.npz", features=FEATURES)
    write_task(folder / "plain@first.npz", features=(3,))
    write_task(folder / "bare.npz", features=())
    write_task(folder / "unsure.npz", features=(0,), probabilities=False, samples=120)
    write_regression(folder / "numbers.npz")
    return [load(path) for path in sorted(folder.glob("*.npz"))]


@pytest.fixture(scope="module")
def results(tasks: list[Task], tmp_path_factory: pytest.TempPathFactory) -> Results:
    paths = {task.name: task.path for task in tasks}
    return run(ces_2019.jobs(tasks, RunSettings(repetitions=6)), paths, tmp_path_factory.mktemp("out"), workers=1)
