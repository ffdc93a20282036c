"""What goes on beside a session."""

import pytest

from adjudge.labeling.session.background import Background
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.review import retake
from adjudge.labeling.session.work import Work
from tests.support.labeling import opened
from tests.support.pools import Begin


def test_who_is_gone_gives_samples_back(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(begin)
    held = session.next("ada", 3)
    for card in session.next("bob", 3):
        session.answer("bob", card.lease, "a")
    assert session.log()[1].settled().labeled == 0  # what bob said waits for what ada holds
    work = Work.on(open_project(session.project.folder))
    background = Background(session, work, work)
    background.wake("ada")
    background._pick()
    assert session.next("bob")[0].place != 0
    monkeypatch.setattr("adjudge.labeling.session.presence.AT_WORK", -1.0)
    background._pick()
    assert background.presence.seen == {}
    assert not session.ledger.held_by("ada")
    hand = session.next("bob", 9)
    for card in sorted(hand, key=lambda each: each.place):
        session.answer("bob", card.lease, "a")
    assert session.log()[1].settled().labeled >= 6
    assert retake(session, "ada", held[0].lease) is None
