"""Plans for a metric."""

import numpy as np
import pytest

import adjudge
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.reports.plans import plan_command, plan_lead
from tests.support.plans import pair
from tests.support.pools import uniform_log


def test_a_plan_for_a_metric_takes_what_its_difference_varies() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=400)
    values = truth + rng.normal(size=(3, 400)) * np.array([[0.5], [0.6], [2.0]])
    pool = Predictions(values, tuple("abc"), range(400), None)
    log = uniform_log(truth, rng.permutation(400)[:60])
    made = adjudge.plan(pool, 0.1, labels=log, metric="mae", models=["a", "b"])
    apart = (np.abs(values[0] - truth) - np.abs(values[1] - truth))[log.sample]
    assert made.pairs[0].deviation == pytest.approx(apart.std(ddof=1))
    draws = ((1.959964 + 0.841621) * apart.std(ddof=1) / 0.1) ** 2 + 1.959964**2 / 2
    assert made.pairs[0].everywhere.likely == np.ceil(draws / (1 + draws / 400))
    assert (made.disputed, made.typical.in_dispute, made.typical.where_they_differ) == (None, None, None)  # not known
    assert "samples to detect a difference of 0.1 in mae between two good models" in plan_lead(made)
    assert plan_command(made, "p.csv", "l.csv") == (
        f"adjudge select p.csv --metric mae --labels l.csv --budget {made.typical.everywhere.likely - 60} --out l.csv"
    )
    rooted = adjudge.plan(pool, 0.1, labels=log, metric="rmse")  # not a mean of losses: by influence values
    assert {rooted.pairs[0].a, rooted.pairs[0].b} == {"a", "b"}
    errors = (values[:2] - truth)[:, log.sample]
    roots = np.sqrt((errors**2).mean(axis=1))
    influence = errors**2 / (2 * roots[:, None])
    assert rooted.pairs[0].deviation == pytest.approx((influence[0] - influence[1]).std(ddof=1), rel=1e-6)


def test_a_plan_for_accuracy_by_another_name_is_the_same() -> None:
    pool = pair(500, 30, 20)
    assert adjudge.plan(pool, 0.05, metric="micro-f1") == adjudge.plan(pool, 0.05)
    with pytest.raises(NotEnoughLabels, match="takes 20 labels that were drawn at random"):
        adjudge.plan(pool, 0.05, metric="f1", positive="right")
    with pytest.raises(InputError, match="is given without a metric"):
        adjudge.plan(pool, 0.05, positive="right")
    with pytest.raises(InputError, match="give it in the units of mcc"):
        adjudge.plan(pool, -1, metric="mcc")
