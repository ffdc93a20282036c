"""Simultaneous ranks: what is shown about pairs of models comes before what is preferred."""

from dataclasses import dataclass

import numpy as np
import pytest

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.inference import ranks as comparison
from adjudge.inference.ranks import Interval, SimultaneousRanks, simultaneous_ranks
from adjudge.losses.loss import ZeroOne


@dataclass(frozen=True, eq=False)
class Shown:
    """Differences whose certainty is given by hand."""

    error: FloatArray
    shown: BoolArray  # (models, models)

    def between(self, left: Array, right: Array) -> Interval:
        value = self.error[left][:, None] - self.error[right]
        return value, value, value

    def worse(self, left: Array, right: Array) -> BoolArray:
        return np.asarray(self.shown[np.ix_(left, right)])


def found(error: FloatArray, pairs: list[tuple[int, int]], prefer: list[float]) -> SimultaneousRanks:
    shown = np.zeros((len(error), len(error)), dtype=bool)
    for worse, better in pairs:
        shown[worse, better] = True
    return simultaneous_ranks(Shown(error, shown), error, ZeroOne(), 0.95, anytime=False, sort_key=-np.array(prefer))


ERROR = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
BELOW = [(4, better) for better in range(4)]  # the last one is in a tier of its own


def test_a_model_shown_to_be_worse_than_another_comes_after_it() -> None:
    answer = found(ERROR, [(2, 0), *BELOW], [0.5, 0.6, 0.9, 0.7, 1.0])
    assert answer.tier is not None
    assert answer.tier.tolist() == [1, 1, 1, 1, 2]  # since the fourth is not shown to be worse than the first
    assert answer.rank.tolist() == [3, 2, 4, 1, 5]
    assert answer.rank_low is not None
    assert answer.rank_high is not None
    assert ((answer.rank_low <= answer.rank) & (answer.rank <= answer.rank_high)).all()


def test_with_too_many_models_for_all_pairs_the_order_is_what_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "MANY", 3)
    answer = found(ERROR, [(2, 0), *BELOW], [0.5, 0.6, 0.9, 0.7, 0.2])
    assert answer.rank.tolist() == [4, 3, 1, 2, 5]
    assert answer.tier is not None
    assert answer.tier.tolist() == [1, 1, 1, 1, 2]
    assert answer.rank_low is None


def test_a_model_shown_to_be_worse_than_another_waits_only_for_that_one() -> None:
    answer = found(ERROR, [(2, 1), *BELOW], [0.5, 0.6, 0.9, 0.7, 1.0])
    assert answer.rank.tolist() == [4, 2, 3, 1, 5]


def test_what_is_preferred_alike_shares_a_rank_unless_it_is_shown_to_be_worse() -> None:
    assert found(ERROR, BELOW, [0.5, 0.6, 0.6, 0.5, 1.0]).rank.tolist() == [3, 1, 1, 3, 5]
    assert found(ERROR, [(2, 1), *BELOW], [0.5, 0.6, 0.6, 0.5, 1.0]).rank.tolist() == [3, 1, 2, 3, 5]


def test_a_model_of_which_nothing_is_known_is_last() -> None:
    error = np.append(ERROR, np.nan)
    assert found(error, BELOW, [0.5, 0.6, 0.7, 0.8, 0.9, np.nan]).rank.tolist() == [4, 3, 2, 1, 5, 6]
