"""What people do beside answering: change an answer, take two for the same, put a sample off, give samples back."""

from adjudge.core.labels import Skip
from adjudge.labeling.session.checks import checked_note
from adjudge.labeling.session.later import BACK_AFTER
from adjudge.labeling.session.ledger import Ledger, Seat
from adjudge.labeling.session.rows import ADJUDICATOR, LABEL, MERGED, NOBODY, SKIPPED, UNDONE, AnswerRow
from adjudge.labeling.session.session import Card, Session, Taken
from adjudge.labeling.session.store import Turn


def last_said(ledger: Ledger, lease: int) -> AnswerRow | None:
    """What the person of a lease last said about its sample, also if it was taken back since."""
    row = ledger.leases.get(lease)
    seat = ledger.seat_of(lease)
    if row is None or seat is None or (seat.revision < 0 and row.turn == 0):
        return None
    for answer in reversed(ledger.answers):
        given = ledger.leases[answer.lease]
        if (given.place, given.person) == (row.place, row.person) and answer.kind != UNDONE:
            return answer
    return None


def revise(session: Session, person: str, lease: int, label: str | Skip, note: str, shown: str | None = None) -> None:
    """Give another answer, or another note, to a sample that the person has answered."""
    row = session.ledger.leases.get(lease)
    text, note = session.checked(label, None if row is None else row.place), checked_note(note)

    def write(turn: Turn) -> None:
        session.check_shown(lease, shown)
        seat = _own_seat(session, person, lease)
        if seat.answer is None:
            raise Taken("this answer was taken back; label the sample when it comes again")
        turn.add_answer(lease, seat.revision + 1, SKIPPED if text is None else LABEL, text, note)

    session._write(person, write, 0)


def merge(session: Session, person: str, one: str, other: str) -> int | None:
    """Take two answers for the same, wherever they occur; the more frequent one, or else the shorter, stands for both.

    Returns the number of the merge, by which it can be taken back; None: they were the same before.
    """
    added: list[int] = []

    def write(turn: Turn) -> None:
        pool = session.pool
        names = pool.classes or ()
        if pool.declared or pool.grades is not None:
            raise Taken("answers can be merged only where classes are not declared, and are not graded")
        meant = [session.ledger.merges.meant.get(name, name) for name in (one, other)]
        if unknown := [name for name in meant if name not in names]:
            raise Taken(f"no model gave the answer {unknown[0]!r}, so it cannot be merged with another")
        if meant[0] != meant[1]:  # else it was done before
            answer, kept = sorted(meant, key=lambda name: ((pool.values == names.index(name)).sum(), -len(name)))
            added.append(turn.add_merge(answer, kept, MERGED, person).id)

    session._write(person, write, 0)
    return added[-1] if added else None


def unmerge(session: Session, person: str, row: int, *, any_person: bool = False) -> None:
    """Take back that two answers are the same: one's own merge, or that of any person."""

    def write(turn: Turn) -> None:
        found = next((each for each in session.ledger.merges.rows.values() if each.id == row), None)
        if found is None:
            raise Taken("these answers are not merged any more")
        if found.person != person and not any_person:
            raise Taken(f"{found.person!r} merged these answers; only they and adjudicators may take it back")
        turn.add_merge(found.answer, found.meant, UNDONE, person)

    session._write(person, write, 0)


def put_off(session: Session, person: str, lease: int, ahead: int) -> list[Card]:
    """Give a sample back that one is not sure about; it comes again later, unless somebody else labels it."""

    def write(turn: Turn) -> None:
        seat = _own_seat(session, person, lease)
        if seat.answer is not None:
            raise Taken("this sample has an answer already; undo it first")
        _give(turn, seat, until=-float(len(session.ledger.history.get(person, {})) + BACK_AFTER))

    return session._write(person, write, ahead)


def give_back(session: Session, person: str) -> None:
    """Let others have what a person holds who went away."""

    def write(turn: Turn) -> None:
        for lease in session.ledger.held_by(person):
            _give(turn, session.ledger.seats[lease.place][lease.seat])

    with session.lock:
        holds = bool(session.ledger.held_by(person))
    if holds:
        session._write(person, write, 0)


def retake(session: Session, person: str, lease: int) -> int | None:
    """The lease under which a person may answer a sample that was given back meanwhile; None: somebody else has it."""
    found: list[int] = []

    def write(turn: Turn) -> None:
        ledger = session.ledger
        row = ledger.leases.get(lease)
        if row is None or row.person != person or ledger.seat_of(lease) is not None:
            return
        own = [seat for number, seat in ledger.seats[row.place].items() if number != ADJUDICATOR]
        found.extend(seat.lease.id for seat in own if seat.lease.person == person)
        free = next((each for each in ledger.free_for(person, turn.now) if each[0] == row.place), None)
        if not found and free is not None:
            found.append(turn.add_lease(*free, person, turn.now + session.project.settings.lease).id)

    session._write(person, write, 0)
    return found[0] if found else None


def _own_seat(session: Session, person: str, lease: int) -> Seat:
    seat = session.ledger.seat_of(lease)
    if seat is None or seat.lease.person != person:
        raise Taken(f"this sample is not in the hands of {person!r} any more; go on with the next one")
    return seat


def _give(turn: Turn, seat: Seat, until: float = 0.0) -> None:
    turn.add_lease(seat.lease.place, seat.lease.seat, seat.lease.turn + 1, NOBODY, until)
