import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.arrays import Array
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import MethodError
from adjudge.methods.baselines.majority import Majority
from adjudge.simulation.contract import check_ranker, example_pool
from tests.support.pools import pool_of


def value_of(rows: list[list[int]] | Array, labels: Labels | None = None, *, lowest_code: bool = False) -> list[float]:
    pool = pool_of(rows)
    log = labels or Labels.empty(pool.values.shape[1])
    return [float(value) for value in Majority(lowest_code).rank(pool, log).estimate.value]


def test_a_clear_vote_is_the_truth() -> None:
    assert value_of([[0, 1, 2], [0, 1, 1], [1, 1, 2]]) == pytest.approx([1, 2 / 3, 2 / 3])


def test_a_tied_vote_is_won_by_the_class_with_the_stronger_voters() -> None:
    rows = [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 1, 0]]  # the first sample is tied
    assert value_of(rows) == pytest.approx([1, 1, 0.5, 0.25])
    assert value_of(rows, lowest_code=True) == pytest.approx([0.75, 0.75, 0.75, 0.5])


def test_a_vote_that_stays_tied_is_split() -> None:
    assert value_of([[0, 1], [1, 1]]) == pytest.approx([0.75, 0.75])
    assert value_of([[0, 1], [1, 1]], lowest_code=True) == pytest.approx([1, 0.5])
    assert value_of([[0], [1], [2]]) == pytest.approx([1 / 3, 1 / 3, 1 / 3])


def test_a_bought_label_wins() -> None:
    rows = [[1, 0, 0], [1, 0, 2], [0, 0, 1]]
    assert value_of(rows, Labels.known(3, [0, 2], [0, 1])) == pytest.approx([1 / 3, 1 / 3, 1])
    assert value_of(rows, Labels.known(3, [0], [2])) == pytest.approx([4 / 9] * 3)  # nobody gave it


def test_a_missing_prediction_counts_for_nothing() -> None:
    value = value_of([[0, 1, -1], [0, -1, -1], [0, 1, -1], [-1, -1, -1]])
    assert value[:3] == [1, 1, 1]
    assert np.isnan(value[3])


def test_numbers_are_refused() -> None:
    pool = Predictions(np.array([[0.5, 0.2]]), ("a",), range(2), None)
    with pytest.raises(MethodError, match="votes need classes"):
        Majority().rank(pool, Labels.empty(2))


@pytest.mark.parametrize("models", [2, 4])
def test_the_contract_holds_where_votes_are_often_tied(models: int) -> None:
    check_ranker(Majority)
    pool, _ = example_pool(models=models, samples=200, classes=4, seed=models)
    code = np.array([2, 0, 3, 1])
    plain = Majority().rank(pool, Labels.empty(200)).estimate.value
    renamed = Majority().rank(pool_of(code[pool.values], 4), Labels.empty(200)).estimate.value
    assert renamed == pytest.approx(plain, abs=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 7), st.integers(1, 12))
def test_the_winner_is_that_of_a_count_by_hand(seed: int, models: int, samples: int) -> None:
    values = np.random.default_rng(seed).integers(-1, 3, size=(models, samples))
    counts = np.stack([(values == code).sum(axis=0) for code in range(3)])
    tied = counts == counts.max(axis=0)
    said = (values >= 0).sum(axis=1)
    share = np.where(values >= 0, np.take_along_axis(tied / tied.sum(axis=0), np.maximum(values, 0), axis=0), 0)
    strength = share.sum(axis=1) / np.maximum(said, 1)
    expected = np.zeros(models)
    for sample, row in enumerate(values.T):
        ties = [code for code in range(3) if tied[code, sample]]
        backing = {code: strength[row == code].sum() for code in ties}
        winners = [code for code in ties if backing[code] > max(backing.values()) - 1e-9]
        expected += np.where(row >= 0, np.isin(row, winners) / len(winners), 0)
    found = np.array(value_of(values))
    assert found[said > 0] == pytest.approx(expected[said > 0] / said[said > 0])
    assert np.isnan(found[said == 0]).all()
