"""Expectation and maximization over groups of samples: by hand on a few of them."""

import numpy as np
import pytest

from adjudge.core.predictions import MISSING
from adjudge.methods.peers.confusions import group_samples
from tests.support.pools import pool_of

SAID = [[0, 0, 1, 2, MISSING], [0, 0, 1, 1, MISSING], [1, 1, 1, 0, MISSING]]


def test_equal_samples_are_one_group_and_empty_ones_none() -> None:
    groups = group_samples(pool_of(SAID), np.full(5, -1))
    assert sorted(groups.size.tolist()) == [1, 1, 2]
    assert groups.group[0] == groups.group[1]
    assert groups.group[4] == len(groups.size)
    assert groups.n_predicted == 12


def test_the_vote_is_the_share_of_each_class_and_a_label_has_all_of_it() -> None:
    known = np.array([-1, -1, -1, 2, -1])
    groups = group_samples(pool_of(SAID), known)
    chances = groups.for_samples(groups.vote())
    assert chances[0] == pytest.approx([2 / 3, 1 / 3, 0])
    assert chances[2] == pytest.approx([0, 1, 0])
    assert chances[3] == pytest.approx([0, 0, 1])


def test_the_accuracy_of_the_vote_is_the_mean_share_of_what_was_said() -> None:
    groups = group_samples(pool_of(SAID), np.full(5, -1))
    expected = [(2 / 3 + 2 / 3 + 1 + 1 / 3) / 4] * 2 + [(1 / 3 + 1 / 3 + 1 + 1 / 3) / 4]
    posterior = groups.vote()
    assert groups.expected_accuracy(posterior) == pytest.approx(expected)
    assert groups.counts(posterior, 0.0).expected_accuracy() == pytest.approx(expected)


def test_no_step_lowers_the_likelihood() -> None:
    values = np.random.default_rng(0).integers(0, 3, (5, 200))
    groups = group_samples(pool_of(values), np.full(200, -1))
    posterior, found = groups.vote(), []
    for _ in range(8):
        posterior, likelihood = groups.e_step(groups.counts(posterior, 0.0).m_step())
        found.append(likelihood)
    assert (np.diff(found) >= -1e-9).all()
