"""Rows of a project: none is lost and none is there twice."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from sqlalchemy.exc import OperationalError

from adjudge.errors import InputError
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.schema import LEASE
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.store import Store
from adjudge.labeling.session.work import Work
from tests.support.labeling import ready
from tests.support.pools import Begin

CLIENTS, EACH = 8, 16


def test_eight_clients_lose_and_double_nothing(begin: Begin, database: str | None) -> None:
    """Each with a session of its own, as eight servers would have, beside two that pick."""
    session = begin(database)
    done = Event()

    def feed() -> None:
        own, work = Session.open(session.project, database), Work.on(open_project(session.project.folder))
        while not done.is_set():
            keep_ready(own, work, 2 * CLIENTS)
            own.refresh()
        own.close()

    def client(number: int) -> list[tuple[int, str]]:
        own, person = Session.open(session.project, database), f"person {number}"
        said: list[tuple[int, str]] = []
        while len(said) < EACH:
            for card in own.next(person, ahead=2)[:1]:
                label = "abcd"[card.sample % 4]
                own.answer(person, card.lease, label)
                said.append((card.sample, label))
        own.close()
        return said

    feeders = [Thread(target=feed) for _ in range(2)]
    for feeder in feeders:
        feeder.start()
    with ThreadPoolExecutor(CLIENTS) as clients:
        said = [each for answers in clients.map(client, range(CLIENTS)) for each in answers]
    done.set()
    for feeder in feeders:
        feeder.join()
    session.refresh()
    pool, labels = session.labels()
    assert pool.classes is not None
    assert len(said) == len(dict(said)) == CLIENTS * EACH
    stored = {s: pool.classes[int(v)] for s, v in zip(labels.sample, labels.value, strict=True) if not np.isnan(v)}
    assert stored == dict(said)
    assert sorted(session.ledger.by_person().values()) == [EACH] * CLIENTS


WRITER = """
import sys
from pathlib import Path
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Work

session = Session.open(open_project(Path(sys.argv[1])), sys.argv[2] or None)
keep_ready(session, Work.on(session.project), 200)
cards = session.next("ada")
while cards:
    card = cards[0]
    cards = session.answer("ada", card.lease, "abcd"[card.place % 4])
    print(card.place, flush=True)
"""


def test_kill_in_the_middle_of_200_writes_loses_nothing(begin: Begin, database: str | None) -> None:
    after = 111
    session = begin(database)
    call = [sys.executable, "-c", WRITER, str(session.project.folder), database or ""]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(after)]
        os.kill(writer.pid, signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout.read().split()]
    again = Session.open(open_project(session.project.folder), database)
    pool, labels = again.labels()
    assert pool.classes is not None
    assert len(labels) == 200
    said = [pool.classes[int(value)] for value in labels.value[acknowledged]]
    assert said == ["abcd"[place % 4] for place in acknowledged]
    assert int(labels.answered.sum()) - len(acknowledged) in (0, 1)  # one may be kept that was not acknowledged yet
    [card] = again.next("ada")
    assert card.place == int(labels.answered.sum())
    again.close()


def test_rows_are_not_passed_over_when_a_look_at_the_database_fails(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begin()
    ready(session)
    beside = Session.open(session.project)
    session.answer("ada", session.next("ada")[0].lease, "b")
    whole = Store._since

    def broken(self: Store, connection: Any, table: Any) -> Any:
        if table is LEASE:
            raise OperationalError("select", {}, Exception("the server went away"))
        return whole(self, connection, table)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "_since", broken)
        with pytest.raises(InputError, match="went away"):
            beside.refresh()
    beside.refresh()
    assert beside.labels()[1].answered[0]
    beside.close()
