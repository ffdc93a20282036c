"""Data: what it is, and what a transform makes of it."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.models.datasets import from_array, read_data
from tests.support.image_files import whole, write_images


def test_the_digest_follows_content_ids_and_transforms(tmp_path: Path, pictures: Array) -> None:
    data = from_array(pictures)
    again = from_array(pictures.copy())
    changed = pictures.copy()
    changed[-1, -1, -1, -1] ^= 1
    others = [from_array(changed), from_array(pictures, list("abcde")), data.transformed(lambda rows, _: rows, "same")]
    assert data.digest == again.digest
    assert len({data.digest, *(each.digest for each in others)}) == 4
    write_images(tmp_path, pictures)
    before = read_data(tmp_path).digest
    (tmp_path / "picture-0.png").rename(tmp_path / "a.png")
    assert read_data(tmp_path).digest != before


def test_transforms_see_raw_rows_and_where_they_stand(pictures: Array) -> None:
    seen = []

    def darker(rows: Array, first: int) -> Array:
        seen.append(first)
        return rows // 2

    data = from_array(pictures).transformed(darker, "darker")
    np.testing.assert_array_equal(whole(data), pictures // 2)
    assert seen == [0, 2, 4]
    with pytest.raises(InputError, match="turned 2 samples into 1"):
        whole(from_array(pictures).transformed(lambda rows, _: rows[:1], "lost"))
