"""Confusion matrices: against a plain count."""

import numpy as np

from adjudge.core.arrays import Array
from adjudge.methods.peers.confusion_scores import add_by_answer, add_by_table, confusion_counts, log_confusions

RNG = np.random.default_rng(0)
MODELS, GROUPS, CLASSES = 4, 30, 3
VALUES = RNG.integers(-1, CLASSES, (MODELS, GROUPS)).astype(np.int8)
SIZE = RNG.integers(1, 5, GROUPS).astype(np.float64)
CHANCE = RNG.dirichlet(np.ones(CLASSES), GROUPS)
POSTERIOR = (np.arange(0, GROUPS * CLASSES + 1, CLASSES), np.tile(np.arange(CLASSES), GROUPS), CHANCE.reshape(-1))


def counted() -> Array:
    table = np.zeros((MODELS, CLASSES, CLASSES))
    for (model, group), answer in np.ndenumerate(VALUES):
        if answer >= 0:
            table[model, answer] += SIZE[group] * CHANCE[group]
    return table


def test_counts_are_expected_numbers_of_samples() -> None:
    assert np.allclose(confusion_counts(VALUES, SIZE, *POSTERIOR, CLASSES), counted())


def test_each_class_is_answered_with_some_prediction() -> None:
    assert np.allclose(np.exp(log_confusions(counted())).sum(axis=1), 1)


def test_scores_do_not_depend_on_whether_all_matrices_are_held() -> None:
    whole = np.zeros(CLASSES)
    np.add.at(whole, POSTERIOR[1], POSTERIOR[2] * np.repeat(SIZE, CLASSES))
    held, not_held = np.zeros((2, GROUPS, CLASSES))
    add_by_table(VALUES, log_confusions(counted()), 0, held)
    add_by_answer(VALUES, SIZE, *POSTERIOR, whole, 0, not_held)
    assert np.allclose(held - held.mean(axis=1, keepdims=True), not_held - not_held.mean(axis=1, keepdims=True))
