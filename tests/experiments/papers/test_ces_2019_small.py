"""Samples of small pools."""

import numpy as np
import pytest

from adjudge.experiments.papers.ces_2019_small import POOLS, SMALL, small_pools
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task
from adjudge.methods.papers.ces import CES
from adjudge.simulation.loop import bought


def test_small_pools_are_jobs(tasks: list[Task], results: Results) -> None:
    task = next(each for each in tasks if each.name == "plain")
    outcomes = results.of("plain", "CES, 30 of 100")
    assert [each.job.part for each in outcomes] == [(100, number) for number in range(30)] * 2
    assert {each.job.model for each in outcomes} == {"model 0", "model 3"}
    assert (POOLS, SMALL) == (30, ((100, 30), (300, 50)))  # Section 4.3.4
    assert {each.job.repetitions for each in outcomes} == {6}
    found = small_pools(task, results, 100, 30)["model 3"]
    assert found.chosen is not None
    assert found.chosen.shape == found.random.shape == (30, 6)
    assert np.mean(found.random**2) == pytest.approx(np.mean(found.variance), rel=0.5)
    pool = task.part(100, 7, 0)
    right = (pool.predictions.values[3] == pool.truth).astype(float)
    assert found.value[7] == pytest.approx(right.mean())
    assert found.variance[7] == pytest.approx(right.var(ddof=1) / 30 * 0.7)
    log = bought(CES(pool.features("model 3")), pool.predictions, pool.truth, 30, 2)
    assert found.chosen[7, 2] == pytest.approx(abs(right[log.sample].mean() - right.mean()))
    efficiencies = found.efficiencies()
    assert efficiencies is not None
    assert efficiencies[7] == pytest.approx(np.mean(found.chosen[7] ** 2) / found.variance[7])
    assert small_pools(task, results, 300, 50) == {}
