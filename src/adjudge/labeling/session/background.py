"""Two threads beside a session: one keeps samples ready, one keeps the ranking up to date."""

import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil, inf
from threading import Condition, Thread

import numpy as np

from adjudge.errors import AdjudgeError, DatabaseError, NotEnoughLabels
from adjudge.labeling.session.presence import Presence
from adjudge.labeling.session.review import give_back
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Look, Worker

READY = 4  # samples that lie ready for whoever comes next
LEAD = 1.0  # seconds for which samples are picked ahead at least: to pick one by one costs more
log = logging.getLogger(__name__)
POLL = 1.0  # seconds after which other processes' rows are looked for


def keep_ready(session: Session, worker: Worker, ready: int) -> bool:
    """Pick samples until so many lie ready; False: there are no more."""
    while (short := ready - session.untouched()) > 0:
        if not pick_more(session, worker, short):
            return False
    return True


def pick_more(session: Session, worker: Worker, count: int) -> bool:
    """Pick so many samples; False: there are no more."""
    added, labels = session.log()
    picks = worker.picks(added, labels, count)
    if picks:
        session.add_picks(len(labels), picks)
    return bool(picks)


def look_at(session: Session, worker: Worker) -> Look:
    """What the labels come to now; kept in the database, for the curve of chances."""
    added, labels = session.log()
    noise = session.agreement().noise
    look = worker.look(added, labels, noise, session.project.settings.until)
    chances = look.ranking.chance_of_best
    if chances is not None and look.ranking.labels:
        session.store.add_look(
            look.ranking.labels, json.dumps([None if np.isnan(each) else each for each in chances.tolist()])
        )
    return look


@dataclass
class Demand:
    """How many samples to pick ahead: as many as are taken during two rounds of picks, and those that people lack.

    A sample that was picked earlier than it had to be knows fewer answers.
    """

    short: dict[str, int] = field(default_factory=dict)  # how many samples each person asked for and did not get
    taken: int = 0
    at: float = 0.0
    rate: float = 0.0  # samples taken in a second
    round: float = 0.0  # seconds that a round of picks takes
    each: float = LEAD / READY  # seconds for one of them

    def ready(self, taken: int, now: float) -> int:
        """How many samples should lie ready when so many were taken up to now."""
        if now > self.at:
            since, self.at = now - self.at, now
            share = min(1.0, since)  # what is longer ago than a second or so counts little
            self.rate += share * ((taken - self.taken) / since - self.rate)
            self.taken = taken
        return READY + ceil(self.rate * max(2 * self.round, LEAD)) + self.lacking

    @property
    def lacking(self) -> int:
        return sum(list(self.short.values()))

    @property
    def most(self) -> int:
        """How many to pick at once, so that nobody waits long for the first of them."""
        return max(READY, int(LEAD / max(self.each, 1e-9)))

    def picked(self, count: int, seconds: float) -> None:
        self.round += 0.5 * (seconds - self.round)
        self.each += 0.5 * (seconds / count - self.each)


@dataclass
class Background:
    """The threads, and the newest look."""

    session: Session
    picker: Worker
    looker: Worker
    on_look: Callable[[], None] = lambda: None  # called from a thread of ours
    presence: Presence = field(default_factory=Presence)
    demand: Demand = field(default_factory=Demand)
    newest: Look | None = None
    exhausted: bool = False  # nothing is left to pick
    problem: str | None = None  # why there is no ranking or no sample, in a sentence
    changed: Condition = field(default_factory=Condition)
    version: int = 0  # grows with each change
    running: bool = True
    looked_at: int = -1  # answers and merges that the newest look knows
    refreshed: float = -inf  # when rows of other processes were last looked for

    def start(self) -> None:
        for task in (self._pick, self._look):
            Thread(target=self._forever, args=(task,), daemon=True).start()

    def wake(self, person: str | None = None, short: int = 0) -> None:
        """Say that something was written, or that a person asked for samples and got so many too few."""
        if person is not None:
            self.presence.here(person)
            self.demand.short[person] = short
        with self.changed:
            self.version += 1
            self.changed.notify_all()

    def look_again(self) -> None:
        """Look at the same labels anew, since something else has changed."""
        self.looked_at = -1
        self.wake()

    def stop(self) -> None:
        """End the threads, and give back what people have in hand: nobody can answer here any more."""
        self.running = False
        self.wake()
        with suppress(AdjudgeError):  # a database that is away has no use for it either
            for person in sorted(self.presence.seen):
                give_back(self.session, person)

    def _forever(self, task: Callable[[], None]) -> None:
        while self.running:
            before = self.version
            try:
                if time.monotonic() - self.refreshed >= POLL:
                    self.session.refresh()
                    self.refreshed = time.monotonic()
                task()
            except Exception as problem:  # the page goes on, and says what is wrong
                if not self.running:  # what it worked with was closed
                    return
                self._fail(problem)
                before = self.version
            with self.changed:
                self.changed.wait_for(lambda: self.version != before, POLL)  # noqa: B023

    def _fail(self, problem: Exception) -> None:
        told = str(problem) if isinstance(problem, AdjudgeError) else repr(problem)
        if isinstance(problem, DatabaseError):
            if self.problem != problem.public:  # one line, however long it lasts
                log.error("%s", told)
            told = problem.public
            self.looked_at = -1  # it may be back: look again without waiting for an answer
        self.problem = told
        with suppress(Exception):  # the news may need what has just failed, and the thread must go on
            self.on_look()

    def _pick(self) -> None:
        for person in self.presence.leave():
            self.demand.short.pop(person, None)
            give_back(self.session, person)
        while self.running:
            began = time.monotonic()
            with self.session.lock:
                taken = len(self.session.ledger.picks) - self.session.untouched()
            ready = self.demand.ready(taken, began)
            short = ready - self.session.untouched()
            if short <= 0 or (short < ready // 2 and not self.demand.lacking):
                return
            count = min(short, self.demand.most)
            self.exhausted = not pick_more(self.session, self.picker, count)
            self.demand.picked(count, time.monotonic() - began)
            if self.exhausted:
                return

    def _look(self) -> None:
        ledger = self.session.ledger
        state = len(ledger.answers) + ledger.merges.count
        if state != self.looked_at:
            self.looked_at = state  # before the look: what cannot be ranked is not tried again until more is known
            try:
                self.newest, self.problem = look_at(self.session, self.looker), None
            except NotEnoughLabels:  # the last grade was undone: an older ranking is about labels that are gone
                self.newest = None
                raise
            self.on_look()
