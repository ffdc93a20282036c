"""What corruptions are made of: against scipy and by hand."""

import numpy as np
import pytest
from scipy import ndimage

from adjudge.models.corruptions.chance import keys_of
from adjudge.models.corruptions.filters import clouds, filtered, gaussian, pulled, streaks

IMAGES = np.random.default_rng(0).random((2, 9, 8, 3)).astype(np.float32)


def test_weighted_sums_of_neighbors_are_those_of_scipy() -> None:
    weights = np.random.default_rng(1).random((1, 3, 3))
    expected = ndimage.correlate(IMAGES, weights[0][None, :, :, None], mode="mirror")
    assert filtered(IMAGES, weights) == pytest.approx(expected, abs=1e-5)


def test_blur_and_lines_change_no_even_image() -> None:
    even = np.full((1, 8, 8, 1), 0.3, dtype=np.float32)
    assert gaussian(even, 1.3) == pytest.approx(even, abs=1e-6)
    assert streaks(np.array([0.0, 0.4, 2.0]), 5.0).sum(axis=(1, 2)) == pytest.approx(1)


def test_pixels_are_pulled_from_between_and_stop_at_the_border() -> None:
    rows, columns = (
        np.asarray(each, dtype=np.float64)[None] for each in np.meshgrid(range(9), range(8), indexing="ij")
    )
    assert pulled(IMAGES, rows, columns) == pytest.approx(IMAGES, abs=1e-6)
    half = pulled(IMAGES, rows, columns + 0.5)
    assert half[:, :, :-1] == pytest.approx((IMAGES[:, :, :-1] + IMAGES[:, :, 1:]) / 2, abs=1e-6)
    assert half[:, :, -1] == pytest.approx(IMAGES[:, :, -1], abs=1e-6)


def test_clouds_reach_from_zero_to_one_and_depend_on_their_key_alone() -> None:
    keys = keys_of(0, "fog", 1, 0, 3)
    found = clouds(keys, (10, 12), 2, 3, 0.5)
    assert (found.min(axis=(1, 2)).tolist(), found.max(axis=(1, 2)).tolist()) == ([0, 0, 0], [1, 1, 1])
    assert np.array_equal(clouds(keys[1:2], (10, 12), 2, 3, 0.5)[0], found[1])
    assert not np.array_equal(found[0], found[1])
