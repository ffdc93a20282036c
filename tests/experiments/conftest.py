"""Tasks that several tests of experiments share."""

from pathlib import Path

import pytest

from tests.support.small_tasks import write_task


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    write_task(tmp_path / "bare.npz", probabilities=False, features=())
    write_task(tmp_path / "full.npz", seed=1)
    return tmp_path
