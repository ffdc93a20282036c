"""What a plan promises, against the intervals that follow."""

from dataclasses import replace

import numpy as np
import pytest

import adjudge
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.outlook import outlook
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.reports.outlooks import outlook_facts, outlook_sentence
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import Task


@pytest.mark.parametrize("name", ["emotion_detection", "pacs", "glue_rte", "domain_drift", "mnist_ces"])
@pytest.mark.parametrize(("method", "labels"), [("random", 40), ("random", 150), ("estimate", 60), ("estimate", 200)])
def test_intervals_are_about_as_wide_as_was_said(task: Task, name: str, method: str, labels: int) -> None:
    pool, truth = adjudge.read_truth(task(name), adjudge.read(task(name)))
    selector = Random() if method == "random" else Pooled(goal="estimate")
    header = {"method": "random"} if method == "random" else {"method": "pooled", "parameters": {"goal": "estimate"}}
    log = bought(selector, pool, truth, labels, seed=1)
    log = log.with_header(replace(log.header, models=pool.models, **header))
    found = adjudge.rank(pool, log, "drawn" if method == "random" else "pooled").estimate
    told = outlook(pool, log)
    assert told is not None
    assert 0.55 < told.half_width / float(np.median(found.high - found.low) / 2) < 1.8


def test_the_goal_decides_what_is_promised() -> None:
    pool, _ = example_pool(models=6, samples=1000)
    best, accuracies = (adjudge.select(pool, 40, options={"goal": goal}) for goal in ("best", "estimate"))
    told, other = outlook(pool, best), outlook(pool, accuracies)
    assert told is not None
    assert other is not None
    assert (told.purpose, other.purpose) == ("best", "estimate")
    assert told.half_width > 1.3 * other.half_width  # chosen labels do little for accuracies
    assert told.estimate_labels is not None
    assert told.wanted <= told.half_width / 2
    said = outlook_sentence(told)
    assert said.startswith("These 40 labels are meant to find the best model. Accuracies will be known to about +-")
    assert f"points: --goal estimate with {told.estimate_labels} labels)." in said
    assert outlook_sentence(other).startswith("These 40 labels are for accuracies, which will be known to about +-")
    planned = outlook(pool, adjudge.select(pool, told.estimate_labels, options={"goal": "estimate"}))
    assert planned is not None
    assert planned.half_width == pytest.approx(told.wanted, rel=0.35)
    facts = outlook_facts(told)
    assert facts is not None
    assert facts["sentence"] == said


def test_two_models_are_told_what_they_will_be_told() -> None:
    pool, truth = example_pool(models=4, samples=2000)
    pair = "model 3", "model 2"
    told = outlook(pool, adjudge.select(pool, 60, models=pair))
    assert told is not None
    assert told.pair == pair
    assert np.isnan(told.half_width)
    said = outlook_sentence(told)
    assert said.startswith("These 60 labels are for comparing model 3 and model 2: a difference of about ")
    assert said.endswith("They say nothing about accuracies.")
    before = bought(Pooled(goal="estimate"), pool, truth.astype(np.float64), 40, seed=0)
    mixed = outlook(pool, adjudge.select(pool, 60, models=pair, labels=before))
    assert mixed is not None
    assert (mixed.pair, mixed.detectable) == (pair, told.detectable)
    needed = adjudge.plan(pool, told.detectable, models=pair).pairs[0].where_they_differ
    assert needed is not None
    assert needed.likely == pytest.approx(60, abs=6)
    log = adjudge.select(pool, 60, models=pair).answer_all(truth.astype(np.float64))
    more = outlook(pool, adjudge.select(pool, 30, models=pair, labels=log))
    assert more is not None
    assert (more.labels, more.in_all) == (30, 90)
    assert "These 30 labels, 90 with those before, are for" in outlook_sentence(more)
    assert more.detectable < told.detectable
    value = log.value.copy()
    value[:4] = np.nan  # skipped
    skipped = outlook(pool, adjudge.select(pool, 30, models=pair, labels=replace(log, value=value)))
    assert skipped is not None
    assert skipped.in_all == 86


def test_choices_and_numbers_and_everything() -> None:
    pool, _ = example_pool(models=6, samples=300)
    chosen = outlook(pool, adjudge.select(pool, 30, "sds"))
    assert chosen is not None
    assert chosen.purpose == "choices"
    assert outlook_sentence(chosen).startswith(
        "These 30 labels are chosen, not drawn, to order models. Accuracies will"
    )
    one = outlook(pool, adjudge.select(pool, 1, "random"))
    assert one is not None
    assert outlook_sentence(one).startswith("This label gives accuracies to about +-")
    every = outlook(pool, adjudge.select(pool, 300, "random"))
    assert every is not None
    assert every.half_width == 0
    numbers = adjudge.from_frame({"id": range(50), "a": np.arange(50) / 7, "b": np.arange(50) / 9})
    assert outlook(numbers, adjudge.select(numbers, 5)) is None
    assert outlook_facts(None) is None
    same = Predictions(np.zeros((2, 80), dtype=np.int64), ("a", "b"), range(80), ("x", "y"))
    alike = outlook(same, adjudge.select(same, 20))
    assert alike is not None
    assert 0 < alike.half_width < 0.2
    assert outlook(pool, Labels.empty(300)) is not None
