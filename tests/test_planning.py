"""How many labels it takes: against closed forms, and against the comparisons that follow."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.core.labels import Labels, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, MethodError
from commands import WIDE, as_json
from commands import adjudge as adjudge_command
from conftest import Task, uniform_log


def pair(samples: int, a_wrong: int, b_wrong: int) -> Predictions:
    """Two models whose mistakes do not meet; class 0 is true everywhere."""
    values = np.zeros((2, samples), dtype=np.int64)
    values[0, :a_wrong], values[1, a_wrong : a_wrong + b_wrong] = 1, 1
    return Predictions(values, ("a", "b"), range(samples), ("right", "wrong"))


def uniform(samples: int, count: int, rng: np.random.Generator) -> Labels:
    return uniform_log(np.zeros(samples), rng.permutation(samples)[:count])


def test_an_endless_pool_takes_the_textbook_number() -> None:
    made = adjudge.plan(pair(200_000, 10_000, 10_000), 0.02, power=0.8)
    z = 1.959964 + 0.841621
    assert made.pairs[0].differing == pytest.approx(0.1)
    assert made.pairs[0].everywhere.likely == pytest.approx(z**2 * (0.1 - 0.02**2) / 0.02**2, rel=0.02)
    assert made.pairs[0].in_dispute.likely == pytest.approx(0.1 * made.pairs[0].everywhere.likely, rel=0.05)
    assert made.pairs[0].everywhere.best == pytest.approx(z**2 * (0.02 - 0.02**2) / 0.02**2, rel=0.02)


def test_no_plan_asks_for_more_than_there_is() -> None:
    made = adjudge.plan(pair(300, 40, 60), 0.001)
    assert made.pairs[0].everywhere.worst <= 300
    assert made.pairs[0].in_dispute.worst <= made.disputed == 100


def test_models_that_are_too_alike_need_no_label() -> None:
    assert adjudge.plan(pair(1000, 2, 2), 0.01).pairs[0].everywhere == (0, 0, 0)


@pytest.mark.parametrize(("samples", "a_wrong", "b_wrong", "difference"), [(2000, 60, 160, 0.05), (500, 20, 50, 0.06)])
def test_the_planned_labels_have_the_planned_power(samples: int, a_wrong: int, b_wrong: int, difference: float) -> None:
    pool, rng = pair(samples, a_wrong, b_wrong), np.random.default_rng(5)
    count = adjudge.plan(pool, difference).pairs[0].everywhere.likely
    shown = np.mean([adjudge.compare(pool, "a", "b", uniform(samples, count, rng)).holds for _ in range(80)])
    assert 0.66 < shown < 0.92


def test_labels_replace_the_bound() -> None:
    samples = 1000
    values = np.zeros((2, samples), dtype=np.int64)
    values[0, :200], values[1, :200] = 1, 2  # they differ on 200 samples, on half of which both are wrong
    values[1, 100:200] = 0
    pool = Predictions(values, ("a", "b"), range(samples), ("x", "y", "z"))
    rng = np.random.default_rng(0)
    log = uniform(samples, 300, rng)
    blind, seen = adjudge.plan(pool, 0.05).pairs[0], adjudge.plan(pool, 0.05, labels=log).pairs[0]
    assert np.isnan(blind.flips)
    assert seen.flips == pytest.approx(0.1, abs=0.03)
    assert seen.everywhere.best < seen.everywhere.likely < seen.everywhere.worst <= blind.everywhere.worst
    assert seen.everywhere.likely < 0.75 * blind.everywhere.likely


def test_labels_in_dispute_tell_the_flips() -> None:
    pool = pair(400, 60, 40)
    three = replace(pool, values=np.vstack([pool.values, 1 - pool.values[:1]]), models=("a", "b", "c"))
    sample = np.random.default_rng(0).permutation(400)[:80]
    log = Labels.known(400, sample, np.zeros(80), RunHeader(models=three.models))
    log = replace(log, weight=np.ones(80), seen=np.arange(80), frame=np.ones(80, dtype=np.int64))
    seen = adjudge.plan(three, 0.05, models=("a", "b"), labels=log)
    assert seen.labels == 80
    assert seen.pairs[0].flips == pytest.approx(0.25)  # two classes: who differs flips


def test_more_pairs_at_once_take_more_labels(small_pool: tuple[Predictions, Any]) -> None:
    pool, _ = small_pool
    big = replace(pool, values=np.tile(pool.values, 100), samples=range(6000), probabilities=None)
    one, all_of_them = adjudge.plan(big, 0.05), adjudge.plan(big, 0.05, simultaneous=True)
    assert (one.comparisons, all_of_them.comparisons) == (1, 15)
    assert len(one.pairs) == 6
    assert all_of_them.typical.everywhere.likely > one.typical.everywhere.likely
    two = adjudge.plan(big, 0.05, models=("model 5", "model 0"))
    assert [(each.a, each.b) for each in two.pairs] == [("model 5", "model 0")]
    assert two.disputed < one.disputed


# labels for half a width of 0.01, from the true flips of one pair among the best: the plan cannot know which pair
@pytest.mark.parametrize(
    ("name", "everywhere", "in_dispute"),
    [("emotion_detection", 1135, 186), ("mnist_ces", 968, 620), ("pacs", 2056, 1082), ("glue_sst2", 469, 469)],
)
def test_real_pools_take_what_their_flips_say(task: Task, name: str, everywhere: int, in_dispute: int) -> None:
    made = adjudge.plan(adjudge.read(task(name)), 0.01, power=0.5)
    closest = min(made.pairs, key=lambda each: abs(each.everywhere.likely - everywhere))
    assert closest.everywhere.likely == pytest.approx(everywhere, rel=0.1)
    assert closest.in_dispute.likely == pytest.approx(in_dispute, rel=0.1)


def test_what_cannot_be_planned_is_refused() -> None:
    pool = pair(100, 5, 5)
    for wrong, sentence in (
        ({"difference": 5.0}, "one point of accuracy"),
        ({"power": 0.1}, "power 0.1 is not between"),
        ({"models": ("a", "a")}, "name at least two"),
        ({"models": ("a", "c")}, "no model 'c'"),
    ):
        options: dict[str, Any] = wrong
        with pytest.raises(InputError, match=sentence):
            adjudge.plan(pool, **options)
    with pytest.raises(InputError, match="one model only"):
        adjudge.plan(replace(pool, values=pool.values[:1], models=("a",)))
    with pytest.raises(MethodError, match="these predictions are numbers"):
        adjudge.plan(adjudge.from_frame({"id": range(3), "a": [0.5, 1, 2], "b": [1.5, 1, 2]}))


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text(WIDE)
    made = as_json("plan", path, "--difference", 0.3, "--models", "net", "tree")
    assert made["pairs"][0]["everywhere"] == {"best": 5, "likely": 5, "worst": 5}
    said = adjudge_command("plan", path, "--difference", 0.3)
    assert "net, tree" in said.stdout
    assert "needs more" in said.stdout
    assert "adjudge select --method random" in " ".join(said.stdout.split())
    labels = tmp_path / "labels.csv"
    labels.write_text("sample_id,label\na,cat\nc,cat\ne,dog\n")
    words = ("--labels", labels, "--drawn", "uniform")
    told = " ".join(adjudge_command("plan", path, *words).stdout.split())
    assert "taken from 3 labels" in told
    assert "For a typical pair no label is used: it is assumed" in told
    assert "typical" not in adjudge_command("plan", path, *words, "--models", "net", "tree").stdout
