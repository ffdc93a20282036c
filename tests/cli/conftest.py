"""A small file of predictions."""

from pathlib import Path

import pytest

from tests.support.commands import WIDE


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """Predictions with a row for each sample and a column for each model."""
    path = tmp_path / "predictions.csv"
    path.write_text(WIDE)
    return path


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    (tmp_path / "pool.csv").write_text(WIDE)
    return tmp_path / "pool.csv"
