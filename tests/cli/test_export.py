"""`adjudge export`: what goes to other tools comes back with its weights."""

import json
from pathlib import Path

import numpy as np
import pytest

from adjudge.io import read, read_labels
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Work
from tests.support.commands import WIDE
from tests.support.label_studio import annotated
from tests.support.pools import Begin
from tests.support.runner import run


def test_there_and_back_with_the_weights_of_the_plan(tmp_path: Path) -> None:
    pool, plan, tasks = tmp_path / "pool.csv", tmp_path / "plan.csv", tmp_path / "tasks.json"
    pool.write_text(WIDE)
    run("select", pool, "--budget", 4, "--method", "random", "--out", plan)
    run("export", "label-studio", pool, "--plan", plan, "--out", tasks)
    written = json.loads(tasks.read_text())
    assert [task["data"]["order"] for task in written] == [0, 1, 2, 3]
    assert {each["model_version"] for each in written[0]["predictions"]} == {"net", "tree", "rule"}
    assert '<Choice value="cat"/><Choice value="dog"/>' in tasks.with_suffix(".xml").read_text()
    labels = ["cat", None, "wolf"]
    export = tmp_path / "export.json"
    export.write_text(json.dumps([annotated(task, label) for task, label in zip(written, labels, strict=False)]))
    run("import", "label-studio", pool, "--export", export, "--plan", plan, "--out", tmp_path / "labels.csv")
    with pytest.warns(match="no model predicted: 'wolf'"):
        wider, log = read_labels(tmp_path / "labels.csv", read(pool))
    planned = read_labels(plan, read(pool))[1]
    assert log.sample.tolist() == planned.sample.tolist()
    assert log.weight.tolist() == planned.weight.tolist() == [1.0] * 4
    assert log.answered.tolist() == [True, True, True, False]
    assert wider.classes is not None
    assert wider.classes[int(log.value[2])] == "wolf"
    assert np.isnan(log.value[1])


def test_a_closed_session_is_not_asked(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begin(method="random")
    keep_ready(session, Work.on(session.project), 3)
    [card] = session.next("ada")
    session.answer("ada", card.lease, "b")
    session.close()
    closed: list[Session] = []

    def close(own: Session) -> None:
        closed.append(own)
        own.store.close()

    monkeypatch.setattr(Session, "close", close)
    for name in ("labels", "agreement"):
        ask = getattr(Session, name)
        monkeypatch.setattr(Session, name, lambda own, ask=ask: pytest.fail("closed") if own in closed else ask(own))
    told = run("export", "log", session.project.folder, "--out", tmp_path / "labels.csv")
    assert len(closed) == 1
    assert f"1 label is in {tmp_path / 'labels.csv'}, and 2 samples still without one" in told
