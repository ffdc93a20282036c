from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, MethodError
from adjudge.methods.papers.deepgini import DDG, RDG, impurity
from adjudge.simulation.contract import example_pool
from tests.support.pools import handed_out

PROBABILITIES = np.array([[[1.0, 0.0], [0.5, 0.5], [0.9, 0.1]], [[0.8, 0.2], [0.6, 0.4], [1.0, 0.0]]])
POOL = Predictions(np.zeros((2, 3), dtype=np.int8), ("a", "b"), range(3), ("x", "y"), PROBABILITIES)


def first_picks(selector: DDG | RDG, pool: Predictions, rows: int, seed: int = 0) -> list[int]:
    return list(handed_out(selector, pool, rows, seed).sample)


def test_impurity_by_hand() -> None:
    assert impurity(POOL, "max") == pytest.approx([0.32, 0.5, 0.18])
    assert impurity(POOL, "min") == pytest.approx([0.0, 0.48, 0.0])


def test_a_model_without_probabilities_for_a_sample_does_not_count() -> None:
    probabilities = np.array(PROBABILITIES)
    probabilities[0, 1] = np.nan
    assert impurity(replace(POOL, probabilities=probabilities), "max") == pytest.approx([0.32, 0.48, 0.18])


def test_ddg_takes_the_highest_first_whatever_the_seed() -> None:
    assert first_picks(DDG(), POOL, 3) == first_picks(DDG(), POOL, 3, seed=9) == [1, 0, 2]


def test_rdg_picks_at_random_among_the_quarter() -> None:
    pool, _ = example_pool(models=3, samples=80, seed=1)
    top = set(np.argsort(-impurity(pool, "max"), kind="stable")[:20].tolist())
    runs = {tuple(first_picks(RDG(), pool, 20, seed)) for seed in range(3)}
    assert len(runs) == 3
    assert all(set(run) == top for run in runs)
    assert set(first_picks(RDG(candidates=0.5), pool, 40)) > top


def test_what_is_missing_or_impossible_is_said() -> None:
    with pytest.raises(MethodError, match="DeepGini needs the probabilities of each class"):
        DDG().start(replace(POOL, probabilities=None), Labels.empty(3), None, 0)
    with pytest.raises(InputError, match="is 'mean'; give 'max' or 'min'"):
        DDG(over="mean").start(POOL, Labels.empty(3), None, 0)
    with pytest.raises(InputError, match="`candidates` of rdg"):
        RDG(candidates=0)
