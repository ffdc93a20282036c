"""Trees whose nodes point beyond themselves."""

import io
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

import adjudge
from adjudge.errors import InputError
from tests.support import tiny_models as tiny

FIELDS = {  # of the nodes of each kind of tree, with what no node may hold
    "DecisionTreeClassifier": {"left_child": 10**9, "right_child": 0, "feature": 10**9},
    "RandomForestClassifier": {"left_child": 10**9, "right_child": 0, "feature": 64},
    "GradientBoostingClassifier": {"left_child": 0, "right_child": 10**9, "feature": -1},
    "HistGradientBoostingClassifier": {"left": 10**9, "right": 0, "feature_idx": 10**9, "is_categorical": 1},
}


@pytest.mark.parametrize("kind", FIELDS)
def test_a_tree_that_points_beyond_itself_is_not_run(tmp_path: Path, kind: str) -> None:
    """scikit-learn would read memory that is not the tree's, and the process might end."""
    store = tiny.need("skops.io", "sklearn")
    from sklearn import ensemble, tree

    flat = tiny.scaled().reshape(50, -1)
    size = {} if kind.startswith("Decision") else {"max_iter": 3} if kind.startswith("Hist") else {"n_estimators": 3}
    model = getattr(tree if kind.startswith("Decision") else ensemble, kind)(**size)
    store.dump(model.fit(flat, flat[:, 5] > 0.5), tmp_path / "whole.skops")
    assert adjudge.predict(tmp_path / "whole.skops", tiny.images()).predictions.values.shape == (1, 50)
    for field, value in FIELDS[kind].items():
        with ZipFile(tmp_path / "whole.skops") as whole, ZipFile(tmp_path / "bad.skops", "w") as bad:
            for name in whole.namelist():
                bad.writestr(name, _changed(whole.read(name), field, value))
        with pytest.raises(InputError, match=r"bad\.skops: it has a tree whose nodes point beyond it"):
            adjudge.predict(tmp_path / "bad.skops", tiny.images())


def _changed(content: bytes, field: str, value: int) -> bytes:
    """An npy file with another value in the first node; any other file as it is."""
    if not content.startswith(b"\x93NUMPY"):
        return content
    array = np.load(io.BytesIO(content))
    if array.dtype.names is None or field not in array.dtype.names:
        return content
    array[field][0] = value
    if field == "is_categorical":
        array["bitset_idx"][0] = 10**6
    changed = io.BytesIO()
    np.save(changed, array)
    return changed.getvalue()
