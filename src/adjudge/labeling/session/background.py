"""Two threads beside a session: one keeps samples ready, one keeps the ranking up to date."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Condition, Thread

import numpy as np

from adjudge.errors import AdjudgeError, DatabaseError
from adjudge.labeling.session.presence import Presence
from adjudge.labeling.session.review import give_back
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Look, Worker

READY = 4  # samples that lie ready for nobody yet, and as many for each person at work
POLL = 1.0  # seconds after which other processes' rows are looked for


def keep_ready(session: Session, worker: Worker, ready: int) -> bool:
    """Pick samples until so many lie ready; False: there are no more."""
    while (short := ready - session.untouched()) > 0:
        new, labels = session.log()
        picks = worker.picks(new, labels, short)
        if not picks:
            return False
        session.add_picks(len(labels), picks)
    return True


def look_at(session: Session, worker: Worker) -> Look:
    """What the labels come to now; kept in the database, for the curve of chances."""
    new, labels = session.log()
    noise = session.agreement().noise
    look = worker.look(new, labels, noise, session.project.settings.until)
    chances = look.ranking.chance_of_best
    if chances is not None and look.ranking.labels:
        session.store.add_look(
            look.ranking.labels, json.dumps([None if np.isnan(each) else each for each in chances.tolist()])
        )
    return look


@dataclass
class Background:
    """The threads, and the newest look."""

    session: Session
    picker: Worker
    looker: Worker
    on_look: Callable[[], None] = lambda: None  # called from a thread of ours
    presence: Presence = field(default_factory=Presence)
    newest: Look | None = None
    exhausted: bool = False  # nothing is left to pick
    problem: str | None = None  # why there is no ranking or no sample, in a sentence
    changed: Condition = field(default_factory=Condition)
    running: bool = True
    looked_at: int = -1  # answers that the newest look knows

    def start(self) -> None:
        for task in (self._pick, self._look):
            Thread(target=self._forever, args=(task,), daemon=True).start()

    def wake(self, person: str | None = None) -> None:
        """Say that something was written, or that a person asks for samples."""
        if person is not None:
            self.presence.here(person)
        with self.changed:
            self.changed.notify_all()

    def look_again(self) -> None:
        """Look at the same labels anew, since something else has changed."""
        self.looked_at = -1
        self.wake()

    def wait(self, seconds: float) -> None:
        with self.changed:
            self.changed.wait(seconds)

    def stop(self) -> None:
        self.running = False
        self.wake()

    def _forever(self, task: Callable[[], None]) -> None:
        while self.running:
            try:
                task()
            except Exception as problem:  # the page goes on, and says what is wrong
                if not self.running:  # what it worked with was closed
                    return
                self.problem = str(problem) if isinstance(problem, AdjudgeError) else repr(problem)
                if isinstance(problem, DatabaseError):
                    self.looked_at = -1  # it may be back: look again without waiting for an answer
                with suppress(AdjudgeError):  # the news may need what has just failed, and the thread must go on
                    self.on_look()
                self.wait(POLL)
            self.wait(POLL)

    def _pick(self) -> None:
        self.session.refresh()
        for person in self.presence.leave():
            give_back(self.session, person)
        self.exhausted = not keep_ready(self.session, self.picker, READY * (1 + len(self.presence.seen)))

    def _look(self) -> None:
        self.session.refresh()
        state = len(self.session.ledger.answers)
        if state != self.looked_at:
            self.looked_at = state  # before the look: what cannot be ranked is not tried again until more is known
            self.newest, self.problem = look_at(self.session, self.looker), None
            self.on_look()
