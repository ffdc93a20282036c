"""The vote of all models but one."""

from collections import Counter

import numpy as np
from hypothesis import given

from adjudge.core.arrays import Array
from adjudge.core.votes import votes
from adjudge.decisions.vote_of_others import vote_of_others, vote_without_a_backer
from tests.support.screened import crowd, patient, pool, pools


@patient
@given(pools)
def test_vote_of_the_others(values: Array) -> None:
    predictions = pool(values, classes=3)
    counted = votes(predictions)
    left = vote_without_a_backer(predictions, counted)
    for model, row in enumerate(values):
        expected = []
        for sample, code in enumerate(row):
            others = Counter(c for m, c in enumerate(values[:, sample].tolist()) if m != model and c >= 0)
            most = [c for c, count in others.items() if count == max(others.values())]
            expected.append(most[0] if code >= 0 and len(most) == 1 else -1)
        found = vote_of_others(row, counted.majority, counted.tied, left)
        assert found.tolist() == expected


def test_votes_are_counted_across_blocks_of_samples() -> None:
    values = crowd(np.random.default_rng(0), np.full(6, 0.5), samples=9000, classes=3)
    predictions = pool(values, classes=3)
    left = vote_without_a_backer(predictions, votes(predictions))
    parts = [pool(values[:, start : start + 1000], classes=3) for start in range(0, 9000, 1000)]
    assert left.tolist() == [code for part in parts for code in vote_without_a_backer(part, votes(part)).tolist()]
