"""Expected accuracies: exact where all is known."""

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import ABSTAINED, MISSING, Predictions
from adjudge.methods.pooled.expected_accuracy import accuracies, expected_accuracy
from tests.support.pools import pool_of

TRUTH = np.array([0, 1, 2, 0, 1])
POOL = pool_of([[0, 1, 2, 0, 0], [0, 1, 1, 0, 1], [1, 1, 2, 2, 0]])


def test_all_labels_give_the_accuracies() -> None:
    assert expected_accuracy(POOL, Labels.complete(TRUTH)) == pytest.approx([0.8, 0.8, 0.4])


def test_labels_are_known_and_the_rest_is_expected() -> None:
    labels = Labels.known(5, [0, 2], TRUTH[[0, 2]])
    assert accuracies(POOL, labels, np.array([[2.5, 1.5, 1.0]])) == pytest.approx([0.9, 0.5, 0.4])


def test_a_model_without_a_prediction_has_no_accuracy() -> None:
    pool = pool_of([[0, 1, 2, 0, 0], [0, 1, 1, 0, 1], [MISSING] * 5])
    found = expected_accuracy(pool, Labels.complete(TRUTH))
    assert found[:2] == pytest.approx([0.8, 0.8])
    assert np.isnan(found[2])


def test_models_that_only_abstain_or_lack_predictions_are_right_about_nothing() -> None:
    values = np.array([[ABSTAINED] * 5, [ABSTAINED - 1] * 5])
    values[1, 2] = MISSING
    pool = Predictions(values, ("a", "b"), range(5), ("x", "y"), abstain=("none",))
    assert expected_accuracy(pool, Labels.empty(5)) == pytest.approx([0, 0])
