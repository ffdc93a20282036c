"""Pools of open answers: which are right, which are the same, and what that does to predictions, labels and draws."""

import json
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.labels import NONE_RIGHT
from adjudge.core.predictions import Predictions
from adjudge.core.strata import disputed
from adjudge.decisions.rank import RankOptions, rank_checked
from adjudge.errors import LabelsError, NotEnoughLabels
from adjudge.io import read_labels, write_labels
from adjudge.io.labels.values import has_open_answers
from adjudge.io.predictions.equal_answers import read_equivalences
from adjudge.io.predictions.normalize import normalized
from adjudge.labeling.session.answers import answers_to
from adjudge.labeling.session.background import Background, keep_ready, look_at
from adjudge.labeling.session.export import export, export_merged
from adjudge.labeling.session.review import merge, unmerge
from adjudge.labeling.session.session import Card, Session, Taken
from adjudge.labeling.session.work import Work
from adjudge.labeling.start import label_project
from tests.support.answers import UNIT, open_pool, right_answer
from tests.support.pools import Begin


def sample_of(card: Card) -> int:
    return int(card.name.removeprefix("q"))


def with_unit(session: Session, person: str = "ada") -> tuple[Card, str]:
    """A card on which some models say the right answer with its unit, and others without."""
    for card in session.next(person, 20):
        right = right_answer(sample_of(card))
        if {right, f"{right} {UNIT}"} <= {each.text for each in answers_to(session.pool, card.sample)}:
            return card, right
    raise AssertionError


def begun(begin: Begin, database: str | None = None, **told: object) -> Session:
    session = begin(database, pool=open_pool(), **{"method": "random"} | told)
    keep_ready(session, Work.on(session.project), 20)
    return session


def test_which_pools_have_open_answers() -> None:
    assert has_open_answers(open_pool())
    assert has_open_answers(open_pool(normalized=False))
    few = Predictions(np.zeros((2, 4), np.int8), ("a", "b"), range(4), ("x", "y"))
    assert not has_open_answers(few)
    many = tuple(map(str, range(50)))
    list_of_classes = Predictions(np.zeros((2, 400), np.int8), ("a", "b"), range(400), many)
    assert not has_open_answers(list_of_classes)
    declared = Predictions(np.zeros((2, 40), np.int8), ("a", "b"), range(40), many, declared=True)
    assert not has_open_answers(declared)


def test_answers_are_counted_the_most_frequent_first() -> None:
    values = np.array([[2], [1], [2], [-1]])
    pool = Predictions(values, ("a", "b", "c", "d"), range(1), ("x", "y", "z"))
    assert [(each.text, each.models) for each in answers_to(pool, 0)] == [("z", 2), ("y", 1)]


def test_two_answers_become_one_and_back(begin: Begin, database: str | None) -> None:
    session = begun(begin, database)
    card, right = with_unit(session)
    before = session.pool
    number = merge(session, "ada", right, f"{right} {UNIT}")
    assert number is not None
    assert f"{right} {UNIT}" not in (session.pool.classes or ())
    assert sum(each.text == right for each in answers_to(session.pool, card.sample)) == 1
    assert merge(session, "ada", f"{right} {UNIT}", right) is None  # they are the same already
    again = Session.open(session.project, database)
    assert again.pool.classes == session.pool.classes
    with pytest.raises(Taken, match="'ada' merged these"):
        unmerge(again, "bob", number)
    unmerge(again, "bob", number, any_person=True)
    session.refresh()
    assert session.pool.classes == before.classes
    with pytest.raises(Taken, match="not merged any more"):
        unmerge(session, "ada", number)
    again.close()


def test_merged_answers_count_as_one_label(begin: Begin) -> None:
    session = begun(begin, overlap=2, share=1.0)
    card, right = with_unit(session)
    [theirs] = [each for each in session.next("bob", 20) if each.name == card.name]
    session.answer("ada", card.lease, right)
    session.answer("bob", theirs.lease, f"{right} {UNIT}")
    assert session.ledger.disputes() == [card.place]
    assert session.agreement().disputed == 1
    merge(session, "ada", right, f"{right} {UNIT}")
    assert session.ledger.disputes() == []
    assert session.agreement().disputed == 0
    pool, labels = session.labels()
    assert pool.text_of(float(labels.value[card.place])) == right


