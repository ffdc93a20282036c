"""Rankings on parts of the pool, labels that are partly wrong, and labels that come in groups."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import adjudge
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.stopping import StoppingRule, stopping_status
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.inference.label_noise import NoiseBounds
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought
from tests.support.commands import adjudge as adjudge_command
from tests.support.commands import as_json, refused
from tests.support.pools import uniform_log
from tests.support.repeated import repeated

SAMPLES = 400
Pool = tuple[Predictions, FloatArray]


@pytest.fixture(scope="module")
def pool() -> Pool:
    made, truth = example_pool(models=4, samples=SAMPLES, classes=3, seed=8)
    site = ["north"] * 240 + ["south"] * 130 + ["tiny"] * 20 + [None] * 5 + [""] * 5
    document = [f"d{sample // 8}" for sample in range(SAMPLES)]
    facts = pa.table({"site": site, "document": document})
    return replace(made, columns=facts, probabilities=None), truth.astype(np.float64)


def test_each_slice_has_its_own_answer(pool: Pool) -> None:
    made, truth = pool
    log = uniform_log(truth, np.random.default_rng(0).permutation(SAMPLES))
    found = {each.name: each for each in adjudge.rank_slices(made, log, "site", minimum=15)}
    assert list(found) == ["north", "south", "tiny", "(blank)"]
    assert found["(blank)"].ranking is None
    assert (found["(blank)"].samples, found["(blank)"].labels) == (10, 10)
    south = found["south"].ranking
    assert south is not None
    exact = (made.values[:, 240:370] == truth[240:370]).mean(axis=1)
    for name in ("value", "low", "high"):
        assert getattr(south.estimate, name) == pytest.approx(exact)
    assert south.labels == 130


@repeated(40, 80)
def test_intervals_of_slices_hold(pool: Pool, repeats: int) -> None:
    made, truth = pool
    rng, held = np.random.default_rng(4), []
    exact = (made.values[:, 240:370] == truth[240:370]).mean(axis=1)
    for _ in range(repeats):
        south = adjudge.rank_slices(made, uniform_log(truth, rng.permutation(SAMPLES)[:120]), "site")[1].ranking
        assert south is not None
        held.append((south.estimate.low <= exact) & (exact <= south.estimate.high))
    assert np.mean(held) > 0.95 - 0.05


@repeated(20, 40)
def test_slices_keep_the_strata_of_the_pool(pool: Pool, repeats: int) -> None:
    made, truth = pool
    exact, held = (made.values[:, 240:370] == truth[240:370]).mean(axis=1), []
    for seed in range(repeats):
        log = bought(StratifiedDraws(), made, truth, 150, seed)
        south = adjudge.rank_slices(made, log, "site")[1].ranking
        assert south is not None
        held.append((south.estimate.low <= exact) & (exact <= south.estimate.high))
    assert np.mean(held) > 0.95 - 0.06


def test_metrics_and_agreement_work_on_slices(pool: Pool) -> None:
    made, truth = pool
    log = uniform_log(truth, np.random.default_rng(0).permutation(SAMPLES)[:200])
    options = adjudge.RankOptions(metric="macro-f1")
    north = adjudge.rank_slices(made, log, "site", options=options)[0].ranking
    assert north is not None
    assert north.estimate.quantity == "macro-f1"
    free = adjudge.rank_slices(made, None, "site")
    assert [each.ranking is None for each in free] == [False, False, False, True]
    assert free[0].ranking is not None
    assert free[0].ranking.estimate.quantity == "agreement"


def test_columns_that_cannot_be_slices(pool: Pool) -> None:
    made, _ = pool
    many = replace(made, columns=pa.table({"site": [str(sample) for sample in range(SAMPLES)]}))
    with pytest.raises(InputError, match="no column 'place' in the pool; its columns of facts are 'site', 'document'"):
        adjudge.rank_slices(made, None, "place")
    with pytest.raises(InputError, match="it has no columns of facts"):
        adjudge.rank_slices(replace(made, columns=None), None, "site")
    with pytest.raises(InputError, match="400 different values"):
        adjudge.rank_slices(many, None, "site")


def test_the_best_on_clean_data_may_lose_its_place(tmp_path: Path) -> None:
    """`early` is nearly always right in spring and hardly ever in autumn, `late` is steady."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 600)
    season = np.repeat(["spring", "summer", "autumn"], 200)
    right = {
        "early": np.select([season == "spring", season == "summer"], [0.95, 0.85], 0.3),
        "late": np.full(600, 0.84),
    }
    said = {name: np.where(rng.random(600) < share, truth, (truth + 1) % 3) for name, share in right.items()}
    rows = zip(range(600), season, *said.values(), strict=True)
    path, labels = tmp_path / "predictions.csv", tmp_path / "labels.csv"
    path.write_text("sample_id,season,early,late\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    drawn = np.sort(rng.permutation(600)[:400])
    labels.write_text("sample_id,label\n" + "".join(f"{sample},{truth[sample]}\n" for sample in drawn))
    words = ("rank", path, "--columns", "season", "--slice", "season", "--labels", labels, "--drawn", "uniform")
    told = {each["name"]: each for each in as_json(*words, "--clean", "spring")["changes"]}
    assert list(told) == ["summer", "autumn"]
    assert {each["leader"] for each in told.values()} == {"early"}
    assert told["summer"]["verdict"] in ("still first", "may still be the best")
    assert told["autumn"]["verdict"] == "no longer the best"
    assert (told["autumn"]["best"], told["autumn"]["rank"], told["autumn"]["spearman"]) == (["late"], 2, -1)
    shown = adjudge_command(*words, "--clean", "spring").stdout.replace("\n", " ")
    assert "early is first on spring and in" in shown
    assert "clearly no longer the best  in autumn" in shown
    assert as_json(*words)["changes"][0]["leader"] == "late"
    assert "enough labels" in refused(*words, "--clean", "winter")


# Wrong labels


def spoiled(truth: FloatArray, wrong: IntArray, classes: int = 3) -> FloatArray:
    labels = truth.copy()
    labels[wrong] = (labels[wrong] + 1) % classes
    return labels


@pytest.mark.parametrize("place", ["anywhere", "where the best model is right"])
def test_intervals_hold_wherever_the_wrong_labels_are(pool: Pool, place: str) -> None:
    made, truth = pool
    rng, rate = np.random.default_rng(5), 0.05
    among = np.arange(SAMPLES) if place == "anywhere" else np.flatnonzero(made.values[3] == truth)
    exact, held, paired = (made.values == truth).mean(axis=1), [], []
    for _ in range(60):
        labels = spoiled(truth, rng.choice(among, size=int(rate * SAMPLES), replace=False))
        log = uniform_log(labels, rng.permutation(SAMPLES)[:100])
        found = adjudge.rank(made, log, label_noise=rate).estimate
        held.append((found.low <= exact) & (exact <= found.high))
        pair = adjudge.compare(made, "model 3", "model 2", log, label_noise=rate)
        paired.append(pair.low <= exact[3] - exact[2] <= pair.high)
    assert np.mean(held, axis=0).min() >= 0.93
    assert np.mean(paired) >= 0.93


def test_noise_widens_and_joins(pool: Pool) -> None:
    made, truth = pool
    log = uniform_log(truth, np.random.default_rng(0).permutation(SAMPLES)[:300])
    plain, wide = adjudge.rank(made, log), adjudge.rank(made, log, label_noise=0.1)
    inside = (plain.estimate.low > 0.1) & (plain.estimate.high < 0.9)
    assert wide.estimate.low[inside] == pytest.approx(plain.estimate.low[inside] - 0.1)
    assert plain.tier is not None
    assert wide.tier is not None
    assert wide.tier.max() < plain.tier.max()
    assert plain.difference_to_leader is not None
    assert wide.difference_to_leader is not None
    assert wide.difference_to_leader.low[0] == pytest.approx(plain.difference_to_leader.low[0] - 0.2)
    assert wide.rank_low is wide.rank_high is None
    assert plain.may_be_best is not None
    assert wide.may_be_best is not None
    assert (wide.may_be_best >= plain.may_be_best).all()
    everything = uniform_log(truth, np.arange(SAMPLES))
    pair = adjudge.compare(made, "model 3", "model 0", everything, label_noise=0.01)
    assert pair.high - pair.low == pytest.approx(0.04)
    assert np.isnan(pair.p_value)


def test_all_wrong_labels_may_be_where_a_model_said_something() -> None:
    """One model said something about 10 of 100 samples: 2 wrong labels are a fifth of those."""
    values = np.zeros((2, 100), dtype=np.int64)
    values[0, 10:], values[1, :6] = -1, 1
    pool = Predictions(values, ("few", "all"), range(100), ("x", "y"))
    log = uniform_log(np.zeros(100), np.arange(100))
    found = adjudge.rank(pool, log, label_noise=0.02)
    assert found.estimate.low == pytest.approx([0.8, 0.92])
    assert found.difference_to_leader is not None
    assert found.difference_to_leader.low[1] == pytest.approx(-0.96)  # they say the same about 4 samples
    pair = adjudge.compare(pool, "few", "all", log, label_noise=0.02)
    assert pair.low == pytest.approx(0.2)  # (8 - 6) / 10 if both are among the six on which they differ
    assert adjudge.compare(pool, "few", "all", log, label_noise=0.06).low == pytest.approx(-0.6)
    assert stopping_status(pool, log, StoppingRule(0.1), label_noise=0.02).out_of_reach


def test_no_wrong_labels_move_a_difference_farther_than_is_said() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        values = np.where(rng.random((3, 12)) < rng.choice([0.0, 0.4]), -1, rng.integers(0, 2, (3, 12)))
        values[1] = np.where(rng.random(12) < 0.8, values[0], values[1])
        values[:, 0] = 0
        truth, skipped = rng.integers(0, 2, 12).astype(float), rng.choice(12, 2)
        log = uniform_log(np.where(np.isin(np.arange(12), skipped), np.nan, truth), np.arange(12))
        said = (values != -1) & log.usable
        if not said.any(axis=1).all():
            continue
        apart = NoiseBounds.of(Predictions(values, ("a", "b", "c"), range(12), ("x", "y")), log, 0.2, first=0)
        wrong = rng.permutation(np.flatnonzero(log.usable))[: log.labeled // 5]
        told = (truth, spoiled(truth, wrong, classes=2))
        loss, other = ((said & (values != each)).sum(axis=1) / said.sum(axis=1) for each in told)
        before, after = loss - loss[0], other - other[0]
        assert (np.abs(before - after) <= apart.shift + 1e-9).all()
        assert (np.abs(before) <= apart.limit + 1e-9).all()


def test_copies_of_the_leader_stand_in_no_way_of_noisy_labels() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400).astype(float)
    good, bad = (np.where(rng.random(400) < share, truth, 1 - truth) for share in (0.97, 0.5))
    near = good.copy()
    near[0] = 1 - near[0]
    values = np.array([good, good, near, bad]).astype(np.int64)
    pool = Predictions(values, ("good", "copy", "near", "bad"), range(400), ("x", "y"))
    log = uniform_log(truth, rng.permutation(400)[:300])
    assert stopping_status(pool, log, StoppingRule(0.015), label_noise=0.01).stopped
    assert stopping_status(pool, log, StoppingRule(), label_noise=0.01).blocking == ("near",)
    plain, noisy = (adjudge.rank(pool, log, label_noise=rate).difference_to_leader for rate in (0, 0.01))
    assert plain is not None
    assert noisy is not None
    assert noisy.low[:3].tolist() == plain.low[:3].tolist()  # which is beyond the one sample on which they differ
    assert noisy.high[:2].tolist() == [0, 0]


def test_noise_that_makes_no_sense(pool: Pool) -> None:
    made, truth = pool
    log = uniform_log(truth, np.arange(0, SAMPLES, 10))
    with pytest.raises(InputError, match=r"below 0\.5, and 2 is not"):
        adjudge.rank(made, log, label_noise=2)
    with pytest.raises(InputError, match=r"below 0\.5, and 7 is not"):
        stopping_status(made, Labels.empty(SAMPLES), StoppingRule(), label_noise=7)
    with pytest.raises(InputError, match="this ranking has none"):
        adjudge.rank(made, label_noise=0.1)
    with pytest.raises(InputError, match="combined with label noise"):
        adjudge.rank(made, log, metric="macro-f1", label_noise=0.1)
    numbers = adjudge.from_frame({"id": range(3), "a": [0.5, 1, 2], "b": [1.5, 1, 2]})
    with pytest.raises(InputError, match="these predictions are numbers"):
        adjudge.compare(numbers, "a", "b", Labels.known(3, [0], [1.0]), label_noise=0.1)


# Labels that come in groups


def test_labels_drawn_by_group_are_noticed(pool: Pool) -> None:
    made, truth = pool
    whole = np.concatenate([np.arange(8) + 8 * group for group in (3, 11, 20, 31, 40)])
    with pytest.warns(AdjudgeWarning, match="share a 'document'"):
        adjudge.rank(made, uniform_log(truth, whole))
    with pytest.warns(AdjudgeWarning, match="share a 'document'"):
        adjudge.compare(made, "model 3", "model 0", uniform_log(truth, whole))


def test_plain_draws_are_not_taken_for_groups(pool: Pool, recwarn: pytest.WarningsRecorder) -> None:
    made, truth = pool
    rng = np.random.default_rng(6)
    for count in (5, 40, 200, 400):
        adjudge.rank(made, uniform_log(truth, rng.permutation(SAMPLES)[:count]))
    assert not [each for each in recwarn if "share a" in str(each.message)]
