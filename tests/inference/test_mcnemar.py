"""The exact test and the paired interval, against chances that are added up, not simulated."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom

from adjudge.core.arrays import FloatArray
from adjudge.inference import mcnemar as paired
from adjudge.inference.intervals import normal_quantile
from adjudge.inference.mcnemar import exact_mcnemar, paired_interval


def outcomes(drawn: int) -> list[tuple[int, int]]:
    return [(wins, losses) for wins in range(drawn + 1) for losses in range(drawn + 1 - wins)]


def chances(wins: int, losses: int, size: int, drawn: int) -> FloatArray:
    """The chance of each outcome, where so many of `size` samples are won and lost."""
    splits = np.array(outcomes(drawn))
    one = hypergeom.pmf(splits[:, 0], size, wins, drawn)
    other = hypergeom.pmf(splits[:, 1], size - wins, losses, drawn - splits[:, 0])
    return np.asarray(np.nan_to_num(one * other))  # nan where the rest is too small for so many draws


@pytest.mark.parametrize(("size", "drawn"), [(12, 4), (40, 7), (40, 20), (500, 12)])
def test_each_side_of_the_interval_misses_in_2_5_percent_at_most(size: int, drawn: int) -> None:
    ends = np.array([paired_interval(*split, drawn, size, 0.95) for split in outcomes(drawn)])
    step, worst = max(1, size // 20), []
    for wins in range(0, size + 1, step):
        for losses in range(0, size - wins + 1, step):
            chance, true = chances(wins, losses, size, drawn), (wins - losses) / size
            worst.append((chance[ends[:, 0] > true + 1e-9].sum(), chance[ends[:, 1] < true - 1e-9].sum()))
    assert np.max(worst) < 0.0255
    assert np.max(worst) > 0.01  # and it is not wider than it has to be


@pytest.mark.parametrize(("wins", "losses"), [(0, 8), (4, 6)])
def test_a_few_flips_in_many_draws_miss_in_2_5_percent_at_most(wins: int, losses: int) -> None:
    """Tango's own interval is above the truth in 3.5% of these."""
    drawn, size, missed = 101, 300, 0.0
    for one in range(wins + 1):
        for other in range(losses + 1):
            if paired_interval(one, other, drawn, size, 0.95)[0] > (wins - losses) / size + 1e-9:
                chance = hypergeom.pmf(one, size, wins, drawn)
                missed += chance * hypergeom.pmf(other, size - wins, losses, drawn - one)
    assert missed < 0.0255


@pytest.mark.parametrize(("drawn", "size", "wins", "losses"), [(200, 600, 3, 0), (160, 1600, 8, 0), (200, 2000, 13, 2)])
def test_no_number_of_flips_makes_the_lower_end_too_high(
    drawn: int, size: int, wins: int, losses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 24 evenly spaced numbers of flips, up to 3.2 % were above it with one in between."""
    refused = round(paired_interval(wins, losses, drawn, size, 0.95)[0] * size) - 1
    monkeypatch.setattr(paired, "NUISANCES", 300)
    assert paired._tail(wins, losses, drawn, size, refused) < 0.026


def test_beyond_the_exact_part_the_score_interval_holds() -> None:
    drawn, size, runs = 240, 700, 3000
    assert drawn > paired.EXACT
    rng = np.random.default_rng(0)
    for wins, losses in ((200, 150), (60, 20), (5, 5), (350, 350), (650, 20)):
        found = rng.multivariate_hypergeometric([wins, losses, size - wins - losses], drawn, size=runs)
        kinds, counts = np.unique(found[:, :2], axis=0, return_counts=True)
        ends = np.array([paired_interval(int(one), int(other), drawn, size, 0.95) for one, other in kinds])
        true = (wins - losses) / size
        held = counts[(ends[:, 0] <= true) & (true <= ends[:, 1])].sum() / runs
        assert held > 0.95 - 3 * 0.004, (wins, losses, held)


def test_without_ties_it_is_wilson_s() -> None:
    low, high = paired_interval(180, 70, 250, 10**9, 0.95)
    quantile, share = normal_quantile(0.95), 180 / 250
    center, width = share + quantile**2 / 500, quantile * sqrt(share * (1 - share) / 250 + quantile**2 / (4 * 250**2))
    ends = [(center + side * width) / (1 + quantile**2 / 250) for side in (-1, 1)]
    assert (low, high) == pytest.approx([2 * end - 1 for end in ends], abs=1e-6)


def test_it_is_symmetric_and_ends_where_everything_is_drawn() -> None:
    for split in outcomes(6):
        low, high = paired_interval(*split, 6, 20, 0.95)
        assert paired_interval(split[1], split[0], 6, 20, 0.95) == pytest.approx((-high, -low))
        assert low <= (split[0] - split[1]) / 6 <= high
        value = (split[0] - split[1]) / 6
        assert paired_interval(*split, 6, 6, 0.95) == (value, value)


@pytest.mark.parametrize(("wins", "losses"), [(8, 1), (20, 9), (3, 3), (0, 5), (15, 40)])
def test_mcnemar_in_an_endless_pool_is_the_sign_test(wins: int, losses: int) -> None:
    expected = binomtest(wins, wins + losses).pvalue
    assert exact_mcnemar(wins, losses, 100, 10**8) == pytest.approx(expected, rel=1e-4)


def test_mcnemar_without_flips_is_no_evidence() -> None:
    assert exact_mcnemar(0, 0, 0, 10) == exact_mcnemar(0, 0, 9, 10) == exact_mcnemar(0, 0, 10, 10) == 1.0


@pytest.mark.parametrize(("size", "drawn", "flips"), [(30, 10, 30), (30, 10, 12), (30, 29, 30), (200, 25, 60)])
def test_mcnemar_errs_in_five_percent_at_most(size: int, drawn: int, flips: int) -> None:
    chance = chances(flips // 2, flips // 2, size, drawn)
    refused = np.array([exact_mcnemar(*split, drawn, size) <= 0.05 for split in outcomes(drawn)])
    assert chance[refused].sum() <= 0.05 + 1e-12


def test_where_the_test_sees_nothing_the_interval_holds_zero() -> None:
    for split in outcomes(12):
        low, high = paired_interval(*split, 12, 60, 0.95)
        if exact_mcnemar(*split, 12, 60) > 0.05:
            assert low <= 0 <= high
