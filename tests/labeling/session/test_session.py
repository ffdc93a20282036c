"""One project, one process: hand out, answer, skip, undo, expire, disagree, decide."""

import numpy as np
import pytest

from adjudge.core.arrays import Array
from adjudge.core.labels import SKIP, Pick
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, LabelsError
from adjudge.labeling.session.background import keep_ready, look_at
from adjudge.labeling.session.project import changed, open_project
from adjudge.labeling.session.session import Session, Taken
from adjudge.labeling.session.work import Work
from adjudge.registry import selector
from adjudge.simulation.contract import example_pool
from tests.support.labeling import Clock, ready
from tests.support.pools import Begin, handed_out


def test_a_label_goes_from_the_card_to_the_log(begin: Begin, database: str | None) -> None:
    session = begin(database)
    ready(session)
    [card] = session.next("ada")
    [following] = session.answer("ada", card.lease, "b", note="a clear one")
    pool, labels = session.labels()
    assert (card.place, following.place) == (0, 1)
    assert pool.classes is not None
    assert labels.value[0] == pool.classes.index("b")
    assert labels.answered.tolist() == [True, *[False] * 9]
    assert session.answers()[0][2].note == "a clear one"


def test_picks_keep_how_they_came_about_whether_chosen_or_drawn(begin: Begin, database: str | None) -> None:
    pool, _ = example_pool(models=5, samples=400, classes=4, seed=1)
    session = begin(database, pool=pool, method="pooled", seed=3)
    ready(session, 50)
    reopened = Session.open(session.project, database)
    kept = reopened.labels()[1]
    reopened.close()
    plan = handed_out(selector("pooled"), pool, 50, seed=3)
    assert 0 < np.isnan(kept.weight).sum() < 50
    for name in Pick._fields:
        assert np.array_equal(getattr(kept, name), getattr(plan, name), equal_nan=True), name


def test_a_reload_shows_the_same_cards(begin: Begin) -> None:
    session = begin()
    ready(session)
    assert session.next("ada", ahead=3) == session.next("ada", ahead=3)
    again = Session.open(session.project)
    assert again.next("ada", ahead=3) == session.next("ada", ahead=3)
    again.close()


def test_two_people_get_different_samples_until_time_is_over(begin: Begin, clock: Clock) -> None:
    session = begin(lease=60)
    ready(session)
    [ada], [bob] = session.next("ada"), session.next("bob")
    assert ada.sample != bob.sample
    clock.now += 61
    [carl] = session.next("carl")
    assert carl.sample == ada.sample
    with pytest.raises(Taken, match="not in the hands of 'ada'"):
        session.answer("ada", ada.lease, "b")
    session.answer("bob", bob.lease, "b")  # late, but nobody took it
    assert session.labels()[1].answered[bob.place]


def test_an_answer_sent_twice_counts_once_and_another_one_is_refused(begin: Begin, database: str | None) -> None:
    session = begin(database)
    ready(session)
    [card] = session.next("ada")
    assert session.answer("ada", card.lease, "b") == session.answer("ada", card.lease, "b")
    with pytest.raises(Taken, match=f"sample '{card.name}' has an answer already"):
        session.answer("ada", card.lease, "c")
    with pytest.raises(Taken, match=f"sample '{card.name}' is not in the hands of 'bob'"):
        session.answer("bob", card.lease, "b")
    with pytest.raises(Taken, match="there is no such sample"):
        session.answer("bob", 10_000, "b")
    [following] = session.next("ada")
    with pytest.raises(Taken, match=f"nobody has labeled sample '{following.name}' yet"):
        session.resolve("eve", following.place, "b")
    with pytest.raises(Taken, match="there is no such sample"):
        session.resolve("eve", 10_000, "b")
    assert len(session.answers()) == 1


def test_undo_is_a_row_and_brings_the_card_back(begin: Begin, database: str | None) -> None:
    session = begin(database)
    ready(session)
    [card] = session.next("ada")
    [following] = session.answer("ada", card.lease, "b")
    assert session.undo("ada", ahead=2) == [card, following]
    assert not session.labels()[1].answered.any()
    session.answer("ada", card.lease, SKIP)
    assert session.labels()[1].skipped == 1
    assert [answer.kind for _, _, answer in session.answers()] == ["label", "undo", "skip"]
    session.undo("ada")
    with pytest.raises(Taken, match="nothing to undo"):
        session.undo("ada")


def test_a_class_that_no_model_named_is_taken_and_a_wrong_one_refused(begin: Begin) -> None:
    session = begin()
    ready(session)
    [card] = session.next("ada")
    session.answer("ada", card.lease, " zebra ")
    pool, labels = session.labels()
    assert pool.classes is not None
    assert pool.classes[-1] == "zebra"
    assert labels.value[0] == len(pool.classes) - 1
    for wrong in ("", "nan", "a\0b", "x" * 501):
        with pytest.raises(LabelsError):
            session.answer("ada", card.lease, wrong)
    [card] = session.next("ada")
    session.answer("ada", card.lease, pool.classes[0].upper())
    pool, labels = session.labels()
    assert labels.value[1] == 0
    assert pool.classes is not None
    assert pool.classes[-1] == "zebra"
    with pytest.raises(InputError, match="visible characters"):
        session.next("a\nb")


