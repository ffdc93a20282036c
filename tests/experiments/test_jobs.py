"""Jobs: values are those of the plain loop, and keys differ wherever numbers may."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge import registry
from adjudge.core.arrays import TIE_DIGITS, FloatArray
from adjudge.core.index import ids_at
from adjudge.core.labels import COLUMNS, SKIP, Labels, Value
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.experiments.jobs import Job, run_job
from adjudge.experiments.tasks import Task
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.labeled import Labeled
from adjudge.simulation.loop import bought, steps
from adjudge.simulation.loop import budget as budget_stop
from adjudge.simulation.simulate import rankings_at
from tests.support.small_tasks import small_task

BUDGETS = (0, 1, 7, 30, 60)


def job_on(task: Task, method: str, **others: object) -> Job:
    made = Job(task.name, task.digest, method.upper(), method, BUDGETS, 4, seed=5)
    return replace(made, **others)  # type: ignore[arg-type]


def plainly(task: Task, job: Job, options: dict[str, object]) -> FloatArray:
    """The loop as one would write it: every ranking on its own."""
    ranker = registry.ranker(registry.ranker_for(job.method), ZeroOne())
    values = np.full((job.repetitions, len(job.budgets), len(task.predictions.models)), np.nan)
    for repetition in range(job.repetitions):
        none, rows = Labels.empty(len(task.truth)), max(job.budgets)
        picker = registry.selector(job.method, options).start(task.predictions, none, rows, 5 + repetition)
        *_, log = steps(picker, lambda sample: float(task.truth[sample]), budget_stop(rows), none)
        for place, rows in enumerate(job.budgets):
            with suppress(NotEnoughLabels):
                values[repetition, place] = ranker.rank(task.predictions, log.head(rows)).estimate.value
    return np.round(values, TIE_DIGITS)


@pytest.mark.parametrize("method", ["random", "sds", "rdg", "ddg", "ces"])
def test_values_are_those_of_the_plain_loop(tmp_path: Path, method: str) -> None:
    task = small_task(tmp_path)
    if method not in registry.methods():
        pytest.skip(f"{method} is not there yet")
    model = "model 3" if registry.takes(method, "features") else None
    job = job_on(task, method, model=model)
    outcome = run_job(job, task)
    assert np.array_equal(
        outcome.values, plainly(task, job, {"features": task.features(model)} if model else {}), equal_nan=True
    )
    assert np.isnan(outcome.values[:, 0]).all()
    assert outcome.truth.tolist() == task.values.tolist()


@pytest.mark.parametrize("method", ["random", "sds", "rdg", "css"])
def test_a_plan_taken_at_once_is_the_log_of_its_steps(tmp_path: Path, method: str) -> None:
    task = small_task(tmp_path)
    truth = np.where(np.arange(240) % 7 == 0, np.nan, task.truth)
    selector, none = registry.selector(method), Labels.empty(240)

    def oracle(sample: int) -> Value:
        return SKIP if np.isnan(truth[sample]) else float(truth[sample])

    *_, slow = steps(selector.start(task.predictions, none, 50, 3), oracle, budget_stop(50), none)
    quick = bought(selector, task.predictions, truth, 50, 3)
    for name in COLUMNS:
        ours, theirs = getattr(quick, name), getattr(slow, name)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    assert quick.skipped


def test_a_part_is_a_pool_of_its_own(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    rows = np.sort(np.random.default_rng([5, 60, 2]).choice(240, 60, replace=False))
    part = task.part(60, 2, seed=5)
    assert part.truth.tolist() == task.truth[rows].tolist()
    assert part.predictions.values.tolist() == task.predictions.values[:, rows].tolist()
    assert part.features("model 3").tolist() == task.features("model 3")[rows].tolist()
    assert ids_at(part.predictions.samples, np.arange(60)) == ids_at(task.predictions.samples, rows)
    job = job_on(task, "ces", model="model 3", models=("model 3",), budgets=(30,), part=(60, 2))
    outcome = run_job(job, task)
    assert outcome.truth == pytest.approx((task.predictions.values[3] == task.truth)[rows].mean())
    assert np.array_equal(outcome.values, run_job(replace(job, part=None), part).values)
    assert not np.array_equal(outcome.values, run_job(replace(job, part=(60, 3)), task).values)
    with pytest.raises(InputError, match="small has 240 samples with a label; a part of 241 needs as many"):
        task.part(241, 0, 0)


def test_all_budgets_at_once_where_predictions_and_labels_are_missing(
    small_pool: tuple[Predictions, FloatArray],
) -> None:
    pool, truth = small_pool
    values = np.array(pool.values)
    values[0, :20], values[2, ::3] = -1, -1
    holed = Predictions(values, pool.models, pool.samples, pool.classes)
    answers = np.where(np.arange(60) % 7 == 0, np.nan, truth)
    log = bought(registry.selector("sds"), holed, answers, 60, seed=1)
    assert log.skipped
    ranker, budgets = Labeled(ZeroOne()), range(61)
    at_once, _ = rankings_at(ranker, holed, log, budgets)
    for rows in budgets:
        try:
            alone = ranker.rank(holed, log.head(rows)).estimate.value
        except NotEnoughLabels:
            alone = np.full(6, np.nan)
        assert np.array_equal(at_once[rows], alone, equal_nan=True)


def test_a_plan_for_its_budget_is_made_anew_for_each(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    options = {"model": task.predictions.models[0]}
    both = run_job(job_on(task, "css", budgets=(30, 60), options=options), task)
    for place, budget in enumerate((30, 60)):
        alone = run_job(job_on(task, "css", budgets=(budget,), options=options), task)
        np.testing.assert_array_equal(both.values[:, place], alone.values[:, 0])


def test_a_log_that_ends_before_a_budget_stands_for_it(small_pool: tuple[Predictions, FloatArray]) -> None:
    pool, truth = small_pool
    log = Labels.known(60, [3, 4], truth[[3, 4]])
    values, _ = rankings_at(Labeled(ZeroOne()), pool, log, (2, 50))
    assert values[0].tolist() == values[1].tolist()


def test_a_method_that_buys_nothing_answers_once_for_all(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    outcome = run_job(job_on(task, "agreement"), task)
    assert np.unique(outcome.values, axis=0).shape == (1, 5, 12)
    assert np.unique(outcome.values, axis=1).shape == (4, 1, 12)


def test_models_may_be_left_out_before_or_after(tmp_path: Path) -> None:
    """Plain accuracies do not depend on the other models, so that random choice needs no second run."""
    task = small_task(tmp_path)
    few = ("model 2", "model 9")
    before = run_job(job_on(task, "random", models=few), task)
    after = run_job(job_on(task, "random"), task).among(few)
    assert np.array_equal(before.values, after.values, equal_nan=True)
    assert before.truth.tolist() == after.truth.tolist() == task.values[[2, 9]].tolist()
    sds = run_job(job_on(task, "sds", models=few), task)
    assert sds.models == few


def test_budgets_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    with pytest.raises(InputError, match="reach from 5 to 241 but small has 240 samples; give others"):
        run_job(job_on(task, "random", budgets=(5, 241)), task)


def test_keys_differ_wherever_numbers_may(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    job = job_on(task, "sds")
    others = [
        replace(job, seed=6),
        replace(job, options={"group": 0.3}),
        replace(job, budgets=(1, 2)),
        replace(job, models=("model 1",)),
        replace(job, data="other"),
        replace(job, part=(100, 0)),
        replace(job, part=(100, 1)),
    ]
    assert len({each.key for each in [job, *others]}) == 8
    assert job.key == replace(job).key
