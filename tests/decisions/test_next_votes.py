"""Which pairs to vote on next: those that make the open differences most precise."""

import numpy as np

from adjudge.decisions.next_votes import telling_pairs, votes_needed, with_samples
from adjudge.inference.bradley_terry import Strengths, Votes, fit_strengths


def chain(votes: int = 40) -> Strengths:
    """Three models in a row: 0 against 1, and 1 against 2, but never 0 against 2."""
    first, second = np.tile([0, 1], votes), np.tile([1, 2], votes)
    won = np.tile([1.0, 1.0, 0.0, 1.0, 0.5, 0.0], votes)[: 2 * votes]
    return fit_strengths(Votes(3, first, second, won, np.arange(2 * votes)))


def test_the_open_pair_itself_tells_most_about_it() -> None:
    assert telling_pairs(chain(), [(0, 2)], 1) == [(0, 2)]


def test_nothing_open_means_nothing_to_ask() -> None:
    assert telling_pairs(chain(), [], 3) == []


def test_votes_that_follow_lower_the_variance_more_than_others() -> None:
    strengths = chain()
    asked = telling_pairs(strengths, [(0, 1), (0, 2)], 30)
    rng = np.random.default_rng(0)
    others = [tuple(rng.choice(3, 2, replace=False).tolist()) for _ in range(30)]

    def after(pairs: list[tuple[int, int]]) -> float:
        old, (left, right) = strengths.votes, np.array(pairs).T
        won = np.tile([1.0, 0.0], len(pairs))[: len(pairs)]
        more = Votes(
            3,
            np.append(old.first, left),
            np.append(old.second, right),
            np.append(old.won, won),
            np.arange(len(old.won) + len(pairs)),
        )
        found = fit_strengths(more)
        return float(np.sum(np.diag(found.naive)[[1, 2]] + found.naive[0, 0] - 2 * found.naive[0, [1, 2]]))

    assert after(asked) < after(others)


def test_the_same_strengths_from_more_votes_need_fewer() -> None:
    few, many = (votes_needed(chain(count), [(1, 2)], 0.95, 3) for count in (15, 30))
    assert few > many > 0


def test_equal_models_need_more_votes_than_anybody_gives() -> None:
    assert np.isinf(votes_needed(chain(), [(0, 1)], 0.95, 3))


def test_a_pair_that_was_asked_about_everywhere_has_no_sample() -> None:
    votes = Votes(2, np.array([0, 0]), np.array([1, 1]), np.array([1.0, 0.0]), np.array([0, 1]))
    found = list(with_samples([(0, 1)], votes, ("x", "y"), ("s", "t")))
    assert [(each.model_a, each.model_b, each.sample) for each in found] == [("x", "y", None)]
