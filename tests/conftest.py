"""Shared helpers: the real tasks, where they are, and small pools."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import settings

import postgres
from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Selector
from adjudge.loop import hand_out

if TYPE_CHECKING:
    from adjudge.session.session import Session

settings.register_profile("adjudge", deadline=None, derandomize=True)  # kernels compile inside the first example
settings.load_profile("adjudge")

TASKS = Path(os.environ.get("ADJUDGE_TASKS", Path(__file__).parents[2] / "shared" / "tasks"))
Task = Callable[[str], Path]
Begin = Callable[..., "Session"]


@pytest.fixture
def task() -> Task:
    """The path of a real task by name; the test is skipped where it is not there."""

    def find(name: str) -> Path:
        path = TASKS / f"{name}.npz"
        if not path.exists():
            pytest.skip(f"the task {name} is not in {TASKS.name}; set ADJUDGE_TASKS to its folder")
        return path

    return find


@pytest.fixture
def small_pool() -> tuple[Predictions, FloatArray]:
    """Six models of accuracies from 0.55 to 0.95 on 60 samples of 4 classes, and the truth."""
    from adjudge.checks import example_pool

    pool, truth = example_pool(models=6, samples=60, classes=4, seed=2)
    return pool, truth.astype(np.float64)


def pool_of(rows: list[list[int]] | Array, classes: int = 3) -> Predictions:
    """A pool of class codes, with made-up names."""
    values = np.asarray(rows)
    names = tuple(f"m{number}" for number in range(len(values)))
    return Predictions(values, names, range(values.shape[1]), tuple(f"c{number}" for number in range(classes)))


def shuffled(pool: Predictions, labels: Labels) -> tuple[Predictions, Labels, IntArray]:
    """Models, samples and classes in another order, the same labels there, and which model each one was."""
    assert pool.classes is not None
    rng, (models, samples), classes = np.random.default_rng(0), pool.values.shape, len(pool.classes)
    seat, place, code = rng.permutation(models), rng.permutation(samples), rng.permutation(classes)
    other = pool_of(code[pool.values][seat][:, place], classes)
    return other, Labels.known(samples, np.argsort(place)[labels.sample], code[labels.value.astype(np.int64)]), seat


def handed_out(selector: Selector, pool: Predictions, rows: int | None = None, seed: int = 0) -> Labels:
    """The plan of a selector that is left to itself, up to a number of rows."""
    none = Labels.empty(len(pool.samples))
    return hand_out(selector.start(pool, none, rows, seed), none, rows or none.pool)


def whole_plan(
    selector: Selector, budget: int | None, given: Labels | None = None, *, pool: Predictions, seed: int = 0
) -> Labels:
    """The plan of a selector for a budget, until it ends by itself."""
    log = Labels.empty(len(pool.samples)) if given is None else given
    return hand_out(selector.start(pool, log, budget, seed), log, log.pool)


def uniform_log(truth: Array, sample: IntArray) -> Labels:
    """Samples that were drawn with equal chances, in this order, and answered by the truth."""
    log = Labels.known(len(truth), sample, truth[sample])
    return replace(log, weight=np.ones(len(log)), seen=np.arange(len(log)))


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    if postgres.program("initdb") is None or postgres.program("pg_ctl") is None:
        pytest.skip("there is no PostgreSQL server here; install the package postgresql")
    with postgres.running() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str | None:
    """Where labels go: a file in the project's folder, or a server."""
    return None if request.param == "sqlite" else str(request.getfixturevalue("server"))


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Make a project and open it."""
    from adjudge.checks import example_pool
    from adjudge.session.project import Settings, create
    from adjudge.session.session import Session

    opened: list[Session] = []

    def make(database: str | None = None, pool: Predictions | None = None, **told: Any) -> Session:
        predictions = pool or example_pool(models=5, samples=400, classes=4, seed=1)[0]
        folder = tmp_path / f"project-{len(opened)}.adjudge"
        opened.append(Session.open(create(folder, predictions, Settings(**told)), database))
        return opened[-1]

    yield make
    for session in opened:
        session.close()
