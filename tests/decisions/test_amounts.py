"""Losses as people say them."""

import pytest

from adjudge.decisions.amounts import points


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (0.2, "20 points"),
        (0.0999, "10 points"),
        (0.0991, "10 points"),
        (0.099, "9.9 points"),
        (0.07, "7 points"),
        (0.01001, "1.1 points"),
        (0.01, "1 point"),
        (0.009999, "1 point"),
        (0.0001, "0.01 points"),
    ],
)
def test_points_are_rounded_up_once(loss: float, words: str) -> None:
    assert points(loss, "accuracy") == words
