"""The heavy work of a project: picks until the budget ends, and looks at the labels so far."""

import os

import pytest

from adjudge.core.labels import Labels
from adjudge.labeling.session.additions import Additions
from adjudge.labeling.session.work import Work, patched_environment
from tests.support.pools import Begin


def test_no_pick_comes_after_the_budget(begin: Begin) -> None:
    work = Work.on(begin(method="random", budget=7).project)
    assert len(work.picks(Additions(), Labels.empty(400), 5)) == 5
    assert len(work.picks(Additions(), Labels.empty(400), 20)) == 7


def test_the_pickers_begin_anew_when_a_class_is_added(begin: Begin) -> None:
    work = Work.on(begin(method="random").project)
    work.picks(Additions(), Labels.empty(400), 1)
    before, classes = work.picker, work.pool.classes
    work.picks(Additions(), Labels.empty(400), 1)
    assert work.picker is before
    work.picks(Additions(("wolf",)), Labels.empty(400), 1)
    assert work.picker is not before
    assert work.pool.classes == (*(classes or ()), "wolf")


def test_before_any_label_votes_rank_classes(begin: Begin) -> None:
    look = Work.on(begin(method="random").project).look(Additions(), Labels.empty(400), None, "within 0.01")
    assert (look.rows, look.noise, look.crowd) == (0, None, None)
    assert look.ranking.guaranteed is None


def test_an_environment_is_as_it_was_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_A", "before")
    monkeypatch.delenv("ADJUDGE_B", raising=False)
    with patched_environment({"ADJUDGE_A": "1", "ADJUDGE_B": "2"}):
        assert (os.environ["ADJUDGE_A"], os.environ["ADJUDGE_B"]) == ("1", "2")
    assert (os.environ["ADJUDGE_A"], "ADJUDGE_B" in os.environ) == ("before", False)
