"""Labels from Label Studio."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from adjudge.core.labels import SKIP
from adjudge.errors import InputError, LabelsError
from adjudge.io.labels.label_studio import annotations, fetch_annotations
from tests.support.label_studio import annotated


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