def test_numbers_are_labels_of_a_regression(begin: Begin) -> None:
    pool = Predictions(np.array([[0.5, 1.5, 2.0], [0.25, 1.0, 2.5]]), ("a", "b"), range(3), None)
    session = begin(pool=pool)
    work = ready(session)
    [card] = session.next("ada")
    with pytest.raises(LabelsError, match="is not a number"):
        session.answer("ada", card.lease, "many")
    session.answer("ada", card.lease, "0.1")
    assert session.labels()[1].value[0] == 0.1
    assert look_at(session, work).standing is None


def test_numbers_with_a_stated_range_have_a_stop_rule(begin: Begin) -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(60)
    pool = Predictions(np.array([truth, 1 - truth]), ("good", "bad"), range(60), None)
    session = begin(pool=pool, range=(0.0, 1.0), loss="absolute", until="within 0.1")
    assert open_project(session.project.folder).settings == session.project.settings
    work = ready(session, 60)
    look = None
    while look is None or (look.standing is not None and not look.standing.stopped):
        [card] = session.next("ada")
        with pytest.raises(LabelsError, match=r"'1.5' is outside the stated range 0 to 1"):
            session.answer("ada", card.lease, "1.5")
        session.answer("ada", card.lease, repr(float(truth[card.sample])))
        look = look_at(session, work)
    assert 3 < look.ranking.labels < 50
    assert look.ranking.estimate.quantity == "MAE"
    assert look.ranking.estimate.anytime
    with pytest.raises(InputError, match=r"a prediction of .* is outside the stated range 0 to 0.5"):
        changed(session.project, {"range": (0.0, 0.5)})


@pytest.mark.parametrize(
    ("values", "classes", "span", "sentence"),
    [
        (np.array([[0.5, 2.0]]), None, (0.0, 1.0), "a prediction of 2 is outside the stated range 0 to 1"),
        (np.array([[0.5, 2.0]]), None, (1.0, 0.0), "the range 1 to 0 is empty"),
        (np.array([[0, 1]]), ("x", "y"), (0.0, 1.0), "a range is for numbers"),
    ],
)
def test_ranges_that_cannot_be_are_refused(
    begin: Begin, values: Array, classes: tuple[str, ...] | None, span: tuple[float, float], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        begin(pool=Predictions(values, ("a",), range(2), classes), range=span)


def test_people_who_tie_get_a_third_and_an_adjudicator_has_the_last_word(begin: Begin, database: str | None) -> None:
    session = begin(database, overlap=2, share=1.0)
    work = ready(session)
    for person, label in (("ada", "b"), ("bob", "c")):
        session.answer(person, session.next(person)[0].lease, label)
    assert session.ledger.disputes() == [0]
    pool, labels = session.labels()
    assert pool.classes is not None
    assert labels.value[0] == pool.classes.index("b")  # the first, as long as they tie
    [card] = session.next("carl")
    assert card.place == 0
    session.answer("carl", card.lease, "c")
    assert session.ledger.disputes() == []
    assert session.labels()[1].value[0] == pool.classes.index("c")
    session.resolve("dora", 0, "d")
    assert session.labels()[1].value[0] == pool.classes.index("d")
    found = session.agreement()
    assert (found.samples, found.disputed, found.people) == (1, 1, 3)
    assert look_at(session, work).noise == found.noise


def test_disagreement_widens_the_intervals(begin: Begin) -> None:
    pool, truth = example_pool(models=5, samples=400, classes=4, seed=1)
    names, looks = pool.classes or (), []
    for wrong_every in (0, 8):
        session = begin(pool=pool, overlap=2, share=1.0, method="random")
        work = ready(session, 60)
        for person in ("ada", "bob"):
            for turn in range(60):
                [card] = session.next(person)
                off = person == "bob" and wrong_every and turn % wrong_every == 0
                session.answer(person, card.lease, names[(truth[card.sample] + bool(off)) % 4])
        looks.append(look_at(session, work))
    plain, noisy = (look.ranking.estimate for look in looks)
    assert looks[0].noise == 0
    assert looks[1].noise is not None
    assert looks[1].noise == pytest.approx(0.067, abs=0.01)  # 8 of 60 pairs differ
    assert np.allclose(noisy.low, plain.low - looks[1].noise)
    assert np.allclose(noisy.high, np.minimum(plain.high + looks[1].noise, 1))


def test_auxiliary_numbers_choose_samples_and_are_not_shown(begin: Begin) -> None:
    pool = example_pool(models=3, samples=60)[0].with_auxiliary("lsa", np.arange(60.0))
    session = begin(pool=pool, budget=20, method="css", options={"by": "auxiliary_lsa"})
    assert not keep_ready(session, Work.on(session.project), 30)
    labels = session.labels()[1]
    assert labels.sample[labels.weight < 1].min() >= 48
    assert session.project.predictions.columns is None