def test_what_is_typed_goes_through_the_door_of_files(begin: Begin) -> None:
    session = begun(begin)
    card, right = with_unit(session)
    session.answer("ada", card.lease, f" {right}.0. ")
    assert session.answers()[-1][2].label == right
    session.undo("ada")
    merge(session, "ada", right, f"{right} {UNIT}")
    session.answer("ada", card.lease, f"{right}  {UNIT}.")  # an answer that was merged, in another spelling
    assert session.answers()[-1][2].label == right


def test_an_answer_that_is_sent_twice_may_be_merged_between(begin: Begin) -> None:
    session = begun(begin)
    card, right = with_unit(session)
    session.answer("ada", card.lease, f"{right} {UNIT}")
    merge(session, "ada", right, f"{right} {UNIT}")
    session.answer("ada", card.lease, f"{right} {UNIT}")  # as a page does that did not hear of the first
    assert len(session.answers()) == 1


def test_none_is_right_is_a_label_and_all_models_are_wrong(begin: Begin) -> None:
    session = begun(begin)
    [card] = session.next("ada")
    session.answer("ada", card.lease, NONE_RIGHT)
    pool, labels = session.labels()
    assert (labels.labeled, labels.skipped) == (1, 0)
    assert not (pool.values[:, card.sample] == labels.value[0]).any()
    assert rank_checked(pool, labels.settled(), RankOptions(method="labeled")).estimate.value.tolist() == [0.0] * 5


def test_only_answers_of_models_are_merged(begin: Begin) -> None:
    session = begun(begin)
    with pytest.raises(Taken, match="no model gave the answer 'what'"):
        merge(session, "ada", "what", right_answer(0))
    graded = begun(begin, grade=(0.0, 1.0))
    with pytest.raises(Taken, match="are not graded"):
        merge(graded, "ada", right_answer(0), right_answer(1))


def test_draws_stay_valid_when_answers_merge(begin: Begin, tmp_path: Path) -> None:
    """A sample may be drawn from those in dispute, and all of its answers turn out to be the same."""
    session = begin(None, pool=open_pool(), method="pooled")
    work = Work.on(session.project)
    for _ in range(30):
        keep_ready(session, work, 1)
        [card] = session.next("ada")
        right = right_answer(sample_of(card))
        if {right, f"{right} {UNIT}"} <= set(session.pool.classes or ()):
            merge(session, "ada", right, f"{right} {UNIT}")
        session.answer("ada", card.lease, right, ahead=0)
    pool, labels = session.labels()
    said = np.sort(pool.values[:, labels.sample], axis=0)
    assert (disputed(pool)[labels.sample] & (said[0] == said[-1])).any()
    assert look_at(session, work).ranking.rows()[0]["name"] in ("ada", "eve")
    export(session, tmp_path / "labels.csv")
    elsewhere, log = read_labels(tmp_path / "labels.csv", open_pool())
    assert rank_checked(elsewhere, log, RankOptions()).rows() == rank_checked(pool, labels, RankOptions()).rows()
    assert elsewhere.classes == pool.classes
    assert np.array_equal(disputed(elsewhere), disputed(open_pool()))
    write_labels(log, elsewhere, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "labels.csv").read_text()


def test_a_project_begins_with_labels_and_their_merges(begin: Begin, tmp_path: Path) -> None:
    session = begun(begin)
    card, right = with_unit(session)
    merge(session, "ada", right, f"{right} {UNIT}")
    session.answer("ada", card.lease, right)
    export(session, tmp_path / "labels.json")
    pool, log = read_labels(tmp_path / "labels.json", open_pool())
    other = Session.open(label_project(tmp_path / "other.adjudge", pool, labels=log))
    assert other.labels()[1].value[card.place] == session.labels()[1].value[card.place]
    assert other.pool.classes == session.pool.classes
    assert len(other.project.predictions.classes or ()) == len(session.project.predictions.classes or ())
    other.close()


