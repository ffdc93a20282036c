"""A project at work: what to label next, answers, undo, and what the labels come to."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import RLock
from typing import Self

import numpy as np

from adjudge.core.index import ids_at
from adjudge.core.labels import Labels, Pick, Skip
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, LabelsError
from adjudge.io.predictions.normalize import with_merges
from adjudge.labeling.session.additions import Additions, numbered_grades
from adjudge.labeling.session.agreement import AnnotatorAgreement, agreement
from adjudge.labeling.session.backup import Backups
from adjudge.labeling.session.checks import checked_grades, checked_label, checked_note, checked_person
from adjudge.labeling.session.engine import file_of
from adjudge.labeling.session.ledger import Ledger
from adjudge.labeling.session.project import Project
from adjudge.labeling.session.rows import ADJUDICATOR, LABEL, SKIPPED, UNDONE, AnswerRow, LeaseRow, PickRow
from adjudge.labeling.session.store import Store, Turn
from adjudge.labeling.session.together import Together, Waiting

OVERLAP_DRAW = 1  # tells the draw of samples for several people from those of the method


@dataclass(frozen=True)
class Card:
    """A sample in somebody's hands."""

    lease: int
    place: int
    sample: int
    name: str


class Taken(InputError):
    """A sample that is no longer in this person's hands; raised before anything is written."""


@dataclass(eq=False)
class Job(Waiting):
    """What a person wants to have written, and what came of it."""

    person: str
    write: Callable[[Turn], None]
    ahead: int  # samples to have in hand afterwards
    cards: list[Card] = field(default_factory=list)
    problem: Exception | None = None


