"""The rows of a project's log as they are stored: only ever added."""

from dataclasses import dataclass

from adjudge.core.labels import Pick

LABEL, SKIPPED, UNDONE = "label", "skip", "undo"  # kinds of answers
MERGED = "merge"  # a kind of rows about two answers; the other is `UNDONE`
ADJUDICATOR = -1  # the seat whose answer counts whatever the others say
NOBODY = ""  # has the lease of a sample that was given back


@dataclass(frozen=True)
class PickRow:
    """A sample that was picked: the place is its row in the log of labels, copies is how many people shall label it."""

    place: int
    name: str  # the id of the sample
    pick: Pick
    copies: int


@dataclass(frozen=True)
class LeaseRow:
    """A sample handed to a person until some time; the next turn of a seat goes to whoever comes after that.

    One that was given back has nobody's name. If its person put it off, `until` is below zero: minus the number of
    answers after which it is due again.
    """

    id: int
    place: int
    seat: int
    turn: int
    person: str
    at: float
    until: float

    def over(self, now: float) -> bool:
        """Whether its time is over; a lease from far ahead is over too: the clock was set back since."""
        return now >= self.until or now < 2 * self.at - self.until

    @property
    def due(self) -> int | None:
        """After how many answers of the person before it comes again; None: it was not put off."""
        return -int(self.until) if self.until < 0 else None


@dataclass(frozen=True)
class AnswerRow:
    """What a person said about a sample, or took back; the last revision of a lease counts."""

    id: int
    lease: int
    revision: int
    kind: str
    label: str | None
    note: str
    at: float


@dataclass(frozen=True)
class MergeRow:
    """Two answers that a person took for the same, or no longer does; the second stands for both."""

    id: int
    answer: str
    meant: str
    kind: str  # MERGED or UNDONE
    person: str
    at: float


@dataclass(frozen=True)
class News:
    """Rows that were added since the last look."""

    picks: tuple[PickRow, ...] = ()
    leases: tuple[LeaseRow, ...] = ()
    answers: tuple[AnswerRow, ...] = ()
    merges: tuple[MergeRow, ...] = ()
