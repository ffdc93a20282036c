from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import InputError
from adjudge.evaluation import jaccard, kendall, spearman, top_k

Pairs = list[tuple[float, float]]
coarse = st.integers(-4, 4).map(lambda step: step / 8)  # ties are common
pairs = st.lists(st.tuples(coarse, coarse), min_size=2, max_size=30)
wide = st.lists(st.tuples(st.floats(-1e3, 1e3), coarse), min_size=2, max_size=30)


def sides(models: Pairs) -> tuple[list[float], list[float]]:
    return [left for left, _ in models], [right for _, right in models]


def rounded_constant(values: list[float]) -> bool:
    return len(np.unique(np.round(values, 12))) == 1


@given(pairs | wide)
def test_correlations_are_those_of_scipy(models: Pairs) -> None:
    left, right = sides(models)
    if rounded_constant(left) or rounded_constant(right):
        assert spearman(left, right) == 0.0
        assert kendall(left, right) == 0.0
    else:
        same = np.round(left, 12)  # scipy knows no tolerance
        assert spearman(left, right) == pytest.approx(stats.spearmanr(same, right).statistic, abs=1e-12)
        assert kendall(left, right) == pytest.approx(stats.kendalltau(same, right).statistic, abs=1e-12)


@pytest.mark.parametrize("correlation", [spearman, kendall])
def test_perfect_orders_are_exactly_one(correlation: Callable[[object, object], float]) -> None:
    values = np.random.default_rng(0).random(97)
    assert correlation(values, values**3) == 1.0
    assert correlation(values, -values) == -1.0


@pytest.mark.parametrize("correlation", [spearman, kendall])
def test_unknown_ranks_last_and_rounding_ties(correlation: Callable[[object, object], float]) -> None:
    assert correlation([0.9, np.nan, 0.5], [3, 1, 2]) == 1.0
    assert correlation([np.nan, np.nan], [1, 2]) == 0.0
    assert correlation([0.1 + 0.2, 0.3, 0.5], [1, 1, 2]) == 1.0
    assert correlation([0.7], [0.7]) == 0.0


@given(st.lists(coarse, min_size=1, max_size=20), st.integers(1, 22))
def test_top_k_has_fewer_than_k_better_models(values: list[float], k: int) -> None:
    expected = [sum(other > value for other in values) < k for value in values]
    assert top_k(values, k).tolist() == expected


@given(pairs, st.integers(1, 5))
def test_jaccard_compares_sets(models: Pairs, k: int) -> None:
    left, right = sides(models)
    mine, theirs = (set(np.flatnonzero(top_k(values, k))) for values in (left, right))
    assert jaccard(left, right, k) == len(mine & theirs) / len(mine | theirs)


def test_jaccard_of_a_tie_at_the_cut() -> None:
    assert jaccard([3, 2, 2, 1], truth=[3, 2, 1, 0], k=2) == pytest.approx(2 / 3)


@pytest.mark.parametrize("metric", [spearman, kendall, lambda a, b: jaccard(a, b, 1)])
def test_other_models_are_refused(metric: Callable[[object, object], float]) -> None:
    with pytest.raises(InputError, match="1 models are estimated but the truth is given for 2"):
        metric([0.5], [0.5, 0.6])


def test_an_empty_top_is_refused() -> None:
    with pytest.raises(InputError, match="top 0"):
        top_k([0.5], 0)
