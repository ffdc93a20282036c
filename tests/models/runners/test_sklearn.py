"""Models of scikit-learn."""

from pathlib import Path

import pytest

import adjudge
from adjudge.errors import InputError
from tests.support import tiny_models as tiny


@pytest.mark.parametrize("name", ["net.joblib", "net.pkl"])
def test_a_pickle_is_not_opened_unasked(tmp_path: Path, name: str) -> None:
    tiny.need("sklearn", "sklearn")
    (tmp_path / name).write_bytes(b"\x80\x04N.")
    with pytest.raises(InputError, match=r"a pickle can run any code.*--trust"):
        adjudge.predict(tmp_path / name, tiny.images())
    with pytest.raises(InputError, match="it is a NoneType, which has no `predict`"):
        adjudge.predict(tmp_path / name, tiny.images(), trust=True)
