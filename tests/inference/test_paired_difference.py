"""Two models on the rows of a log: what counts, and which interval is taken."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.errors import InputError, LabelsError, NotEnoughLabels
from adjudge.inference.paired_difference import EXACT_TEST, KNOWN, WEIGHTED, PairedDifference
from adjudge.losses.loss import ZeroOne
from tests.support.pools import pool_of, uniform_log

TRUTH = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
SAID = [[0, 0, 0, 1, 1, 1, 1, 0, 2, 1], [0, 0, 1, 1, 1, 0, 2, 1, 2, -1]]  # two to one, and one without an answer


def pair(labels: Labels) -> PairedDifference:
    return PairedDifference.of(pool_of(SAID), (0, 1), labels, ZeroOne())


def test_only_samples_that_both_predicted_count() -> None:
    found = pair(uniform_log(TRUTH, np.arange(10)))
    assert (found.samples, found.differing) == (9, 4)
    assert found.gain.tolist() == [0, 0, 1, 0, 0, 1, 1, -1, 0, 0]
    told = found.estimate(0.95)
    assert told.low == told.value == told.high == pytest.approx(2 / 9)
    assert (told.p_value, told.method) == (0, KNOWN)
    assert found.flip_shares() == pytest.approx((3 / 9, 1 / 9))


def test_labels_where_they_differ_are_enough() -> None:
    assert pair(uniform_log(TRUTH, np.array([2, 5, 6, 7]))).complete
    assert not pair(uniform_log(TRUTH, np.array([2, 5, 6]))).complete


def test_uniform_draws_are_tested_exactly_and_weighted_ones_are_not() -> None:
    log = uniform_log(TRUTH, np.array([0, 2, 3, 5]))
    assert pair(log).estimate(0.95).method == EXACT_TEST
    assert pair(replace(log, weight=np.array([1, 1.5, 1, 0.5]))).estimate(0.95).method == WEIGHTED


def test_without_draws_or_usable_labels_nothing_is_estimated() -> None:
    with pytest.raises(LabelsError, match="how these labels were chosen is not known"):
        pair(Labels.known(10, [0, 2], TRUTH[[0, 2]])).estimate(0.95)
    with pytest.raises(NotEnoughLabels, match="none of the 10 samples has a label"):
        pair(uniform_log(np.full(10, np.nan), np.arange(3))).estimate(0.95)
    with pytest.raises(InputError, match="have no prediction for the same sample"):
        PairedDifference.of(pool_of([[0, -1], [-1, 0]]), (0, 1), Labels.empty(2), ZeroOne())


def test_the_estimate_of_uniform_draws_is_the_same_at_any_time() -> None:
    """As far as the interval at any time holds it."""
    found = pair(uniform_log(TRUTH, np.array([2, 5, 0, 4])))
    fixed, anytime = (found.estimate(0.95, anytime=each) for each in (False, True))
    assert anytime.value == np.clip(fixed.value, anytime.low, anytime.high)
    assert anytime.high - anytime.low >= fixed.high - fixed.low
