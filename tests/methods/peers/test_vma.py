from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import MethodError
from adjudge.methods.peers.vma import VMA
from adjudge.simulation.contract import example_pool
from tests.support.pools import handed_out


def plain_score(pool: Predictions) -> FloatArray:
    """Pair by pair, sample by sample: the definition."""
    score = np.zeros(len(pool.samples))
    for sample, said in enumerate(pool.values.T):
        if pool.probabilities is None:
            spoken = said[said >= 0]
            loss = {model: 1 - np.mean(spoken == code) for model, code in enumerate(said) if code >= 0}
        else:
            mean = pool.probabilities[:, sample].mean(axis=0)
            loss = {model: 1 - mean[code] for model, code in enumerate(said) if code >= 0}
        score[sample] = sum(abs(loss[one] - loss[other]) for one, other in combinations(loss, 2))
    return score


@pytest.mark.parametrize("soft", [False, True])
def test_the_sorted_form_is_the_sum_over_pairs(soft: bool) -> None:
    pool, _ = example_pool(models=9, samples=120, classes=4, seed=5)
    gaps = np.random.default_rng(1).random(pool.values.shape) < 0.2
    values = np.where(gaps, -1, pool.values)
    values[:, 0] = -1
    pool = replace(pool, values=values, probabilities=pool.probabilities if soft else None)
    assert VMA().score(pool) == pytest.approx(plain_score(pool))
    assert VMA().score(pool)[0] == 0


def test_disputed_samples_are_drawn_more_often_and_weigh_less() -> None:
    values = np.zeros((4, 200), dtype=np.int8)
    values[0, :20] = 1
    pool = Predictions(values, tuple("abcd"), range(200), ("x", "y"))
    log = handed_out(VMA(floor=0.5), pool, 20)
    disputed = log.sample < 20
    assert disputed.sum() > 7
    assert log.weight[disputed].max() < 1 < log.weight[~disputed].min()
    assert log.weight[~disputed].max() <= 2 * (1 + 1e-12)  # 1 / floor, while anything is in dispute
    assert log.seen.tolist() == list(range(20))


def test_a_floor_of_one_is_random_choice() -> None:
    pool, _ = example_pool()
    assert handed_out(VMA(floor=1), pool).weight == pytest.approx(np.ones(40))


def test_what_is_impossible_is_said() -> None:
    with pytest.raises(MethodError, match="vma has the floor 0; give a share"):
        VMA(floor=0)
    with pytest.raises(MethodError, match="votes need classes"):
        VMA().start(Predictions(np.ones((2, 3)), ("a", "b"), range(3), None), Labels.empty(3), None, 0)