def test_merges_become_a_table_for_later(begin: Begin, tmp_path: Path) -> None:
    session = begun(begin)
    _, right = with_unit(session)
    merge(session, "ada", right, f"{right} {UNIT}")
    told = export_merged(session, tmp_path / "same.csv")
    assert told == f"space,punctuation,numbers,{tmp_path / 'same.csv'}"
    assert read_equivalences(tmp_path / "same.csv") == {f"{right} {UNIT}": right}
    assert normalized(open_pool(normalized=False), told).classes == session.pool.classes


def grades_for(session: Session, card: Card) -> str:
    """A grade of 1 for the right answer and of 0 for the others, in the order in which they are kept."""
    right = right_answer(sample_of(card))
    answers = sorted(answers_to(session.pool, card.sample), key=lambda each: each.number)
    return json.dumps([float(each.text.split()[0] == right) for each in answers])


def test_grades_of_all_answers_are_one_label(begin: Begin, database: str | None, tmp_path: Path) -> None:
    session = begun(begin, database, grade=(0.0, 1.0))
    work = Work.on(session.project)
    for _ in range(15):
        keep_ready(session, work, 2)
        [card] = session.next("ada")
        session.answer("ada", card.lease, grades_for(session, card), ahead=0)
    pool, labels = session.labels()
    assert labels.labeled == 15
    found = look_at(session, work)
    assert found.ranking.estimate.quantity == "mean grade"
    assert found.ranking.rows()[0]["name"] == "ada"
    assert found.standing is not None
    export(session, tmp_path / "grades.csv")
    elsewhere, log = read_labels(tmp_path / "grades.csv", open_pool())
    assert rank_checked(elsewhere, log, RankOptions()).rows() == rank_checked(pool, labels, RankOptions()).rows()
    export(session, tmp_path / "grades.json")
    told = json.loads((tmp_path / "grades.json").read_text())["answers"][0]["label"]
    assert set(told) == {each.text for each in answers_to(pool, int(labels.sample[0]))}


def test_a_ranking_goes_when_the_last_grade_is_undone(begin: Begin) -> None:
    session = begun(begin, grade=(0.0, 1.0))
    work = Work.on(session.project)
    background = Background(session, work, work)
    [card] = session.next("ada")
    session.answer("ada", card.lease, grades_for(session, card), ahead=0)
    background._look()
    assert background.newest is not None
    session.undo("ada")
    with pytest.raises(NotEnoughLabels):
        background._look()
    assert background.newest is None


@pytest.mark.parametrize(
    ("said", "why"),
    [("[1]", "grade each of them"), ("[9, 9, 9, 9, 9]", "outside the range 0 to 1"), ("right", "a list of numbers")],
)
def test_grades_that_cannot_be_are_refused(begin: Begin, said: str, why: str) -> None:
    session = begun(begin, grade=(0.0, 1.0))
    several = [each for each in session.next("ada", 20) if len(answers_to(session.pool, each.sample)) > 1]
    count = len(answers_to(session.pool, several[0].sample))
    said = json.dumps(json.loads(said)[:count]) if said.startswith("[9") else said
    with pytest.raises(LabelsError, match=why):
        session.answer("ada", several[0].lease, said)
    assert not session.answers()


def test_a_graded_plan_goes_on_in_a_project(begin: Begin, tmp_path: Path) -> None:
    session = begun(begin, grade=(1.0, 5.0))
    [card] = session.next("ada")
    session.answer("ada", card.lease, json.dumps([3.0] * len(answers_to(session.pool, card.sample))))
    export(session, tmp_path / "grades.csv")
    pool, log = read_labels(tmp_path / "grades.csv", open_pool())
    other = Session.open(label_project(tmp_path / "other.adjudge", pool, labels=log))
    assert other.project.settings.grade == (1.0, 5.0)
    assert other.project.settings.until == "within 0.04"
    assert other.labels()[1].labeled == 1
    assert np.nanmax(other.labels()[0].grades.given) == 3.0  # type: ignore[union-attr]
    other.close()
