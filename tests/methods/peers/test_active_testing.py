from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from adjudge import registry
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, MethodError
from adjudge.methods.peers.active_testing import ActiveTesting
from adjudge.simulation import contract as checks
from adjudge.simulation.contract import example_pool

# all say x; two say x and one y; one says x, one y; nobody says anything
VALUES = np.array([[0, 0, 0, -1], [0, 0, 1, -1], [0, 1, -1, -1]])
POOL = Predictions(VALUES, tuple("abc"), range(4), ("x", "y"))


def test_score_by_hand() -> None:
    assert ActiveTesting().score(POOL) == pytest.approx([0, 4 / 9, 1 / 2, 0])
    assert ActiveTesting(model="c").score(POOL) == pytest.approx([0, 2 / 3, 0, 0])


def test_probabilities_count_where_they_are_given() -> None:
    pool, _ = example_pool(models=4, samples=30, seed=2)
    assert pool.probabilities is not None
    mean = pool.probabilities.mean(axis=0)
    wrong = 1 - np.array([mean[np.arange(30), said] for said in pool.values])
    assert ActiveTesting().score(pool) == pytest.approx(wrong.mean(axis=0))
    assert ActiveTesting(model="model 2").score(pool) == pytest.approx(wrong[2])
    unknown = np.array(pool.probabilities)
    unknown[1, 7] = np.nan
    mean[7] = pool.probabilities[[0, 2, 3], 7].mean(axis=0)
    assert ActiveTesting(model="model 0").score(replace(pool, probabilities=unknown))[7] == pytest.approx(
        1 - mean[7, pool.values[0, 7]]
    )


def test_draws_have_the_chance_that_their_weight_says() -> None:
    labels = Labels.empty(4).add(Pick(1), 0)
    score = np.array([0, 1 / 2, 0])
    chance = dict(zip((0, 2, 3), 0.8 * score / score.sum() + 0.2 / 3, strict=True))
    runs = 3000
    drawn = [ActiveTesting(floor=0.2).start(POOL, labels, None, seed)(labels) for seed in range(runs)]
    counts = Counter(pick.sample for pick in drawn if pick)
    for pick in drawn:
        assert pick is not None
        assert pick.weight == pytest.approx(1 / (3 * chance[pick.sample]))
        assert pick.seen == 1
        assert pick.max_weight == pytest.approx(1 / 0.2)  # of the samples without a score, which the floor alone draws
    for sample, expected in chance.items():
        error = np.sqrt(expected * (1 - expected) / runs)
        assert abs(counts[sample] / runs - expected) < 4 * error


def test_where_nothing_is_in_dispute_draws_are_uniform() -> None:
    pool = Predictions(np.zeros((3, 9), dtype=np.int8), tuple("abc"), range(9), ("x", "y"))
    pick = ActiveTesting().start(pool, Labels.empty(9), None, 0)(Labels.empty(9))
    assert pick is not None
    assert pick.weight == pytest.approx(1)
    assert pick.max_weight == pytest.approx(1)


@pytest.mark.slow
def test_the_errors_of_one_model_are_found_without_bias() -> None:
    checks.check_selector(lambda: ActiveTesting(model="model 0"))


def test_what_is_impossible_is_said() -> None:
    with pytest.raises(InputError, match=r"no model 'd'; the models are 'a', 'b', 'c'"):
        ActiveTesting(model="d").start(POOL, Labels.empty(4), None, 0)
    for floor in ("0", "1.5"):
        with pytest.raises(MethodError, match=f"active-testing has the floor {floor}"):
            registry.selector("active-testing", {"floor": floor})
