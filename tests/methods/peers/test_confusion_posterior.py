"""Dirichlet confusion matrices after labels."""

import numpy as np
import pytest

from adjudge.core.predictions import MISSING
from adjudge.methods.peers.confusion_posterior import ConfusionPosterior
from tests.support.pools import pool_of

POOL = pool_of([[0, 1, 2, 0], [0, 1, 1, 0], [1, 1, 2, MISSING]])


def test_a_label_is_counted_as_right_or_wrong_where_there_is_a_prediction() -> None:
    before = ConfusionPosterior.before_labels(POOL, 0.9, 2.0)
    after = before.after(POOL, 3, 0, 0.5)
    assert (after.right - before.right)[:, 0] == pytest.approx([0.5, 0.5, 0])
    assert (after.wrong - before.wrong) == pytest.approx(np.zeros((3, 3)))
    after = before.after(POOL, 2, 2, 1.0)
    assert (after.right - before.right)[:, 2] == pytest.approx([1, 0, 1])
    assert (after.wrong - before.wrong)[:, 2] == pytest.approx([0, 1, 0])


def test_probabilities_add_up_and_are_uniform_where_nobody_said_anything() -> None:
    found = ConfusionPosterior.before_labels(pool_of([[0, MISSING], [1, MISSING]]), 0.9, 2.0)
    assert found.sample_probability.sum(axis=1) == pytest.approx(1)
    assert found.sample_probability[1] == pytest.approx([1 / 3] * 3)
    assert found.class_probability.sum() == pytest.approx(1)


def test_labels_raise_the_accuracy_of_whoever_was_right() -> None:
    before = ConfusionPosterior.before_labels(POOL, 0.9, 2.0)
    mean, variance = before.accuracy()
    later, _ = before.after(POOL, 2, 2, 1.0).accuracy()
    assert (later[[0, 2]] > mean[[0, 2]]).all()
    assert later[1] < mean[1]
    assert (variance > 0).all()
