import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.losses.loss import Cost, ZeroOne, default_loss
from adjudge.losses.numbers import Absolute, Squared


def test_zero_one_and_missing() -> None:
    losses = ZeroOne()(np.array([[0, 1, -1]]), np.array([0.0, 0.0, 0.0]))
    assert losses.tolist()[0][:2] == [0, 1]
    assert np.isnan(losses[0, 2])


def test_squared_and_absolute_are_shares_of_the_range() -> None:
    predicted, truth = np.array([[0.0, 5.0, np.nan]]), np.array([10.0, 5.0, 1.0])
    assert Squared(0, 10)(predicted, truth)[0, :2].tolist() == [1.0, 0.0]
    assert Squared(0, 10).max_loss == 100
    assert Absolute(0, 20)(predicted, truth)[0, 0] == 0.5
    assert np.isnan(Absolute(0, 20)(predicted, truth)[0, 2])


def test_outside_the_stated_range_is_an_error() -> None:
    with pytest.raises(InputError, match="a label of 7 is outside the stated range 0 to 5"):
        Squared(0, 5)(np.array([[1.0]]), np.array([7.0]))
    with pytest.raises(InputError, match="a prediction of -1 is outside"):
        Absolute(0, 5)(np.array([[-1.0]]), np.array([2.0]))
    with pytest.raises(InputError, match="range 5 to 5 is empty"):
        Squared(5, 5)
    with pytest.raises(InputError, match="values from 0 to 1e\\+300 are too far apart"):
        Squared(0, 1e300)


def test_costs_are_read_by_true_row_and_predicted_column() -> None:
    cost = Cost(np.array([[0.0, 4.0], [1.0, 0.0]]))
    assert cost(np.array([[1, 0, 1, -1]]), np.array([0, 1, 1, 0])).tolist()[0][:3] == [1.0, 0.25, 0.0]
    assert cost.max_loss == 4
    for bad, sentence in (
        (np.ones((2, 3)), "square"),
        (-np.ones((2, 2)), "not negative"),
        (np.zeros((2, 2)), "above zero"),
    ):
        with pytest.raises(InputError, match=sentence):
            Cost(bad)
    with pytest.raises(InputError, match="not among the 2 classes of the cost matrix"):
        cost(np.array([[0]]), np.array([2]))


def test_the_default_spans_all_values_seen() -> None:
    pool = Predictions(np.array([[0.5, 2.0, np.nan]]), ("a",), range(3), None)
    loss = default_loss(pool, Labels.known(3, [0], [-1.0]))
    assert isinstance(loss, Squared)
    assert (loss.low, loss.high) == (-1.0, 2.0)
    flat = default_loss(Predictions(np.array([[1.0]]), ("a",), range(1), None), Labels.empty(1))
    assert flat.max_loss == 1.0
