import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.core.arrays import FloatArray
from adjudge.inference.intervals import (
    guard_size,
    guarded_variance,
    mid_p_interval,
    normal_quantile,
    student_quantile,
)

Z = normal_quantile(0.95)


def test_a_mistake_of_another_size_counts_as_that_many() -> None:
    none, count = np.zeros(3), np.array([10.0, 20.0, 40.0])
    _, alone = mid_p_interval(none, count / 2, Z)
    _, twice = mid_p_interval(none, count, Z, 2.0)
    assert twice == pytest.approx(alone)  # as if half as many draws had found none
    low, high = mid_p_interval(np.full(3, 0.3), count, Z)
    less, more = mid_p_interval(np.full(3, 0.3), count, Z, 2.0)
    assert (high < more).all()
    assert low == pytest.approx(less, abs=0.02)  # what was seen was seen


def classical(wrong: int, labels: int) -> tuple[float, float]:
    mean, count = np.array([wrong / labels]), np.array([float(labels)])
    low, high = mid_p_interval(mean, count, Z)
    return float(low[0]), float(high[0])


@pytest.mark.parametrize(("wrong", "labels"), [(0, 10), (5, 10), (1, 5), (3, 200)])
def test_at_its_ends_what_was_seen_is_just_unlikely_enough(wrong: int, labels: int) -> None:
    low, high = classical(wrong, labels)
    if wrong:
        assert stats.binom.sf(wrong, labels, low) + stats.binom.pmf(wrong, labels, low) / 2 == pytest.approx(0.025)
    assert stats.binom.cdf(wrong - 1, labels, high) + stats.binom.pmf(wrong, labels, high) / 2 == pytest.approx(0.025)


@pytest.mark.parametrize("labels", [5, 10, 30])
def test_rare_mistakes_and_few_labels_are_covered(labels: int) -> None:
    wrong = np.arange(labels + 1.0)
    low, high = mid_p_interval(wrong / labels, np.full(labels + 1, float(labels)), Z)
    for rate in np.linspace(0.005, 0.5, 40):
        held = stats.binom.pmf(wrong, labels, rate)[(low <= rate) & (rate <= high)].sum()
        assert held > 0.92, rate


@given(st.integers(1, 500), st.floats(0, 1))
def test_it_is_ordered_inside_the_unit_interval_and_symmetric(labels: int, share: float) -> None:
    wrong = round(share * labels)
    low, high = classical(wrong, labels)
    assert 0 <= low <= wrong / labels <= high <= 1
    assert high - low > 0
    mirrored = classical(labels - wrong, labels)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_endless_labels_leave_no_width() -> None:
    low, high = mid_p_interval(np.array([0.3]), np.array([np.inf]), Z)
    assert low[0] == high[0] == pytest.approx(0.3)


def test_quantiles() -> None:
    assert normal_quantile(0.95) == pytest.approx(1.95996, abs=1e-5)
    assert normal_quantile(0.95, comparisons=10) == pytest.approx(2.80703, abs=1e-5)
    assert student_quantile(0.95, draws=11) == pytest.approx(2.22814, abs=1e-5)


ALL, LARGEST = np.ones(1), np.ones(1)


def clear(difference: FloatArray, spread: FloatArray, draws: int, left: float = 1.0) -> bool:
    """Whether zero is outside; `left` is the share of the sampling error that a finite pool leaves."""
    variance = guarded_variance(difference, spread, LARGEST, draws, left / draws)
    return bool(np.abs(difference[0]) > Z * np.sqrt(variance[0]))


def test_a_few_labels_that_all_agree_are_not_certainty() -> None:
    assert not clear(ALL, np.zeros(1), 2)
    assert clear(ALL, np.zeros(1), 50)


def test_no_difference_is_never_clear() -> None:
    assert not clear(np.zeros(1), np.zeros(1), 10**6)


def test_a_pool_that_is_nearly_known_leaves_less_to_chance() -> None:
    small, spread = np.array([0.1]), np.array([0.2])
    assert not clear(small, spread, 60)
    assert clear(small, spread, 60, left=0.05)


def covered(differences: FloatArray, truth: float) -> float:
    """How often the Student interval with two guarding draws holds the truth; (runs, draws)."""
    draws = differences.shape[1]
    mean, spread = differences.mean(axis=1), differences.var(axis=1, ddof=1)
    variance = guarded_variance(mean, spread, guard_size(differences), draws, 1 / draws)
    return float((np.abs(mean - truth) <= student_quantile(0.95, draws) * np.sqrt(variance)).mean())


def test_rare_large_differences_are_allowed_for() -> None:
    """With draws of the usual size (root mean square) it was .92."""
    rng, chances, sizes = np.random.default_rng(0), [0.65, 0.3, 0.05], np.array([0.0, 0.1, 1.0])
    held = covered(rng.choice(sizes, (4000, 100), p=chances), float(sizes @ chances))
    assert 0.94 < held < 0.97


def test_where_differences_of_all_sizes_are_common_intervals_are_not_too_wide() -> None:
    """With draws of the largest size it was .975."""
    held = covered(np.random.default_rng(1).laplace(0, 0.1, (4000, 100)), 0.0)
    assert 0.94 < held < 0.968


def test_where_nothing_differs_the_guard_has_the_largest_possible_size() -> None:
    assert guard_size(np.zeros((2, 5))).tolist() == [1.0, 1.0]
