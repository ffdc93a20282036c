"""Shared helpers: the real tasks, where they are, and small pools."""

import math
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# tests run on all cores already, where more threads of BLAS only wait for each other; numpy reads it at its import
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from tests.support import postgres
from tests.support.pools import TASKS, Begin, Task

settings.register_profile("adjudge", deadline=None, derandomize=True)  # kernels compile inside the first example
settings.load_profile("adjudge")


@pytest.fixture(autouse=True, scope="session")
def one_process() -> Iterator[None]:
    """Work stays in the process of its test, however long the first part of it took; a test of other processes asks.

    All cores run tests already, and how long something takes is not the same on a busy machine.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("adjudge.simulation.engine.WORTH_IT", math.inf)
        yield


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
    from adjudge.simulation.contract import example_pool

    pool, truth = example_pool(models=6, samples=60, classes=4, seed=2)
    return pool, truth.astype(np.float64)


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


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for the tests of a file: while it runs, no test of another file could start an event loop."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no Chromium here; install the package chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=program,
            args=["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
            timeout=300_000,  # milliseconds, for busy machines
        )


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """The browser, without the pages of earlier tests: those left open would look for their servers for ever."""
    yield chromium
    for context in chromium.contexts:
        context.close()


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Make a project and open it."""
    from adjudge.labeling.session.project import ProjectSettings, create
    from adjudge.labeling.session.session import Session
    from adjudge.simulation.contract import example_pool

    opened: list[Session] = []

    def make(database: str | None = None, pool: Predictions | None = None, **told: Any) -> Session:
        predictions = pool or example_pool(models=5, samples=400, classes=4, seed=1)[0]
        folder = tmp_path / f"project-{len(opened)}.adjudge"
        opened.append(Session.open(create(folder, predictions, ProjectSettings(**told)), database))
        return opened[-1]

    yield make
    for session in opened:
        session.close()
