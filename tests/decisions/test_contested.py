import numpy as np

from adjudge.core.predictions import MISSING, Predictions
from adjudge.decisions.contested import answers_about, most_contested


def test_the_samples_on_which_models_differ_most_come_first() -> None:
    values = np.array([[0, 0, 0, 0], [0, 1, 1, 0], [0, 2, 0, MISSING]])
    pool = Predictions(values, tuple("abc"), range(4), ("x", "y", "z"))
    assert most_contested(pool, 10).tolist() == [1, 2]
    assert most_contested(pool, 1).tolist() == [1]
    assert answers_about(pool, 3) == [("x", ["a", "b"]), (None, ["c"])]


def test_numbers_differ_by_their_spread() -> None:
    pool = Predictions(np.array([[1.0, 5.0, 2.0], [1.0, 9.0, np.nan], [1.0, 7.0, 3.5]]), tuple("abc"), range(3), None)
    assert most_contested(pool, 10).tolist() == [1, 2]
    assert answers_about(pool, 2) == [("2", ["a"]), (None, ["b"]), ("3.5", ["c"])]
