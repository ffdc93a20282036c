"""Beside answering: look back, change, put off, give back."""

import pytest

from adjudge.core.labels import SKIP
from adjudge.errors import InputError
from adjudge.labeling.session.later import BACK_AFTER
from adjudge.labeling.session.review import give_back, last_said, put_off, retake, revise
from adjudge.labeling.session.session import Session, Taken
from tests.support.labeling import Clock, opened
from tests.support.pools import Begin


def test_an_answer_about_another_sample_is_refused(begin: Begin) -> None:
    session = opened(begin)
    one, other = session.next("ada", 2)
    other_shown = f"showed sample '{other.name}', but the answer is for sample '{one.name}'"
    with pytest.raises(Taken, match=other_shown):
        session.answer("ada", one.lease, "a", shown=other.name)
    session.answer("ada", one.lease, "a", shown=one.name)
    with pytest.raises(Taken, match=other_shown):
        revise(session, "ada", one.lease, "b", "", shown=other.name)
    revise(session, "ada", one.lease, "b", "", shown=one.name)
    assert [row.label for row in session.ledger.said(0).values()] == ["b"]


def test_a_note_outlives_an_undo(begin: Begin, clock: Clock) -> None:
    session = opened(begin)
    [card] = session.next("ada")
    assert last_said(session.ledger, card.lease) is None
    session.answer("ada", card.lease, "b", "blurred")
    clock.now += 10_000  # the undo then needs another lease
    again = session.undo("ada")[0]
    assert (again.place, again.lease != card.lease) == (card.place, True)
    before = last_said(session.ledger, again.lease)
    assert before is not None
    assert (before.label, before.note) == ("b", "blurred")


def test_answers_can_be_changed_later(begin: Begin) -> None:
    session = opened(begin)
    for label in "abc":
        session.answer("ada", session.next("ada")[0].lease, label)
    first = next(iter(session.ledger.history["ada"]))
    revise(session, "ada", first, "d", "looked again")
    assert [row.label for row in session.ledger.said(0).values()] == ["d"]
    assert session.log()[1].labeled == 3
    revise(session, "ada", first, SKIP, "")
    assert session.log()[1].skipped == 1
    with pytest.raises(Taken, match="not in the hands of 'bob'"):
        revise(session, "bob", first, "a", "")
    session.undo("ada")
    with pytest.raises(Taken, match="was taken back"):
        revise(session, "ada", first, "a", "")


def test_what_is_put_off_comes_again_after_some_others_also_after_a_restart(begin: Begin) -> None:
    session = opened(begin)
    hand = session.next("ada", 3)
    hand = put_off(session, "ada", hand[0].lease, 3)
    before, session = session, Session.open(session.project)  # a restart, or another process
    before.close()
    assert [each.place for each in hand] == [1, 2, 3]
    assert session.next("bob")[0].place == 0  # others may have it meanwhile
    give_back(session, "bob")
    for _ in range(BACK_AFTER):
        assert hand[0].place != 0
        hand = session.answer("ada", hand[0].lease, "a", ahead=3)
    hand = session.answer("ada", hand[0].lease, "a", ahead=3)
    assert 0 in [each.place for each in hand]
    session.close()


def test_what_is_put_off_comes_when_nothing_else_is_left(begin: Begin) -> None:
    session = opened(begin, ready=1)
    [card] = session.next("ada", 3)
    assert [each.place for each in put_off(session, "ada", card.lease, 3)] == [0]


def test_an_answer_to_what_was_given_back_is_still_taken_if_nobody_has_it(begin: Begin) -> None:
    session = opened(begin)
    card = session.next("ada", 3)[0]
    give_back(session, "ada")
    with pytest.raises(Taken):
        session.answer("ada", card.lease, "a")
    again = retake(session, "ada", card.lease)
    assert again is not None
    session.answer("ada", again, "a")
    session.answer("ada", card.lease, "a")  # the same answer once more, which counts once
    assert session.log()[1].labeled == 1
    assert retake(session, "ada", 10_000) is None


def test_odd_characters_in_notes_are_refused(begin: Begin) -> None:
    session = opened(begin)
    [card] = session.next("ada")
    for note in ("\ud800", "\0"):
        with pytest.raises(InputError, match="cannot be stored"):
            session.answer("ada", card.lease, "a", note)
