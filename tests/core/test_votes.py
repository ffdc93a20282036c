"""Votes and agreement: against a plain count."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core import votes as votes_module
from adjudge.core.arrays import Array
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import vote_agreement, vote_and_agreement, votes
from adjudge.errors import MethodError
from tests.support.votes import matrices, pool_of


@given(matrices)
def test_votes_are_those_of_a_plain_count(values: Array) -> None:
    counted = votes(pool_of(values))
    for sample, column in enumerate(values.T):
        votes_for = Counter(code for code in column.tolist() if code >= 0)
        top = max(votes_for.values(), default=0)
        winners = [code for code, count in votes_for.items() if count == top]
        abstained = np.count_nonzero(column == -2)
        assert counted.present[sample] == votes_for.total() + abstained
        assert counted.top[sample] == top
        assert counted.tied[sample] == len(winners)
        assert counted.majority[sample] == min(winners, default=-1)
        assert counted.pairs[sample] == sum(count * (count - 1) for count in votes_for.values())
        assert counted.unanimous[sample] == (len(votes_for) + abstained <= 1)


@given(matrices, st.integers(0, 3), st.data())
def test_vote_share_splits_ties_and_takes_labels_as_the_whole_vote(
    values: Array, label: int, data: st.DataObject
) -> None:
    known = data.draw(st.integers(0, values.shape[1] - 1))
    labels = Labels.known(values.shape[1], [known], [label])
    expected = np.zeros(values.shape)
    for sample, column in enumerate(values.T):
        votes_for = Counter(code for code in column.tolist() if code >= 0)
        winners = [code for code, count in votes_for.items() if count == max(votes_for.values())]
        for model, code in enumerate(column):
            if code < 0:
                expected[model, sample] = np.nan if code == -1 else 0.0
            elif sample == known:
                expected[model, sample] = code == label
            else:
                expected[model, sample] = (code in winners) / len(winners)
    share = vote_agreement(pool_of(values), labels)
    for model, row in enumerate(expected):
        said = row[~np.isnan(row)]
        assert share[model] == pytest.approx(said.mean() if said.size else np.nan, nan_ok=True)


@given(matrices)
def test_blocks_do_not_change_the_vote(values: Array) -> None:
    """Nor does it matter whether the votes are counted already, or are counted for all they can tell."""
    pool, found = pool_of(values), []
    votes(pool)
    with pytest.MonkeyPatch.context() as patch:
        for each in (pool, pool_of(values), pool_of(values)):
            vote, agreeing = vote_and_agreement(each, np.random.default_rng(0))
            found.append(
                (vote.tolist(), agreeing.tolist(), vote_agreement(each, Labels.empty(values.shape[1])).round(9))
            )
            patch.setattr(votes_module, "BLOCK", 5)
    for vote, agreeing, share in found[1:]:
        assert (vote, agreeing) == found[0][:2]
        assert np.array_equal(share, found[0][2], equal_nan=True)


def test_many_classes() -> None:
    values = np.random.default_rng(0).integers(0, 60_000, (5, 40)).astype(np.int32)
    names = tuple(str(number) for number in range(60_000))
    pool = Predictions(values, tuple("abcde"), range(40), names)
    assert votes(pool).top.max() <= 5
    assert vote_agreement(pool, Labels.empty(40)) == pytest.approx(np.full(5, 0.2), abs=0.05)


def test_numbers_have_no_votes() -> None:
    with pytest.raises(MethodError, match="votes need classes"):
        votes(Predictions(np.array([[0.5]]), ("a",), range(1), None))
