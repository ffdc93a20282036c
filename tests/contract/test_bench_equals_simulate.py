"""An experiment judges a method as a simulation does: by the ranks that it gives."""

from pathlib import Path

import numpy as np
import pytest

from adjudge import registry
from adjudge.errors import MethodError
from adjudge.experiments.indicators import measured
from adjudge.experiments.jobs import Job, run_job
from adjudge.experiments.tasks import load
from adjudge.simulation.simulate import simulate
from tests.support.small_tasks import write_task

BUDGETS, SEEDS = (8, 30), 2


@pytest.mark.parametrize("name", list(registry.methods()))
def test_bench_equals_simulate(name: str, tmp_path: Path) -> None:
    task = load(write_task(tmp_path / "small.npz", models=6, samples=90, features=(0,)))
    features = "features" in registry.describe(name).needs
    job = Job("small", "", name, name, BUDGETS, SEEDS, model="model 0" if features else None)
    options = {"features": task.features("model 0")} if features else None
    try:
        outcome = run_job(job, task)
    except MethodError:
        with pytest.raises(MethodError):
            simulate(task.predictions, task.truth, name, BUDGETS[-1], SEEDS, options=options, workers=1)
        return
    played = simulate(task.predictions, task.truth, name, BUDGETS[-1], SEEDS, options=options, workers=1)
    if np.isnan(outcome.ranks).all():  # it needs labels and buys none: missing in a table, a tie in a simulation
        assert not played.curves["spearman"].any()
        return
    for indicator in ("spearman", "kendall", "regret", "jaccard_3"):
        np.testing.assert_allclose(measured(outcome, indicator), played.curves[indicator][:, list(BUDGETS)], atol=1e-12)
