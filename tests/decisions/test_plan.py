"""How many labels it takes: against closed forms, and against the comparisons that follow."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import adjudge
from adjudge.core.labels import Labels, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.inference.mcnemar import exact_mcnemar, paired_interval
from tests.support.commands import WIDE, as_json
from tests.support.commands import adjudge as adjudge_command
from tests.support.plans import pair, said, uniform
from tests.support.pools import Task


def test_an_endless_pool_takes_the_textbook_number() -> None:
    made = adjudge.plan(pair(200_000, 10_000, 10_000), 0.02, power=0.8)
    z = 1.959964 + 0.841621
    assert made.pairs[0].differing == pytest.approx(0.1)
    textbook = z**2 * (0.1 - 0.02**2) / 0.02**2 + 2 / 0.02  # with the correction for whole numbers
    assert made.pairs[0].everywhere.likely == pytest.approx(textbook, rel=0.02)
    assert said(made.pairs[0].in_dispute).likely == pytest.approx(0.1 * made.pairs[0].everywhere.likely, rel=0.05)
    # six flips one way are the fewest that the test takes for a difference, and 1 in 50 labels finds one
    assert made.pairs[0].everywhere.best == pytest.approx(stats.nbinom.ppf(0.8, 6, 0.02) + 6, rel=0.01)


def test_one_sample_on_which_they_differ_is_all_there_is_to_label() -> None:
    made = adjudge.plan(pair(100, 0, 1), 0.01).pairs[0]
    assert made.in_dispute == made.where_they_differ == (1, 1, 1)
    assert made.everywhere == (80, 80, 80)


def test_no_plan_asks_for_more_than_there_is() -> None:
    made = adjudge.plan(pair(300, 40, 60), 0.001)
    assert made.pairs[0].everywhere.worst <= 300
    assert said(made.pairs[0].in_dispute).worst <= said(made.disputed) == 100
    assert said(made.pairs[0].where_they_differ).worst <= 100


def test_models_that_are_too_alike_need_no_label() -> None:
    assert adjudge.plan(pair(1000, 2, 2), 0.01).pairs[0].everywhere == (0, 0, 0)


@pytest.mark.parametrize(
    ("samples", "differing", "difference"), [(200, 20, 0.05), (1000, 70, 0.02), (5000, 250, 0.01), (2000, 220, 0.05)]
)
@pytest.mark.parametrize("end", ["likely", "best"])
def test_the_planned_labels_have_the_planned_power(samples: int, differing: int, difference: float, end: str) -> None:
    """For all samples on which they differ flips, and for the fewest that make up the difference."""
    apart, rng, runs = round(samples * difference), np.random.default_rng(5), 2000
    flips = differing if end == "likely" else apart
    kinds = [(flips + apart) // 2, (flips - apart) // 2, differing - flips]
    made = adjudge.plan(pair(samples, 0, differing), difference).pairs[0]
    for needed, size in ((made.everywhere, samples), (made.in_dispute, differing)):
        count = getattr(needed, end)
        drawn = (
            rng.hypergeometric(differing, size - differing, count, size=runs) if size > differing else [count] * runs
        )
        shown = Counter((*rng.multivariate_hypergeometric(kinds, each)[:2].tolist(), int(each)) for each in drawn)
        power = sum(times for split, times in shown.items() if refuses(split, differing)) / runs
        assert power > 0.8 - 3 * 0.009
        assert power < (0.83 if size == samples else 0.9)  # few draws of few samples go in steps


def refuses(split: tuple[int, int, int], differing: int) -> bool:
    return exact_mcnemar(*split, differing) <= 0.05 and split[0] > split[1]


def test_the_interval_refuses_what_the_planned_test_refuses() -> None:
    for differing, drawn in ((12, 8), (20, 14), (70, 43), (250, 118)):
        for flips in range(1, min(drawn, 40), 3):
            wins = np.arange(flips // 2 + 1, flips + 1)
            edge = [int(each) for each in wins if refuses((int(each), flips - int(each), drawn), differing)][:1]
            for each in edge:
                assert paired_interval(each, flips - each, drawn, differing, 0.95)[0] > 0


def test_a_comparison_has_the_planned_power() -> None:
    pool, rng = pair(500, 20, 50), np.random.default_rng(5)
    count = adjudge.plan(pool, 0.06).pairs[0].everywhere.likely
    shown = np.mean([adjudge.compare(pool, "a", "b", uniform(500, count, rng)).holds for _ in range(80)])
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
    log = replace(log, weight=np.ones(80), seen=np.arange(80), stratum=np.ones(80, dtype=np.int64))
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
    assert said(two.disputed) < said(one.disputed)


# labels for half a width of 0.01, from the true flips of one pair among the best: the plan cannot know which pair, and
# the exact test asks for up to a quarter more
@pytest.mark.parametrize(
    ("name", "everywhere", "in_dispute"),
    [("emotion_detection", 1135, 186), ("mnist_ces", 968, 620), ("pacs", 2056, 1082), ("glue_sst2", 469, 469)],
)
def test_real_pools_take_what_their_flips_say(task: Task, name: str, everywhere: int, in_dispute: int) -> None:
    made = adjudge.plan(adjudge.read(task(name)), 0.01, power=0.5)
    closest = min(made.pairs, key=lambda each: abs(each.everywhere.likely - everywhere))
    assert 0.95 < closest.everywhere.likely / everywhere < 1.25
    assert 0.95 < said(closest.in_dispute).likely / in_dispute < 1.25


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
    with pytest.raises(InputError, match="the pool has only one"):
        adjudge.plan(replace(pool, values=pool.values[:1], models=("a",)))
    with pytest.raises(NotEnoughLabels, match="a plan for mse depends on how much it varies, which takes 20 labels"):
        adjudge.plan(adjudge.from_frame({"id": range(3), "a": [0.5, 1, 2], "b": [1.5, 1, 2]}))


def test_pairs_without_a_common_sample_are_left_out_unless_named() -> None:
    values = np.array([[0] * 10 + [-1] * 10, [-1] * 10 + [1] * 10, [0, 1] * 10])
    pool = Predictions(values, ("a", "b", "c"), range(20), ("x", "y"))
    assert {(each.a, each.b) for each in adjudge.plan(pool, 0.3).pairs} == {("a", "c"), ("b", "c")}
    with pytest.raises(InputError, match="'a' and 'b' have no prediction for the same sample; name two that have"):
        adjudge.plan(pool, 0.3, models=("a", "b"))
    with pytest.raises(InputError, match="no two of the 2 models that agree most with the vote predicted the same"):
        adjudge.plan(replace(pool, values=values[:2], models=("a", "b")), 0.3)


@pytest.mark.parametrize("name", ["emotion_detection", "pacs"])
def test_the_planned_labels_where_they_differ_have_the_power_on_real_pools(task: Task, name: str) -> None:
    """The best two models, whose difference is known, with as many labels as are planned for that difference."""
    pool, truth = adjudge.read_truth(task(name), adjudge.read(task(name)))
    right = (pool.values == truth).mean(axis=1)
    order = np.argsort(-right, kind="stable")
    first, second = pool.models[order[0]], pool.models[order[2]]
    made = adjudge.plan(pool, float(right[order[0]] - right[order[2]]), models=(first, second)).pairs[0]
    assert said(made.where_they_differ).likely < 0.5 * made.everywhere.likely
    logs = [
        adjudge.select(pool, said(made.where_they_differ).likely, models=(first, second), seed=seed)
        for seed in range(60)
    ]
    shown = [adjudge.compare(pool, first, second, each.answer_all(truth)).holds for each in logs]
    assert 0.65 < np.mean(shown) < 1  # asked for 0.8; one of the two is not always right where they differ


def test_labels_that_tell_nothing_or_everything(tmp_path: Path) -> None:
    path, labels = tmp_path / "predictions.csv", tmp_path / "labels.csv"
    path.write_text(WIDE)
    labels.write_text("sample_id,label\na,cat\nc,cat\n")
    told = " ".join(adjudge_command("plan", path, "--labels", labels).stdout.split())
    assert "It is not known how the 2 labels were chosen, so they are used only where they settle a pair;" in told
    labels.write_text("sample_id,label\nc,cat\ne,dog\n")  # every sample on which net and tree differ
    known = ("plan", path, "--labels", labels, "--models", "net", "tree")
    told = " ".join(adjudge_command(*known).stdout.split())
    assert told.startswith("Every sample on which these models differ is labeled, so the difference is known: adjudge ")
    assert as_json(*known)["pairs"][0]["known"] is True
    told = " ".join(adjudge_command(*known[:4]).stdout.split())
    assert "A difference is known once every sample on which the two differ is labeled." in told
