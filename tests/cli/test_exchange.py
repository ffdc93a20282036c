"""Labels to and from other tools: Label Studio, folders of files."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

from adjudge.cli.main import app
from adjudge.core.labels import SKIP
from adjudge.errors import AdjudgeWarning, InputError, LabelsError
from adjudge.io import read, read_labels
from adjudge.io.labels.label_studio import annotations, fetch_annotations
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.folders import write_folder
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Work
from adjudge.models.datasets.contents import Samples
from tests.support.commands import WIDE
from tests.support.pools import Begin


def run(*words: object) -> str:
    done = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def annotated(task: dict[str, Any], label: str | None, annotators: int = 1) -> dict[str, Any]:
    """A task as Label Studio exports it after people worked on it; no label: they skipped it."""
    result = [] if label is None else [{"from_name": "label", "type": "choices", "value": {"choices": [label]}}]
    one = {"was_cancelled": label is None, "result": result}
    return task | {"id": 1, "annotations": [one] * annotators}


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


def test_a_class_in_another_spelling_is_taken_with_a_warning(tmp_path: Path) -> None:
    pool, export = tmp_path / "pool.csv", tmp_path / "export.json"
    pool.write_text(WIDE)
    export.write_text(json.dumps([annotated({"data": {"sample_id": "b"}}, "Cat")]))
    words = ["import", "label-studio", pool, "--export", export, "--out", tmp_path / "labels.csv"]
    with pytest.warns(AdjudgeWarning, match="taken for classes in another spelling: 'Cat' as 'cat'"):
        run(*words)
    run(*words, "--classes", "cat,dog,Cat")


def test_most_annotators_win() -> None:
    task = {"data": {"sample_id": "a"}}
    cat, dog, skip = (annotated(task, label)["annotations"] for label in ("cat", "dog", None))
    assert annotations([task | {"annotations": [*dog, *cat, *cat]}], "it") == {"a": "cat"}
    assert annotations([task | {"annotations": [*skip]}], "it") == {"a": SKIP}
    assert annotations([task | {"annotations": []}], "it") == {}
    assert annotations([{"sample_id": "a", "label": "cat"}], "it") == {"a": "cat"}  # JSON-MIN
    with pytest.raises(LabelsError, match="no 'sample_id'"):
        annotations([{"data": {"text": "hello"}}], "it")
    with pytest.raises(LabelsError, match="not a list of tasks"):
        annotations({"a": 1}, "it")


class Studio(BaseHTTPRequestHandler):
    """As much of a Label Studio server as an export needs."""

    asked: ClassVar[list[tuple[str, str | None]]] = []

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["authorization"]))
        told = json.dumps([annotated({"data": {"sample_id": "a"}}, "cat")]).encode()
        self.send_response(200 if self.headers["authorization"] == "Token right" else 401)
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def studio() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Studio) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_a_live_server_is_asked_for_its_export(studio: str) -> None:
    assert fetch_annotations(studio, "right", 7) == {"a": "cat"}
    assert Studio.asked[-1] == ("/api/projects/7/export?exportType=JSON", "Token right")
    with pytest.raises(InputError, match="check address and token"):
        fetch_annotations(studio, "wrong", 7)
    with pytest.raises(InputError, match="begin it with http"):
        fetch_annotations("file:///etc/passwd", "right", 7)


def test_a_folder_of_labeled_images_reads_back(begin: Begin, tmp_path: Path) -> None:
    images = np.arange(400 * 5 * 5, dtype=np.uint64).reshape(400, 5, 5).astype(np.uint8)
    np.save(tmp_path / "images.npy", images)
    session = begin(data=str(tmp_path / "images.npy"), method="random")
    keep_ready(session, Work.on(session.project), 3)
    cards = session.next("ada", ahead=3)
    session.answer("ada", cards[0].lease, "a")
    session.answer("ada", cards[1].lease, "b")
    session.answer("ada", cards[2].lease, SKIP)
    assert write_folder(session, tmp_path / "labeled") == 2
    again = Samples.of(session.project.predictions, tmp_path / "labeled")
    content, media = again.content(cards[1].sample), again.media(cards[1].sample)
    original = Samples.of(session.project.predictions, tmp_path / "images.npy").media(cards[1].sample)
    assert content.fields["label"] == "b"
    assert media is not None
    assert media is not None
    assert original is not None
    assert (media.type, media.content) == (original.type, original.content)
    with pytest.raises(InputError, match="not empty"):
        write_folder(session, tmp_path / "labeled")


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
