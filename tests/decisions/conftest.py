"""A pool that several tests of comparisons share."""

import pytest

from tests.support.compared import Pool, compared_pool


@pytest.fixture(scope="session")
def pool() -> Pool:
    """Five models on 300 samples, and the truth."""
    return compared_pool()
