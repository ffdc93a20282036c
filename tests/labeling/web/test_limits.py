"""Limits of guesses."""

import pytest

from adjudge.labeling.web.limits import Attempts

pytestmark = pytest.mark.usefixtures("cheap")


def test_a_place_has_few_guesses_whatever_the_names() -> None:
    attempts = Attempts()
    tried = [attempts.begin("192.0.2.1", f"name {number}") for number in range(30)]
    assert tried == [True] * 20 + [False] * 10
    assert attempts.begin("192.0.2.2", "name 1")
    network = [attempts.begin(f"2001:db8::{number}", f"name {number}") for number in range(30)]
    assert sum(network) == 20
