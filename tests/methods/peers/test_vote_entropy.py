import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import MethodError
from adjudge.methods.peers.vote_entropy import VoteEntropy
from adjudge.simulation.contract import example_pool
from tests.support.pools import handed_out

# votes 4:0, 2:2, 3:1, 1:1:1:1 and 1:1 among those who spoke
VALUES = np.array([[0, 0, 1, 0, 2], [0, 1, 1, 1, 3], [0, 0, 1, 2, -1], [0, 1, 0, 3, -1]])
POOL = Predictions(VALUES, tuple("abcd"), range(5), tuple("wxyz"))


def test_entropy_by_hand() -> None:
    quarters = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert VoteEntropy().entropy(POOL) == pytest.approx([0, np.log(2), quarters, np.log(4), np.log(2)])


def test_the_most_disputed_come_first_and_the_seed_breaks_ties() -> None:
    runs = {tuple(handed_out(VoteEntropy(), POOL, seed=seed).sample.tolist()) for seed in range(20)}
    assert runs == {(3, 1, 4, 2, 0), (3, 4, 1, 2, 0)}


def test_ties_do_not_follow_the_position() -> None:
    values = np.tile(np.array([[0], [1]]), (1, 500))
    pool = Predictions(values, ("a", "b"), range(500), ("x", "y"))
    first = [int(handed_out(VoteEntropy(), pool, 1, seed).sample[0]) for seed in range(40)]
    assert len(set(first)) > 30


def test_entropy_is_that_of_an_independent_count_over_several_blocks() -> None:
    from scipy.stats import entropy

    pool, _ = example_pool(models=7, samples=5000, classes=4)
    counts = np.stack([(pool.values == code).sum(axis=0) for code in range(4)])
    assert VoteEntropy().entropy(pool) == pytest.approx(entropy(counts), abs=1e-11)


def test_numbers_have_no_votes() -> None:
    pool = Predictions(np.array([[0.5, 1.0]]), ("a",), range(2), None)
    with pytest.raises(MethodError, match="votes need classes"):
        VoteEntropy().start(pool, Labels.empty(2), None, 0)
