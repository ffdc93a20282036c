"""Claims about two models as a gate: what passes, what does not, and what is said about it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.inference.paired_difference import SETTLED
from adjudge.reports.pairs import comparison_sentences
from tests.support.commands import adjudge as adjudge_command
from tests.support.pools import uniform_log


def skipped_pool(different: int, skips: int) -> tuple[Predictions, Labels]:
    """Two models that differ on the first of ten samples, of which the first are skipped and the others labeled."""
    values = np.zeros((2, 10), dtype=np.int64)
    values[1, :different] = 1
    truth = np.where(np.arange(10) < skips, np.nan, 0.0)
    return Predictions(values, ("a", "b"), range(10), ("x", "y")), Labels.complete(truth)


@pytest.mark.filterwarnings("ignore::adjudge.errors.AdjudgeWarning")
def test_skipped_samples_are_no_evidence() -> None:
    made, log = skipped_pool(different=1, skips=10)
    with pytest.raises(NotEnoughLabels, match="all 10 samples that both models predicted were skipped"):
        adjudge.compare(made, "a", "b", log)
    made, log = skipped_pool(different=1, skips=1)
    found = adjudge.compare(made, "a", "b", log, test="equivalent", margin=0.1, about="pool")
    assert (found.differing, found.differing_skipped, found.samples, found.method) == (0, 1, 9, SETTLED)
    assert not found.holds
    told = comparison_sentences(found)
    assert "; 1 skipped left out, 1 of them where the two differ" in told[-1]
    assert told[0].endswith(
        "is not shown for this pool: no sample on which they differ has a label, and some were skipped."
    )
    made, log = skipped_pool(different=3, skips=1)
    found = adjudge.compare(made, "a", "b", log, about="pool")
    assert (found.differing, found.holds) == (2, True)
    assert found.difference == pytest.approx(2 / 9)
    made, log = skipped_pool(different=0, skips=1)
    assert adjudge.compare(made, "a", "b", log, test="equivalent", margin=0.1, about="pool").holds


def test_label_noise_never_makes_an_interval_narrower() -> None:
    """After skips it may reach farther than the share on which the two differ, as far as that is known."""
    values = np.zeros((2, 500), dtype=int)
    values[1, :25] = 1
    pool = Predictions(values, ("a", "b"), range(500), ("no", "yes"))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        log = uniform_log(np.where(rng.random(500) < 0.3, np.nan, 0.0), rng.permutation(500)[:60])
        plain, noisy = (adjudge.compare(pool, "a", "b", log, label_noise=each) for each in (0.0, 0.02))
        assert noisy.low <= plain.low
        assert noisy.high >= plain.high


def five_hundred() -> Predictions:
    """Two models on 500 samples; b is right on one sample more than a."""
    values = np.zeros((2, 500), dtype=np.int64)
    values[0, :21], values[1, 21:41] = 1, 1
    return Predictions(values, ("a", "b"), range(500), ("x", "y"))


def test_exact_on_these_samples_is_not_exact_about_future_data() -> None:
    pool, log = five_hundred(), Labels.complete(np.zeros(500))
    slight: dict[str, Any] = {"test": "non-inferior", "margin": 0.0001}
    found = adjudge.compare(pool, "b", "a", log, **slight)
    assert (found.low, found.high) == (0.002, 0.002)
    assert found.about == "future"
    assert found.future_low < -0.02
    assert found.future_high > 0.02
    assert not found.holds
    told = comparison_sentences(found)
    assert told[1].startswith(
        "b minus a: accuracy +0.0020, exactly, on these 500 samples; for future data of the same "
    )
    assert "95% interval -0.02" in told[1]
    assert told[0].endswith("is not shown for future data; more samples of the same kind may show it.")
    here = adjudge.compare(pool, "b", "a", log, about="pool", **slight)
    assert here.holds
    assert comparison_sentences(here)[0] == "That b is less than 0.0001 worse than a is shown for this pool."
    with pytest.raises(InputError, match="about='tomorrow' is not known; use 'pool' or 'future'"):
        adjudge.compare(pool, "b", "a", log, about="tomorrow")


def test_open_samples_leave_the_claim_about_the_pool() -> None:
    pool = five_hundred()
    differ = Labels.known(500, np.arange(41), np.zeros(41))  # all on which they differ, and no other
    found = adjudge.compare(pool, "b", "a", differ)
    assert (found.about, found.low, found.high, found.holds) == ("pool", 0.002, 0.002, True)
    assert found.future_low < 0 < found.future_high  # but both are told
    future = adjudge.compare(pool, "b", "a", differ, about="future")
    assert (future.future_low, future.holds) == (found.future_low, False)
    log = uniform_log(np.zeros(500), np.random.default_rng(0).permutation(500)[:200])
    pool_only, future = (adjudge.compare(pool, "b", "a", log, about=each) for each in (None, "future"))
    assert pool_only.about == "pool"
    assert np.isnan(pool_only.future_low)
    assert future.future_low < future.low <= future.high < future.future_high
    assert "; for future data of the same kind " in comparison_sentences(future)[1]


def test_two_equal_models_seldom_pass_as_better_on_future_data() -> None:
    """Samples of a population in which each is right on 8 % where the other is wrong, all labeled."""
    rng, runs, shown = np.random.default_rng(0), 200, 0
    for _ in range(runs):
        kind = rng.random(250)
        values = np.array([kind < 0.08, kind > 0.92]).astype(np.int64)
        pool = Predictions(values, ("a", "b"), range(250), ("x", "y"))
        shown += adjudge.compare(pool, "a", "b", Labels.complete(np.zeros(250))).holds
    assert shown / runs < 0.025 + 3 * np.sqrt(0.025 * 0.975 / runs)


def test_label_noise_counts_for_future_data_too() -> None:
    pool, log = five_hundred(), Labels.complete(np.zeros(500))
    plain, noisy = (adjudge.compare(pool, "b", "a", log, label_noise=each) for each in (0.0, 0.01))
    assert noisy.future_low == pytest.approx(plain.future_low - 0.02)
    assert noisy.future_high == pytest.approx(plain.future_high + 0.02)


def test_the_gate_of_a_file_with_labeled_rows_only(tmp_path: Path) -> None:
    path, labels = tmp_path / "rows.csv", tmp_path / "labels.csv"
    pool = five_hundred()
    adjudge.write_predictions(pool, path)
    labels.write_text("sample_id,label\n" + "".join(f"{number},x\n" for number in range(500)))
    words = ("compare", path, "b", "a", "--labels", labels, "--test", "non-inferior", "--margin", 0.0001)
    done = adjudge_command(*words)
    assert done.returncode == 1
    assert "on these 500 samples; for future data of the same kind" in " ".join(done.stdout.split())
    assert adjudge_command(*words, "--about", "pool").returncode == 0
    assert json.loads(adjudge_command(*words, "--json").stdout)["about"] == "future"
