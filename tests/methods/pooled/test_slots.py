"""Slots of a sample: probabilities, entropies and sums against numpy."""

import numpy as np
import pytest
from scipy.special import softmax as expected_softmax

from adjudge.methods.pooled.slots import entropies, slots_of, softmax, sums_for_models, sums_for_samples

CLASSES, DRAWS = 5, 3
COLUMNS = np.array([[0, 2, 4], [1, 2, -1], [0, 3, 4]])
SLOTS = slots_of(COLUMNS, CLASSES)
RNG = np.random.default_rng(0)
WEIGHT, BIAS = RNG.normal(size=(3, DRAWS)).astype(np.float32), RNG.normal(size=(CLASSES, DRAWS)).astype(np.float32)


def every_probability() -> np.ndarray:
    """(samples, classes, draws)."""
    logits = np.tile(BIAS, (3, 1, 1)).astype(np.float64)
    for (model, sample), code in np.ndenumerate(COLUMNS):
        if code >= 0:
            logits[sample, code] += WEIGHT[model]
    return np.asarray(expected_softmax(logits, axis=1))


def probabilities() -> np.ndarray:
    offset = np.zeros((len(SLOTS.code), DRAWS), dtype=np.float32)
    return np.asarray(softmax(SLOTS.slot, SLOTS.code, SLOTS.first, WEIGHT, BIAS, offset))


def test_probabilities_are_those_of_all_classes() -> None:
    assert probabilities() == pytest.approx(every_probability()[SLOTS.sample, SLOTS.code], abs=1e-5)


def test_classes_without_a_slot_have_the_rest() -> None:
    found, every = entropies(probabilities(), SLOTS.first), every_probability()
    for sample in range(3):
        own = every[sample, SLOTS.code[SLOTS.sample == sample]]
        parts = np.vstack([own, 1 - own.sum(axis=0)])
        assert found[sample] == pytest.approx(-(parts * np.log(parts)).sum(axis=0), abs=1e-4)


def test_sums_go_over_slots_or_over_samples() -> None:
    value = np.arange(len(SLOTS.code), dtype=np.float32)[:, None]
    assert SLOTS.code.tolist() == [0, 1, 2, 3, 4]
    assert sums_for_samples(value, SLOTS.first)[:, 0].tolist() == [1, 5, 4]
    assert sums_for_models(SLOTS.slot, value, np.array([1, 2, 3]))[:, 0].tolist() == [0 + 4 + 12, 1 + 4, 0 + 6 + 12]
