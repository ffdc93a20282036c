"""On how many samples models differ: as a plain count has it."""

import numpy as np

from adjudge.core.predictions import MISSING, Predictions
from adjudge.inference.draws import Draws, draws_by_stratum
from adjudge.inference.prediction_overlap import PredictionOverlap, n_predicted_in, pairs_of
from tests.support.pools import pool_of, uniform_log


def overlap_of(values: list[list[int]]) -> tuple[Predictions, PredictionOverlap, Draws]:
    pool = pool_of(values)
    log = uniform_log(np.zeros(len(pool.samples)), np.array([0, 3]))
    (draws,) = draws_by_stratum(pool, log)
    return pool, PredictionOverlap(pool, log.sample), draws


def test_a_missing_prediction_differs_from_any_other() -> None:
    _, overlap, draws = overlap_of([[0, 1, 2, 0], [0, 1, 1, 0], [0, 1, MISSING, 0], [0, 1, 2, 0]])
    left, right = pairs_of(np.arange(4), np.arange(4))
    found = overlap.disagreements(draws, left, right).reshape(4, 4)
    assert found.tolist() == [[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]]
    assert overlap.disagreements(draws, right, left).reshape(4, 4).tolist() == found.T.tolist()  # from the cache


def test_models_with_equal_predictions_are_of_one_group() -> None:
    _, overlap, draws = overlap_of([[0, 1, 2, 0], [0, 1, 1, 0], [0, 1, 2, 0]])
    first, second, third = overlap.groups(draws).tolist()
    assert first == third != second


def test_predictions_of_a_stratum_are_counted_for_each_model() -> None:
    pool, overlap, draws = overlap_of([[0, 1, 2, 0], [0, MISSING, MISSING, 0]])
    assert n_predicted_in(pool, np.arange(2), draws).tolist() == [4, 2]
    only_left, only_right = overlap.only_one(draws, np.array([0]), np.array([1]))
    assert (only_left.tolist(), only_right.tolist()) == ([2], [0])
