"""Comparisons in words: what was shown, and what can help."""

from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.reports.pairs import comparison_sentences
from tests.support.pools import uniform_log


def hint(found: adjudge.Comparison) -> str:
    return comparison_sentences(found)[0]


def test_hints_name_only_what_can_help() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=200)
    frame = {"id": range(200), "one": truth + rng.normal(size=200), "other": truth + rng.normal(size=200)}
    made, drawn = adjudge.from_frame(frame), uniform_log(truth, np.arange(40))
    numbers, reversed_claim = adjudge.compare(made, "other", "one", drawn), adjudge.compare(made, "one", "other", drawn)
    assert f"; about {numbers.more} more labels where the two differ may show it" in hint(numbers)
    assert reversed_claim.more == numbers.more  # what would show the one refutes the other
    assert hint(reversed_claim).endswith(
        f"is not shown, and does not look like it now; about {numbers.more} more labels where the two differ may "
        "refute it (adjudge select ... --models one other draws them)."
    )
    values = np.zeros((2, 400), dtype=np.int64)
    values[0, :20], values[1, 20:80] = 1, 1  # 0.1 apart
    pool = Predictions(values, ("a", "b"), range(400), ("x", "y"))
    log = uniform_log(np.zeros(400), rng.permutation(400)[:60])
    few, noisy, hopeless = (adjudge.compare(pool, "a", "b", log, label_noise=each) for each in (0, 0.005, 0.2))
    assert hint(few).endswith(
        f"; about {few.more} more labels where the two differ may show it "
        f"(adjudge select ... --models {few.a} {few.b} draws them)."
    )
    assert few.more is not None
    assert noisy.more is not None
    assert 1 < few.more < noisy.more < 80
    assert "more labels cannot be expected" in hint(hopeless)
    assert "for a finite pool" in few.method


@pytest.mark.filterwarnings("ignore:.*could not be labeled:adjudge.AdjudgeWarning")
@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ({"test": "superior"}, "That b is better than a is refuted for this pool: a is better."),
        ({"test": "superior", "margin": 0.3}, "more than 0.3 is refuted for this pool: a is better."),
        ({"test": "non-inferior", "margin": 0.1}, "than a is refuted for this pool: it is worse by more than that."),
        ({"test": "non-inferior", "margin": 0.25}, "than a is refuted for this pool: it is worse by that or more."),
        ({"test": "equivalent", "margin": 0.1}, "than 0.1 is refuted for this pool: a is better by more than that."),
    ],
)
def test_a_refuted_claim_says_what_is_true(claim: dict[str, Any], told: str) -> None:
    values = np.zeros((2, 8), dtype=np.int64)
    values[1, :2] = 1
    pool = Predictions(values, ("a", "b"), range(8), ("x", "y"))
    found = adjudge.compare(pool, "b", "a", Labels.complete(np.zeros(8)), about="pool", **claim)
    assert found.verdict == "refuted"
    assert hint(found).endswith(told)
    other = adjudge.compare(pool, "a", "b", Labels.complete(np.zeros(8)), about="pool", margin=0.3)
    assert hint(other).endswith("is refuted for this pool: it is better by no more than that.")
