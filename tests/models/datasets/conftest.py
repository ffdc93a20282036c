"""Images that several tests of datasets share."""

import numpy as np
import pytest

from adjudge.core.arrays import Array


@pytest.fixture
def pictures() -> Array:
    return np.random.default_rng(0).integers(0, 256, (5, 6, 8, 3), dtype=np.uint8)
