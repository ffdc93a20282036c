from functools import cache

import numpy as np
import pytest
from scipy import stats

from adjudge.core.arrays import FloatArray
from adjudge.inference.convolution import PLACES, ConfidenceDistribution, _quantile, convolution_interval
from adjudge.inference.intervals import mid_p_interval, normal_quantile

Part = tuple[float, FloatArray, float]  # weight, share and number of labels


def share(weight: float, mean: FloatArray, labels: float) -> ConfidenceDistribution:
    return ConfidenceDistribution(np.full(len(mean), weight), mean, np.full(len(mean), labels))


def summed(one: Part, other: Part, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    return convolution_interval(share(*one), share(*other), level)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_beside_a_part_that_is_known_the_interval_of_a_share_is_its_own(level: float) -> None:
    mean = np.array([0.0, 0.1, 0.45])
    low, high = summed((0.5, np.full(3, 0.3), np.inf), (1.0, mean, 20.0), level)
    alone = mid_p_interval(mean, np.full(3, 20.0), normal_quantile(level))
    close = 0.02 * float((alone[1] - alone[0]).max())
    assert low - 0.15 == pytest.approx(alone[0], abs=close)
    assert high - 0.15 == pytest.approx(alone[1], abs=close)


def test_rare_mistakes_and_rare_right_answers_are_treated_alike() -> None:
    mean, rare = np.array([0.35, 0.5, 0.2]), np.array([0.0, 0.03, 0.1])
    low, high = summed((0.2, mean, 40.0), (0.8, rare, 30.0))
    mirrored = summed((0.2, 1 - mean, 40.0), (0.8, 1 - rare, 30.0))
    assert mirrored[1] == pytest.approx(1 - low, abs=0.001)
    assert mirrored[0] == pytest.approx(1 - high, abs=0.001)


def test_points_far_out_are_numbers() -> None:
    mean, count = np.array([0.07334366, 0.0, 1.0, np.nan]), np.array([68.84, 3.0, 3.0, 5.0])
    for points in ConfidenceDistribution(np.ones(4), mean, count, variance_draws=np.full(4, 6.0)).points:
        assert ((points >= 0) & (points <= 1)).all()


def test_what_is_known_wholly_has_no_width() -> None:
    ends = summed((0.4, np.array([0.25]), np.inf), (0.6, np.array([0.5]), np.inf))
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
    assert ends[0] == pytest.approx(0.4)


@cache
def outcomes(draws: int, checks: int, weight: float, level: float) -> tuple[FloatArray, ...]:
    """All that so many draws and checks can show, and the ends of the interval of each."""
    one, other = (each.ravel() for each in np.meshgrid(np.arange(draws + 1.0), np.arange(checks + 1.0), indexing="ij"))
    ends = summed((1 - weight, one / draws, float(draws)), (weight, other / checks, float(checks)), level)
    return one, other, *ends


def coverage(draws: int, checks: int, weight: float, expected: float, level: float = 0.95) -> float:
    """How often the truth is inside, over all that so many draws (of which .35 are wrong) and checks can show."""
    one, other, low, high = outcomes(draws, checks, weight, level)
    rate = expected / checks
    chance = stats.binom.pmf(one, draws, 0.35) * stats.binom.pmf(other, checks, rate)
    truth = (1 - weight) * 0.35 + weight * rate
    return float(chance[(low <= truth) & (truth <= high)].sum())


@pytest.mark.parametrize("expected", [0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0])
@pytest.mark.parametrize("weight", [0.3, 0.8])
@pytest.mark.parametrize("checks", [10, 20, 70])
def test_a_sum_is_covered_however_rare_mistakes_are_in_one_part(checks: int, weight: float, expected: float) -> None:
    assert 0.93 < coverage(30, checks, weight, expected) < 0.97


@pytest.mark.parametrize("draws", [8, 20])
@pytest.mark.parametrize("weight", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("checks", [2, 5, 15])
def test_few_labels_are_covered_on_average_and_never_much_less(draws: int, checks: int, weight: float) -> None:
    held = [coverage(draws, checks, weight, share * checks) for share in np.linspace(0.0, 0.5, 26)]
    assert np.mean(held) > 0.94
    assert min(held) > 0.92


@pytest.mark.parametrize("expected", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("level", [0.8, 0.99])
def test_other_levels_are_kept_too(level: float, expected: float) -> None:
    assert coverage(30, 20, 0.8, expected, level) == pytest.approx(level, abs=0.4 * (1 - level))


def test_a_proportion_that_is_known_only_moves_the_other_one() -> None:
    """It is one point, and so looked at in another way than a narrow distribution."""
    rng, level = np.random.default_rng(0), np.array([0.025, 0.5, 0.975])
    wide = np.sort(rng.random((3, 2, len(PLACES))), axis=2).reshape(3, -1)
    known = np.full_like(wide, 0.25)
    nearly = known + 1e-9 * rng.random(known.shape)
    assert np.allclose(_quantile(wide, known, level), _quantile(wide, nearly, level), atol=1e-3)
    assert np.allclose(_quantile(wide, known, level) - 0.25, _quantile(wide, 0 * known, level), atol=1e-12)
