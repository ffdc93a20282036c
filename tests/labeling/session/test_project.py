"""How a session begins: folders, labels that exist, budgets."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.errors import InputError
from adjudge.io import write_predictions
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.give import give
from adjudge.labeling.session.project import ProjectSettings, create, open_project
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Work
from adjudge.simulation.contract import example_pool
from tests.support.labeling import ready
from tests.support.pools import Begin


def test_a_project_moves_and_goes_on(begin: Begin, tmp_path: Path) -> None:
    session = begin()
    ready(session)
    [card] = session.next("ada")
    session.answer("ada", card.lease, "b")
    session.close()
    moved = shutil.move(session.project.folder, tmp_path / "elsewhere")
    again = Session.open(open_project(Path(moved)))
    assert again.next("ada")[0].place == 1
    assert again.labels()[1].answered[0]
    again.close()


def test_another_pool_in_the_folder_is_refused(begin: Begin) -> None:
    session = begin()
    ready(session)
    session.close()
    other, _ = example_pool(models=5, samples=300, classes=4, seed=1)
    folder = session.project.folder
    write_predictions(other, folder / "predictions.npz")
    with pytest.raises(InputError, match="not the pool"):
        open_project(folder)


def test_labels_that_exist_come_first_with_their_weights(begin: Begin) -> None:
    session = begin(given=2)
    known = Labels.known(400, [7, 3], [1.0, 2.0])
    drawn = replace(known, weight=np.array([1.0, 1.0]), seen=np.array([0, 1]))
    give(session, drawn, session.project.predictions)
    ready(session, 3)
    labels = session.labels()[1]
    assert labels.sample[:2].tolist() == [7, 3]
    assert labels.answered.tolist() == [True, True, False, False, False]
    with pytest.raises(InputError, match="labels already"):
        give(session, drawn, session.project.predictions)


def test_a_budget_ends_the_picks(begin: Begin) -> None:
    session = begin(budget=3, method="css")
    assert not keep_ready(session, Work.on(session.project), 10)
    assert len(session.ledger.picks) == 3


@pytest.mark.parametrize("name", ["why?", "a#b", "50%25", "a b&c=d"])
def test_a_folder_of_any_name_holds_its_own_labels(begin: Begin, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name / "p.adjudge"
    session = Session.open(create(folder, example_pool(models=3, samples=20)[0], ProjectSettings()))
    session.close()
    assert (folder / "labels.db").exists()
