"""What several tests of a session share."""

import pytest

from tests.support.labeling import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of every session that the test opens."""
    monkeypatch.setattr("adjudge.labeling.session.store.Turn", (made := Clock()).turn)
    return made
