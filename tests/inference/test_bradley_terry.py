"""Strengths from votes on pairs: values that are known, intervals that hold, and what no vote bounds."""

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray
from adjudge.inference.bradley_terry import Votes, fit_strengths, win_chance, win_shares
from tests.support.repeated import repeated


def votes_of(models: int, *rows: tuple[int, int, float, int]) -> Votes:
    """Rows of first, second, what the first won, and how often."""
    first, second, won = np.array([row[:3] for row in rows for _ in range(row[3])]).T
    return Votes(models, first.astype(int), second.astype(int), won, np.arange(len(won)))


def simulated(
    strength: FloatArray, votes: int, rng: np.random.Generator, ties: float = 0.0, each: int = 1, spread: float = 0.0
) -> Votes:
    """`each` votes on a sample, on which all strengths are off by numbers with this standard deviation."""
    models = len(strength)
    first = rng.integers(0, models, votes)
    second = (first + rng.integers(1, models, votes)) % models
    sample = np.arange(votes) // each
    off = spread * rng.standard_normal((sample[-1] + 1, models))
    chance = win_chance((strength + off)[sample, first] - (strength + off)[sample, second])
    won = (rng.random(votes) < chance).astype(float)
    won[rng.random(votes) < 2 * ties * np.sqrt(chance * (1 - chance))] = 0.5
    return Votes(models, first, second, won, sample)


def test_two_models_have_the_log_odds_of_their_wins_with_half_a_win_added_to_each() -> None:
    found = fit_strengths(votes_of(2, (0, 1, 1.0, 7), (1, 0, 1.0, 2), (0, 1, 0.5, 2)))
    assert found.value[0] - found.value[1] == pytest.approx(np.log(8.5 / 3.5), abs=1e-8)
    assert found.value.mean() == pytest.approx(0)


def test_the_side_on_which_a_model_stands_makes_no_difference() -> None:
    rng = np.random.default_rng(0)
    votes = simulated(np.array([1.0, 0.0, -0.5]), 80, rng)
    turned = Votes(3, votes.second, votes.first, 1 - votes.won, votes.cluster)
    assert fit_strengths(votes).value == pytest.approx(fit_strengths(turned).value)
    assert fit_strengths(votes).covariance == pytest.approx(fit_strengths(turned).covariance)


def test_many_votes_find_the_strengths() -> None:
    strength = np.array([1.5, 0.5, 0.0, -2.0])
    found = fit_strengths(simulated(strength, 40_000, np.random.default_rng(1)))
    assert found.value == pytest.approx(strength, abs=0.08)


@pytest.mark.parametrize(
    ("models", "votes", "ties", "each", "spread"),
    [(6, 60, 0.0, 1, 0.0), (6, 200, 0.6, 1, 0.0), (6, 200, 0.0, 5, 1.0), (10, 100, 0.3, 1, 0.0)],
)
@repeated(150, 1500)
def test_intervals_of_differences_hold(
    models: int, votes: int, ties: float, each: int, spread: float, repeats: int
) -> None:
    """Few votes, many ties, and several votes on samples that go together; the truth is that of very many votes."""
    strength, rng = np.linspace(0.8, -0.8, models), np.random.default_rng(2)
    exact = not (ties or spread)
    truth = strength if exact else fit_strengths(simulated(strength, 300_000, rng, ties, each, spread)).value
    left, right = np.triu_indices(models, 1)
    held = []
    for _ in range(repeats):
        drawn = simulated(strength, votes, rng, ties, each, spread)
        if drawn.groups.any():
            continue
        _, low, high = fit_strengths(drawn).differences(left, right, 0.95)
        held.append(((low <= truth[left] - truth[right]) & (truth[left] - truth[right] <= high)).mean())
    error = 3 * np.std(held) / np.sqrt(len(held))
    assert 0.94 - error < np.mean(held) < 0.975 + error


def test_votes_on_one_sample_that_go_together_count_less() -> None:
    rng = np.random.default_rng(3)
    votes = simulated(np.array([0.3, -0.3]), 400, rng, each=10, spread=2.0)
    apart = Votes(2, votes.first, votes.second, votes.won, np.arange(400))
    together, alone = (fit_strengths(each).covariance[0, 0] for each in (votes, apart))
    assert together > 1.5 * alone


def test_a_model_that_won_all_of_its_votes_has_a_finite_strength_and_an_open_end() -> None:
    found = fit_strengths(votes_of(3, (0, 1, 1.0, 6), (0, 2, 1.0, 4), (1, 2, 1.0, 3), (2, 1, 1.0, 2)))
    assert np.isfinite(found.value).all()
    value, low, high = found.differences(np.array([0, 1, 1]), np.array([1, 0, 2]), 0.95)
    assert np.isfinite(value).all()
    assert np.isinf(high).tolist() == [True, False, False]
    assert np.isinf(low).tolist() == [False, True, False]


def test_a_tie_bounds_both_sides() -> None:
    found = fit_strengths(votes_of(2, (0, 1, 1.0, 6), (0, 1, 0.5, 1)))
    assert all(np.isfinite(each).all() for each in found.differences(np.array([0]), np.array([1]), 0.95))


def test_models_that_nobody_compared_are_in_groups_of_their_own() -> None:
    votes = votes_of(5, (0, 1, 1.0, 3), (1, 2, 0.5, 1), (3, 4, 0.0, 2))
    assert len(set(votes.groups[:3].tolist())) == 1
    assert len(set(votes.groups.tolist())) == 2
    inside = votes.among(votes.groups == votes.groups[3])
    assert (inside.models, inside.first.tolist(), inside.second.tolist()) == (2, [0, 0], [1, 1])


def test_win_shares_count_ties_as_half() -> None:
    share, low, high = win_shares(votes_of(3, (0, 1, 1.0, 6), (1, 0, 1.0, 2), (0, 1, 0.5, 2)), 0.95)
    assert share[:2] == pytest.approx([0.7, 0.3])
    assert np.isnan(share[2])
    assert ((low < share) & (share < high))[:2].all()


@repeated(300, 3000)
def test_intervals_of_win_shares_hold(repeats: int) -> None:
    rng, strength = np.random.default_rng(4), np.array([0.7, 0.0, -0.7])
    truth = win_shares(simulated(strength, 300_000, rng, 0.3, 5, 1.0), 0.95)[0]
    ends = [win_shares(simulated(strength, 120, rng, 0.3, 5, 1.0), 0.95)[1:] for _ in range(repeats)]
    held = np.mean([(low <= truth) & (truth <= high) for low, high in ends])
    assert held == pytest.approx(0.95, abs=0.02 + 3 * np.sqrt(0.05 * 0.95 / repeats))


@pytest.mark.parametrize("losers", [1, 2, 3])
def test_the_winner_of_every_vote_comes_first(losers: int) -> None:
    """Firth's penalty is worth a vote for each way here; log 3 is what one win of one becomes."""
    first, second = np.zeros(losers, dtype=np.int64), np.arange(1, losers + 1)
    found = fit_strengths(Votes(losers + 1, first, second, np.ones(losers), np.arange(losers)))
    assert found.value[0] - found.value[1:] == pytest.approx(np.log(3))
