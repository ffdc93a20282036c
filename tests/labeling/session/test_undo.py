"""Taking back: what comes of it when others are at work too."""

from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Work
from tests.support.labeling import Clock
from tests.support.pools import Begin


def test_two_who_decide_the_same_sample_can_both_undo_what_else_they_did(begin: Begin) -> None:
    session = begin(overlap=2, share=1.0)
    keep_ready(session, Work.on(session.project), 10)
    for person, label in (("ada", "b"), ("bob", "c")):
        session.answer(person, session.next(person)[0].lease, label)
    session.resolve("ada", 0, "b")
    session.resolve("bob", 0, "c")
    again = Session.open(session.project)
    assert session.ledger.by_person() == again.ledger.by_person() == {"ada": 1, "bob": 2}
    again.close()
    session.undo("ada")
    assert session.ledger.by_person() == {"bob": 2}


def test_the_card_that_was_undone_comes_first_whatever_else_is_in_hand(begin: Begin, clock: Clock) -> None:
    session = begin(lease=60)
    keep_ready(session, Work.on(session.project), 10)
    session.next("bob")
    cards = session.next("ada", ahead=2)
    clock.now += 61
    *_, early = session.answer("ada", cards[0].lease, "b", ahead=2)
    assert early.place < cards[0].place  # what bob did not answer in time
    assert session.undo("ada", ahead=2)[0].place == cards[0].place


def test_a_card_that_was_undone_late_is_in_hand_for_a_whole_time(begin: Begin, clock: Clock) -> None:
    session = begin(lease=60)
    keep_ready(session, Work.on(session.project), 10)
    [card] = session.next("ada")
    session.answer("ada", card.lease, "b", ahead=0)
    clock.now += 61
    [again] = session.undo("ada")
    assert again.place == card.place
    clock.now += 59
    assert session.next("bob")[0].place != card.place
    session.answer("ada", again.lease, "c")
    assert session.labels()[1].answered[card.place]
    assert session.ledger.by_person() == {"ada": 1}
