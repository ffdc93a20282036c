"""Samples on which models split alike are one group: against a plain count."""

import numpy as np

from adjudge.core.predictions import MISSING
from adjudge.methods.ability.groups import company, group_samples, model_order
from tests.support.pools import pool_of

EVERY = np.ones(4, dtype=bool)


def test_names_of_classes_do_not_part_samples() -> None:
    pool = pool_of([[0, 1, 2, 0], [0, 1, 1, 0], [1, 2, 0, MISSING]])
    found = group_samples(pool, np.full(4, -1), EVERY, np.arange(3))
    assert found.group.tolist() == [found.group[0], found.group[0], found.group[2], found.group[3]]
    assert sorted(found.size.tolist()) == [1, 1, 2]
    assert found.said[found.group[0]].tolist() == [0, 0, 1]
    assert found.said[found.group[3]].tolist() == [0, 0, MISSING]


def test_a_label_parts_samples_and_tells_the_share_that_predicts_it() -> None:
    pool = pool_of([[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
    found = group_samples(pool, np.array([-1, 0, 1, 2]), EVERY, np.arange(3))
    truth, share = found.truth[found.group], found.share[found.group]
    assert truth.tolist() == [-1, 0, 1, 2]  # the third class is one that no model named
    assert np.allclose(share, [2 / 3, 2 / 3, 1 / 3, 0])


def test_company_counts_who_says_the_same() -> None:
    pool = pool_of([[0, 1], [0, 2], [0, MISSING]])
    same, square = company(pool, np.ones(2, dtype=bool))
    assert same.tolist() == [4, 4, 3]
    assert square.tolist() == [10, 10, 9]
    assert model_order(np.array([0.5, 0.5, 0.2]), np.array([same, square]))[0] == 2
