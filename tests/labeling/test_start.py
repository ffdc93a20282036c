"""Projects from Python: begun, gone on with, refused."""

from pathlib import Path

import pytest

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.labeling.session.session import Session
from adjudge.simulation.contract import example_pool

Pool = tuple[Predictions, FloatArray]


def test_a_project_begins_with_labels_and_goes_on(small_pool: Pool, tmp_path: Path) -> None:
    pool, truth = small_pool
    labels = adjudge.select(pool, 5, "random").answer_all(truth)
    begun = adjudge.label_project(tmp_path / "p", pool, labels=labels, method="random", until="within 0.1")
    assert (begun.settings.method, begun.settings.given) == ("random", 5)
    again = adjudge.label_project(tmp_path / "p", until="within 0.2", overlap=2)
    assert (again.settings.until, again.settings.overlap) == ("within 0.2", 2)
    session = Session.open(again)
    assert session.labels()[1].labeled == 5
    session.close()


def test_what_cannot_be_a_project_leaves_nothing_behind(small_pool: Pool, tmp_path: Path) -> None:
    pool, _ = small_pool
    with pytest.raises(InputError, match="give the predictions to begin one with"):
        adjudge.label_project(tmp_path / "p")
    with pytest.raises(InputError, match=r"there is no file .* for the template"):
        adjudge.label_project(tmp_path / "p", pool, template=tmp_path / "none.html")
    with pytest.raises(InputError, match="is for numbers"):
        adjudge.label_project(tmp_path / "p", pool, loss="squared", range=(0, 1))
    with pytest.raises(InputError, match=r"written as 'within 0.05'"):
        adjudge.label_project(tmp_path / "p", pool, until="within 5")
    assert not (tmp_path / "p").exists()


def test_another_pool_is_refused(small_pool: Pool, tmp_path: Path) -> None:
    adjudge.label_project(tmp_path / "p", small_pool[0])
    with pytest.raises(InputError, match="other samples"):
        adjudge.label_project(tmp_path / "p", example_pool(models=3, samples=70)[0])


def test_a_page_for_others_asks_who_they_are() -> None:
    with pytest.raises(InputError, match="people must prove who they are"):
        adjudge.LabelingPage(host="0.0.0.0").check()
    access, address = adjudge.LabelingPage(host="0.0.0.0", port=0, token="a long enough token", name="ada").check()
    assert (access.person, access.asks, address.port) == ("ada", True, 0)
