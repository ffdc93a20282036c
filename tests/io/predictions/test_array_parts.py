"""Arrays in parts: the same values as the whole, and what they cannot have."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.core.arrays import Array
from adjudge.core.predictions import Predictions
from adjudge.errors import PredictionsError
from adjudge.io import read
from adjudge.io.predictions.array_parts import matrix_size
from tests.support.parts import SMALL, in_parts, values_of, write_npz


def values_in(part: Predictions) -> tuple[Array]:
    return (part.values,)


def test_the_size_of_a_matrix_is_known_without_reading_it(tmp_path: Path) -> None:
    np.save(tmp_path / "pool.npy", values_of())
    assert matrix_size(tmp_path / "pool.npy") == matrix_size(write_npz(tmp_path / "pool.npz")) == values_of().nbytes
    (tmp_path / "pool.npy").write_bytes(b"no array")
    assert matrix_size(tmp_path / "pool.npy") == 0


@pytest.mark.parametrize("order", ["C", "F"])
def test_parts_side_by_side_are_the_whole(tmp_path: Path, order: str) -> None:
    np.save(tmp_path / "pool.npy", np.asarray(values_of(), order=order))  # type: ignore[call-overload]
    parts = [values for (values,) in in_parts(tmp_path / "pool.npy").over_parts(values_in)]
    assert np.array_equal(np.concatenate(parts, axis=1), read(tmp_path / "pool.npy").values)


def test_classes_of_an_array_cannot_be_told(tmp_path: Path) -> None:
    path = write_npz(tmp_path / "pool.npz")
    with pytest.raises(PredictionsError, match="is read in parts, where --classes cannot be told"):
        read(path, memory=SMALL, classes=("x", "y", "z"))
