"""A process that only serves: what it hears from the one that picks and ranks, and what it tells it."""

from multiprocessing import Pipe
from threading import Event
from typing import Any

from adjudge.labeling.session.work import Work
from adjudge.labeling.web.workers import Relay
from tests.support.pools import Begin


def test_news_are_passed_on_and_wishes_are_sent_until_the_other_process_is_gone(begin: Begin) -> None:
    session = begin(method="random")
    ours, theirs = Pipe()
    heard, alone, idle = Event(), Event(), Work.on(session.project)
    told: dict[str, Any] = {"line": ours, "when_alone": alone.set, "on_look": heard.set}
    relay = Relay(session, idle, idle, **told)
    relay.start()
    theirs.send((None, "the disk is full", True))
    assert heard.wait(60)
    assert (relay.newest, relay.problem, relay.exhausted) == (None, "the disk is full", True)
    relay.wake("ada", 3)
    assert theirs.recv() == ("ada", 3)
    assert session.ledger.picks == []  # others pick
    theirs.close()
    assert alone.wait(60)
    relay.stop()
