import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import InputError
from adjudge.evaluation import cliffs_delta, cliffs_word, rank_sum, win_tie_loss

results = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=20)


@given(results, results)
def test_delta_counts_pairs(a: list[float], b: list[float]) -> None:
    expected = sum((x > y) - (x < y) for x in a for y in b) / (len(a) * len(b))
    assert cliffs_delta(a, b) == expected
    assert cliffs_delta(b, a) == -expected


@pytest.mark.parametrize(
    ("delta", "word"),
    [
        (0.0, "negligible"),
        (0.1469, "negligible"),
        (0.147, "small"),
        (0.3299, "small"),
        (0.33, "medium"),
        (0.4739, "medium"),
        (0.474, "large"),
        (1.0, "large"),
    ],
)
def test_words_change_at_the_published_cuts(delta: float, word: str) -> None:
    assert cliffs_word(delta) == cliffs_word(-delta) == word


def test_rank_sum_corrects_for_ties() -> None:
    a, b = [1, 1, 1, 1, 2, 2, 2, 2, 2, 2], [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]
    everything = np.array(a + b)
    _, ties = np.unique(everything, return_counts=True)
    pairs, total = len(a) * len(b), len(everything)
    variance = pairs / 12 * (total + 1 - (ties**3 - ties).sum() / (total * (total - 1)))
    wins = (cliffs_delta(a, b) + 1) / 2 * pairs
    z = (abs(wins - pairs / 2) - 0.5) / np.sqrt(variance)
    assert rank_sum(a, b) == pytest.approx(2 * stats.norm.sf(z))
    assert rank_sum(a, b) < stats.ranksums(a, b).pvalue
    assert rank_sum([1, 1], [1, 1]) == 1.0


def test_win_tie_loss_needs_both_standards() -> None:
    rng = np.random.default_rng(0)
    weak, strong = rng.normal(0, 1, 50), rng.normal(1, 1, 50)
    assert win_tie_loss(strong, weak) == "win"
    assert win_tie_loss(weak, strong) == "loss"
    # a large effect that two results cannot prove
    assert win_tie_loss([2, 3], [0, 1]) == "tie"
    # a difference proved by many results, but negligible
    many, few_better = np.arange(20_000.0), np.arange(20_000.0) + 1_000
    assert rank_sum(few_better, many) < 0.001
    assert cliffs_word(cliffs_delta(few_better, many)) == "negligible"
    assert win_tie_loss(few_better, many) == "tie"


@given(results, results)
def test_win_mirrors_loss(a: list[float], b: list[float]) -> None:
    mirror = {"win": "loss", "tie": "tie", "loss": "win"}
    assert win_tie_loss(a, b) == mirror[win_tie_loss(b, a)]


@pytest.mark.parametrize("bad", [[], [float("nan"), 1.0], [[1.0]]])
def test_unknown_results_are_refused(bad: list[float]) -> None:
    for compare in (cliffs_delta, rank_sum, win_tie_loss):
        with pytest.raises(InputError, match="one known result a repetition"):
            compare([1.0, 2.0], bad)
    with pytest.raises(InputError, match="has no size"):
        cliffs_word(float("nan"))
