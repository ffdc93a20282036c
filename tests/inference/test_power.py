"""The power of planned tests: against all that can be drawn."""

import numpy as np
import pytest
from scipy import stats

from adjudge.inference.mcnemar import exact_mcnemar
from adjudge.inference.power import McNemarPower, draws_for_mean


@pytest.mark.parametrize(("wins", "losses", "drawn"), [(12, 2, 9), (12, 2, 14), (9, 0, 7), (10, 6, 12)])
def test_the_power_of_draws_is_the_chance_of_all_that_the_test_rejects(wins: int, losses: int, drawn: int) -> None:
    every = wins + losses
    chance = stats.hypergeom(every, wins, drawn)
    expected = sum(
        float(chance.pmf(won))
        for won in range(drawn + 1)
        if 2 * won > drawn and exact_mcnemar(won, drawn - won, drawn, every) <= 0.05
    )
    assert McNemarPower(wins, losses, every, 0.05).power(drawn, every) == pytest.approx(expected)


def test_no_fewer_labels_have_the_power() -> None:
    pair = McNemarPower(wins=30, losses=8, differing=45, alpha=0.05)
    labels = pair.labels_for(0.8, 300)
    assert pair.power(labels, 300) >= 0.8 > pair.power(labels - 1, 300)


def test_the_draws_for_a_mean_are_those_of_the_paired_t_test() -> None:
    draws = draws_for_mean(0.3, 1.0, 0.05, 0.9, np.inf)
    critical = stats.t.ppf(0.975, draws - 1)
    power = stats.nct.sf(critical, draws - 1, 0.3 * np.sqrt(draws))
    assert power == pytest.approx(0.9, abs=0.005)