@dataclass
class Session:
    """All that people do to a project; safe to call from many threads, and beside other processes."""

    project: Project
    store: Store
    ledger: Ledger = field(default_factory=Ledger)
    lock: AbstractContextManager[object] = field(default_factory=RLock)

    def __post_init__(self) -> None:
        self.backups = Backups(file_of(self.store.engine))
        self._merged: tuple[tuple[tuple[str, str], ...], Predictions] = (), self.project.predictions
        self._together = Together(self.lock, self._write_all)

    @classmethod
    def open(cls, project: Project, database: str | None = None) -> Self:
        session = cls(project, Store.open(project.url(database), project.settings.id, project.settings.pool))
        session.refresh()
        session._check_places()
        return session

    def _check_places(self) -> None:
        samples = np.array([row.pick.sample for row in self.ledger.picks], dtype=np.int64)
        if ids_at(self.project.predictions.samples, samples) != [row.name for row in self.ledger.picks]:
            raise LabelsError("the database and the predictions of this project differ; restore both from one copy")

    def close(self) -> None:
        self.backups.close(len(self.ledger.answers))
        self.store.close()

    def refresh(self) -> None:
        """Learn what was written since, by whatever process."""
        with self.lock:
            self.ledger.apply(self.store.news())

    @property
    def pool(self) -> Predictions:
        """The predictions, with the answers that are the same taken for one; whoever answers does not wait for it."""
        pairs, known = self.ledger.merges.pairs, self._merged
        if pairs != known[0]:
            self._merged = known = pairs, with_merges(self.project.predictions, dict(pairs))
        return known[1]

    def log(self) -> tuple[Additions, Labels]:
        """What labels added to the pool, and the log."""
        with self.lock:
            pool, ledger = self.pool, self.ledger
            new, labels = ledger.labels(pool, self.project.settings.header)
            grades: tuple[tuple[int, float], ...] = ()
            if pool.grades is not None:
                said = [None if (row := ledger.verdict(place)) is None else row.label for place in range(len(labels))]
                grades = numbered_grades(pool, labels.sample.tolist(), said)
            return Additions(new, ledger.merges.pairs, grades), labels

    def labels(self) -> tuple[Predictions, Labels]:
        """The pool with all that labels added to it, and the log."""
        added, labels = self.log()
        return added.to(self.project.predictions), labels

    def add_picks(self, rows: int, picks: Sequence[Pick]) -> bool:
        """Put picks that were made for a log of so many rows behind it; False: it has grown, pick again."""
        names = ids_at(self.project.predictions.samples, np.array([pick.sample for pick in picks], dtype=np.int64))
        places = enumerate(zip(picks, names, strict=True), start=rows)
        added = [PickRow(place, name, pick, self._copies(place)) for place, (pick, name) in places]
        with self.lock:
            with self.store.turn(len(added)) as turn:
                self.ledger.apply(self.store.news(turn))
                if len(self.ledger.picks) != rows:
                    return False
                turn.add_picks(added)
            self.ledger.apply(self.store.added(turn))
        return True

    def _copies(self, place: int) -> int:
        settings = self.project.settings
        if settings.overlap == 1:
            return 1
        drawn = np.random.default_rng([settings.seed, place, OVERLAP_DRAW]).random()
        return settings.overlap if drawn < settings.share else 1

    def next(self, person: str, ahead: int = 1) -> list[Card]:
        """The samples for a person: those in hand, then others until there are so many; fewer if none is ready.

        A reload gives the same samples again. What somebody else has in hand is left out, until its time is over.
        """
        return self._write(person, lambda turn: None, ahead)

    def answer(
        self, person: str, lease: int, label: str | Skip, note: str = "", ahead: int = 1, shown: str | None = None
    ) -> list[Card]:
        """Log an answer, and hand out what comes next; to send the same answer twice does no harm.

        `shown` names the sample that the person saw; an answer is refused if the lease is about another one.
        """
        row = self.ledger.leases.get(lease)
        text = self.checked(label, None if row is None else row.place)
        kind, note = (SKIPPED if text is None else LABEL), checked_note(note)

        def write(turn: Turn) -> None:
            self.check_shown(lease, shown)
            row, seat = self.ledger.leases.get(lease), self.ledger.seat_of(lease)
            if seat is None or seat.lease.person != person:
                name = self._name(None if row is None else row.place)
                raise Taken(f"{name} is not in the hands of {person!r} any more; go on with the next one")
            if seat.answer is None:
                turn.add_answer(seat.lease.id, seat.revision + 1, kind, text, note)
            elif self.ledger.meaning(seat.answer) != (kind, text):
                raise Taken(f"{self._name(seat.lease.place)} has an answer already; undo it to give another one")

        return self._write(person, write, ahead)

    def check_shown(self, lease: int, shown: str | None) -> None:
        """Refuse an answer about another sample than the one that was handed out; to be called by who writes."""
        row = self.ledger.leases.get(lease)
        if row is not None and shown not in (None, leased := self.ledger.picks[row.place].name):
            raise Taken(
                f"the page showed sample {shown!r}, but the answer is for sample {leased!r}; load the page again"
            )

    def _name(self, place: int | None) -> str:
        """The sample at a place of the log, for messages."""
        if place is None or not 0 <= place < len(self.ledger.picks):
            raise Taken("there is no such sample; go on with the next one")
        return f"sample {self.ledger.picks[place].name!r}"

    def checked(self, label: str | Skip, place: int | None) -> str | None:
        """A label as it is kept for the sample at a place of the log; None: a skip."""
        if isinstance(label, Skip):
            return None
        pool = self.pool
        if pool.grades is None:
            return checked_label(label, pool, self.project.settings.range)
        self._name(place)  # which is refused if it does not exist
        assert place is not None
        return checked_grades(label, pool, self.ledger.picks[place].pick.sample)

    def undo(self, person: str, ahead: int = 1) -> list[Card]:
        """Take back the last answer of a person, whose sample comes next again."""

        def write(turn: Turn) -> None:
            last = next(reversed(self.ledger.history.get(person, {})), None)
            seat = None if last is None else self.ledger.seat_of(last)
            if last is None or seat is None:
                raise Taken("there is nothing to undo")
            turn.add_answer(last, seat.revision + 1, UNDONE, None, "")
            place, number, again = seat.lease.place, seat.lease.seat, seat.lease.turn + 1
            undone.append(place)
            if number != ADJUDICATOR and seat.lease.over(turn.now):  # else the next who asks would take it away
                turn.add_lease(place, number, again, person, turn.now + self.project.settings.lease)

        undone: list[int] = []
        return sorted(self._write(person, write, ahead), key=lambda card: card.place not in undone)

    def resolve(self, person: str, place: int, label: str | Skip, note: str = "") -> None:
        """Decide as the adjudicator what the label of a sample is."""
        text, note = self.checked(label, place), checked_note(note)

        def write(turn: Turn) -> None:
            name = self._name(place)
            if not self.ledger.said(place):
                raise Taken(f"nobody has labeled {name} yet, so there is nothing to decide")
            before = self.ledger.seats[place].get(ADJUDICATOR)
            turns = 0 if before is None else before.lease.turn + 1
            row = turn.add_lease(place, ADJUDICATOR, turns, person, turn.now)
            turn.add_answer(row.id, 0, SKIPPED if text is None else LABEL, text, note)

        self._write(person, write, 0)

    def _write(self, person: str, write: Callable[[Turn], None], ahead: int) -> list[Card]:
        """Write something, and hand out samples: what is returned is on disk."""
        job = Job(checked_person(person), write, ahead)
        self._together.write(job)
        if job.problem is not None:
            raise job.problem
        return job.cards

    def _write_all(self, jobs: list["Job"]) -> None:
        try:
            with self.store.turn(len(jobs)) as turn:
                self.ledger.apply(self.store.news(turn))
                for job in jobs:
                    self._write_one(job, turn)
        except Exception as problem:
            self._forget()
            if len(jobs) > 1:  # one of them must not fail the others
                for job in jobs:
                    self._write_all([job])
                return
            jobs[0].problem = problem
        for job in jobs:
            job.done = True
        self.backups.follow(len(self.ledger.answers))

    def _write_one(self, job: "Job", turn: Turn) -> None:
        job.problem = None  # of a try that failed for another reason
        try:
            job.write(turn)
        except Taken as problem:  # nothing was written
            job.problem = problem
            return
        self.ledger.apply(self.store.added(turn))
        held = self.ledger.held_by(job.person)
        taken = self._take(turn, job.person, job.ahead - len(held))
        self.ledger.apply(self.store.added(turn))
        job.cards = [self._card(lease) for lease in [*held, *taken]]

    def _forget(self) -> None:
        """Read all rows again at the next look: some that were seen may never have been kept."""
        self.ledger = Ledger()
        self.store.read.clear()

    def _take(self, turn: Turn, person: str, wanted: int) -> list[LeaseRow]:
        until = turn.now + self.project.settings.lease
        free = self.ledger.offered(person, turn.now)
        return [turn.add_lease(*seat, person, until) for seat, _ in zip(free, range(wanted), strict=False)]

    def _card(self, lease: LeaseRow) -> Card:
        row = self.ledger.picks[lease.place]
        return Card(lease.id, lease.place, row.pick.sample, row.name)

    def answers(self) -> list[tuple[LeaseRow, PickRow, AnswerRow]]:
        """Every answer there ever was, with its sample, in the order in which they came."""
        with self.lock:
            found = [(self.ledger.leases[answer.lease], answer) for answer in self.ledger.answers]
            return [(lease, self.ledger.picks[lease.place], answer) for lease, answer in found]

    def untouched(self) -> int:
        """Samples that lie ready and that nobody has in hand."""
        with self.lock:
            return len(self.ledger.untouched)

    def agreement(self) -> AnnotatorAgreement:
        with self.lock:
            return agreement(self.ledger.shared())
