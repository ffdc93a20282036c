from pathlib import Path

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.io import read_features

POOL = Predictions(np.array([[0, 1, 0], [1, 1, 0]]), ("a", "b"), range(3), ("x", "y"))
OF_B = np.arange(6.0).reshape(3, 2)


def test_features_are_found_by_the_number_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "pool.npz"
    np.savez(path, features_1=OF_B)
    assert read_features(path, POOL, "b").tolist() == OF_B.tolist()
    with pytest.raises(InputError, match=r"pool.npz: no features of 'a' are stored; add features_0"):
        read_features(path, POOL, "a")


@pytest.mark.parametrize("name", ["one.npy", "one.npz"])
def test_a_file_of_their_own_serves_any_model(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if path.suffix == ".npy":
        np.save(path, OF_B)
    else:
        np.savez(path, features=OF_B)
    assert read_features(path, POOL, "a").shape == (3, 2)


def test_features_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.npy"
    np.save(path, OF_B[:2])
    with pytest.raises(
        InputError, match=r"the features of 'b' have the shape \(2, 2\); for this pool they are \(3, units\)"
    ):
        read_features(path, POOL, "b")
    with pytest.raises(InputError, match="there is no model 'c'; the models are 'a', 'b'"):
        read_features(path, POOL, "c")
    (tmp_path / "text.npy").write_text("no array")
    with pytest.raises(InputError, match=r"text.npy is named .npy but is not"):
        read_features(tmp_path / "text.npy", POOL, "b")
