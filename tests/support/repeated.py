"""How often a simulation is repeated: some times by `make test`, as often as its figures ask for by `make honesty`."""

import pytest


def repeated(few: int, many: int) -> pytest.MarkDecorator:
    """Call the test with `repeats`; bands around what is expected are as wide as so few repetitions make them."""
    return pytest.mark.parametrize("repeats", [few, pytest.param(many, marks=pytest.mark.honesty)])
