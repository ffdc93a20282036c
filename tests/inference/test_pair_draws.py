"""Labels drawn only where two models differ: what they are a random sample of, and what they leave open."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.strata import FIRST_PAIR, disputed
from adjudge.errors import AdjudgeWarning, InputError, LabelsError
from adjudge.inference.draws import draws_by_stratum
from adjudge.inference.mcnemar import exact_mcnemar
from adjudge.inference.paired_difference import EXACT_TEST, WEIGHTED
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import Task
from tests.support.repeated import repeated

SAMPLES = 400
PAIR = ("model 3", "model 2")
ONLY = "were drawn where 'model 3' and 'model 2' differ"
Pool = tuple[Predictions, FloatArray]


@pytest.fixture(scope="module")
def pool() -> Pool:
    made, truth = example_pool(models=5, samples=SAMPLES, classes=3, seed=4)
    return made, truth.astype(np.float64)


def pair_log(pool: Pool, count: int, seed: int, before: Labels | None = None) -> Labels:
    made, truth = pool
    return adjudge.select(made, count, models=PAIR, labels=before, seed=seed).answer_all(truth)


def gap(pool: Pool, a: str, b: str) -> float:
    made, truth = pool
    right = (made.values == truth).mean(axis=1)
    return float(right[made.models.index(a)] - right[made.models.index(b)])


def test_only_samples_on_which_they_differ_are_drawn_and_the_log_says_so(pool: Pool, tmp_path: Path) -> None:
    made, _ = pool
    log = adjudge.select(made, 30, models=PAIR, seed=3)
    assert (made.values[3] != made.values[2])[log.sample].all()
    assert set(log.stratum) == {FIRST_PAIR}
    assert (log.weight == 1).all()
    assert (log.max_weight == 1).all()
    assert (log.header.pairs, log.header.models) == ((PAIR,), made.models)
    for name in ("labels.csv", "labels.parquet", "labels.json"):
        adjudge.write_labels(log, made, tmp_path / name)
        back = adjudge.read_labels(tmp_path / name, made)[1]
        assert back.header.pairs == (PAIR,)
        assert back.stratum.tolist() == log.stratum.tolist()
    assert "# pair: model 3\n# pair: model 2\n" in (tmp_path / "labels.csv").read_text()
    again = adjudge.select(made, 5, models=(PAIR[1], PAIR[0]), labels=log)
    assert (again.header.pairs, set(again.stratum)) == ((PAIR,), {FIRST_PAIR})  # the same pair, named the other way
    other = adjudge.select(made, 5, models=("model 0", "model 1"), labels=log)
    assert (len(other.header.pairs), other.stratum[-1]) == (2, FIRST_PAIR + 1)


def test_every_one_of_them_has_the_same_chance(pool: Pool) -> None:
    made, _ = pool
    differ = int((made.values[3] != made.values[2]).sum())
    runs, count = 1500, 20
    drawn = np.zeros(SAMPLES)
    for seed in range(runs):
        drawn[adjudge.select(made, count, models=PAIR, seed=seed).sample] += 1
    expected = runs * count / differ
    assert np.abs(drawn[drawn > 0] - expected).max() < 5 * np.sqrt(expected)


def test_a_comparison_takes_them_for_a_simple_random_sample(pool: Pool) -> None:
    made, _ = pool
    differ = int((made.values[3] != made.values[2]).sum())
    exact, held = gap(pool, *PAIR), []
    for seed in range(150):
        found = adjudge.compare(made, *PAIR, pair_log(pool, 40, seed))
        assert found.method == EXACT_TEST
        assert found.p_value == exact_mcnemar(found.a_better, found.b_better, 40, differ)
        held.append(found.low <= exact <= found.high)
    assert np.mean(held) > 0.95 - 3 * 0.018
    every = adjudge.compare(made, *PAIR, pair_log(pool, differ, 0))
    assert every.low == every.high == pytest.approx(exact)


@repeated(10, 60)
@pytest.mark.parametrize("first", [Random(), Pooled(), Pooled(goal="estimate")])
def test_labels_from_before_stay_valid(pool: Pool, first: Random | Pooled, repeats: int) -> None:
    """Forty labels for the whole pool, then forty where the two differ, then forty for the whole pool again."""
    made, truth = pool
    exact, held, kept, ranked = gap(pool, *PAIR), [], [], []
    right = (made.values == truth).mean(axis=1)
    for seed in range(repeats):
        log = bought(first, made, truth, 40, seed)
        log = log.with_header(replace(log.header, models=made.models))
        log = pair_log(pool, 40, seed, log)
        found = adjudge.compare(made, *PAIR, log)
        assert found.method == EXACT_TEST
        name = "random" if isinstance(first, Random) else "pooled"
        later = adjudge.select(made, 40, name, labels=log, seed=seed).answer_all(truth)
        after = adjudge.compare(made, *PAIR, later)
        held.append(found.low <= exact <= found.high)
        kept.append(after.low <= exact <= after.high)
        ranking = adjudge.rank(made, later)
        ranked.append((ranking.estimate.low <= right) & (right <= ranking.estimate.high))
        assert not np.isnan(ranking.estimate.value).any()
    error = np.sqrt(0.05 * 0.95 / repeats)
    assert np.mean(held) > 0.95 - 3 * error
    assert np.mean(kept) > 0.95 - 3 * error
    assert np.mean(ranked) > 0.9


def test_many_weighted_labels_are_not_thrown_away_for_a_few(pool: Pool) -> None:
    made, truth = pool
    log = bought(Pooled(goal="estimate"), made, truth, 250, 0)
    log = log.with_header(replace(log.header, models=made.models))
    before = adjudge.compare(made, *PAIR, log)
    after = adjudge.compare(made, *PAIR, pair_log(pool, 3, 0, log))
    assert (before.method, after.method) == (WEIGHTED, WEIGHTED)
    assert after.high - after.low < 1.05 * (before.high - before.low)


def test_a_ranking_claims_no_more_than_the_draws_support(pool: Pool) -> None:
    made, truth = pool
    right = (made.values == truth).mean(axis=1)
    with pytest.warns(AdjudgeWarning, match=ONLY):
        ranking = adjudge.rank(made, pair_log(pool, 60, 0))
    outside = 1 - float((made.values[3] != made.values[2]).mean())
    assert np.isnan(ranking.estimate.value).all()  # nothing was drawn where they agree
    assert (ranking.estimate.high - ranking.estimate.low > outside - 0.05).all()
    assert ((ranking.estimate.low <= right) & (right <= ranking.estimate.high)).all()
    assert ranking.may_be_best is not None
    assert ranking.may_be_best[int(np.argmax(right))]
    assert ranking.likely is None  # the consensus was not looked at where the two agree
    assert ranking.recommendation is not None
    assert not ranking.recommendation.stop
    said = [heading for heading, _ in ranking.recommendation.words]
    assert "Likely" not in said
    assert "Not judged" not in said
    with pytest.warns(AdjudgeWarning, match=ONLY):
        alone = adjudge.estimate(made, "model 3", pair_log(pool, 60, 0))
    assert np.isnan(alone.estimate.value[0])
    with pytest.warns(AdjudgeWarning, match=ONLY):
        third = adjudge.compare(made, "model 0", "model 1", pair_log(pool, 60, 0))
    assert third.low <= gap(pool, "model 0", "model 1") <= third.high
    assert third.high - third.low > 0.2
    with (
        pytest.warns(AdjudgeWarning, match=ONLY),
        pytest.raises(InputError, match="balanced-accuracy needs labels from the whole pool"),
    ):
        adjudge.rank(made, pair_log(pool, 60, 0), metric="balanced-accuracy")


def test_a_pool_of_the_two_alone_needs_no_other_model(pool: Pool) -> None:
    """The strata of the pair are defined by the pair: other models may be gone."""
    made, truth = pool
    log = pair_log(pool, 50, 1)
    two = Predictions(made.values[[2, 3]], ("model 2", "model 3"), made.samples, made.classes)
    found, whole = adjudge.compare(two, *PAIR, log), adjudge.compare(made, *PAIR, log)
    assert (found.low, found.high, found.p_value) == (whole.low, whole.high, whole.p_value)
    alone = adjudge.select(two, 50, models=PAIR).answer_all(truth)
    with pytest.warns(AdjudgeWarning, match=ONLY):
        assert adjudge.rank(two, alone).likely is not None  # which of the two is better is what the labels are about


def test_after_a_skip_the_weighted_way_is_taken(pool: Pool) -> None:
    made, _ = pool
    log = pair_log(pool, 40, 0)
    at = int(np.setdiff1d(np.flatnonzero(made.values[3] != made.values[2]), log.sample)[0])
    skipped = log.add(Pick(at, 1.0, len(log), FIRST_PAIR, 1.0), SKIP)
    with pytest.warns(AdjudgeWarning, match="could not be labeled"):
        found = adjudge.compare(made, *PAIR, skipped)
    assert found.low < gap(pool, *PAIR) < found.high


def test_what_cannot_be_drawn_is_refused(pool: Pool) -> None:
    made, _ = pool
    differ = int((made.values[3] != made.values[2]).sum())
    with pytest.raises(InputError, match=f"'model 3' and 'model 2' differ on {differ} samples, of which {differ} are"):
        adjudge.select(made, differ + 1, models=PAIR)
    with pytest.raises(InputError, match="name two different models"):
        adjudge.select(made, 3, models=("model 1", "model 1"))
    with pytest.raises(InputError, match="no model 'net'"):
        adjudge.select(made, 3, models=("model 1", "net"))
    with pytest.raises(InputError, match="draws uniformly where the two differ, which 'pooled' does not"):
        adjudge.select(made, 3, "pooled", models=PAIR)
    with pytest.raises(InputError, match="it takes no options"):
        adjudge.select(made, 3, models=PAIR, options={"goal": "best"})
    same = replace(made, values=made.values[[0, 0]], models=("a", "b"), probabilities=None)
    with pytest.raises(
        InputError, match="'a' and 'b' say the same about every sample, so no label can tell them apart"
    ):
        adjudge.select(same, 3, models=("a", "b"))
    log = adjudge.select(made, 10, models=PAIR)
    stray = replace(log, header=replace(log.header, pairs=()))
    with pytest.raises(LabelsError, match="stratum 3, which the log does not describe"):
        draws_by_stratum(made, stray)
    swapped = replace(made, values=made.values[[0, 1, 3, 3, 4]], probabilities=None)
    with pytest.raises(LabelsError, match="it is not in that stratum"):
        draws_by_stratum(swapped, log)


def test_on_a_real_pool_few_labels_decide(task: Task) -> None:
    """Where the two differ, as many labels tell far more than all over the pool."""
    path = task("emotion_detection")
    made, truth = adjudge.read_truth(path, adjudge.read(path))
    right = (made.values == truth).mean(axis=1)
    order = np.argsort(-right)
    a, b = (made.models[place] for place in (order[0], order[-1]))
    widths, held = [], []
    for seed in range(30):
        log = adjudge.select(made, 100, models=(a, b), seed=seed).answer_all(truth)
        found = adjudge.compare(made, a, b, log)
        everywhere = adjudge.compare(made, a, b, bought(Random(), made, truth, 100, seed))
        widths.append((found.high - found.low, everywhere.high - everywhere.low))
        held.append(found.low <= right[order[0]] - right[order[-1]] <= found.high)
    assert np.mean(held) > 0.83
    mine, other = np.mean(widths, axis=0)
    assert mine < 0.5 * other
    assert disputed(made, (a, b)).sum() < 700
