"""What each person did, and which labels there are."""

from adjudge.core.labels import SKIP
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.statistics import PAUSE, label_counts, person_statistics
from adjudge.labeling.session.work import Work
from tests.support.labeling import Clock
from tests.support.pools import Begin


def test_count_speed_and_agreement(begin: Begin, clock: Clock) -> None:
    session = begin(method="random", overlap=2, share=1.0)
    keep_ready(session, Work.on(open_project(session.project.folder)), 6)
    assert person_statistics(session) == []
    for label, pause in (("a", 2.0), ("b", 4.0), ("b", PAUSE + 1), (SKIP, 6.0)):
        session.answer("ada", session.next("ada")[0].lease, label)
        clock.now += pause
    session.answer("ada", session.next("ada")[0].lease, "c")
    session.undo("ada")
    for label in ("a", "c"):
        session.answer("bob", session.next("bob")[0].lease, label)
    ada, bob = person_statistics(session)
    assert (ada.person, ada.answers, ada.skipped, ada.seconds) == ("ada", 4, 1, 4.0)  # breaks do not count
    assert (ada.shared, ada.agreement) == (2, 0.5)
    assert (bob.answers, bob.shared, bob.agreement) == (2, 2, 0.5)
    assert label_counts(session) == [("b", 2), ("a", 1)]  # of those who tie, the first counts
