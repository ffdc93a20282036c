"""A file of models that are functions, and data for them."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.models.datasets import Dataset, from_array
from tests.support.functions import CODE


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a file of functions; `$COUNTED` names the file in which they count their calls."""
    monkeypatch.setenv("COUNTED", str(tmp_path / "calls"))
    (tmp_path / "calls").touch()
    (tmp_path / "code.py").write_text(CODE)
    return str(tmp_path / "code.py")


@pytest.fixture
def data() -> Dataset:
    return from_array(np.arange(10.0)[:, np.newaxis], list("abcdefghij"))
