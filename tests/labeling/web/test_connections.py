"""Connections that come slowly, do nothing, or do not take what they asked for."""

import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Thread

import pytest

from adjudge.labeling.web import connections
from adjudge.labeling.web.connections import Connection, PageServer

HEAD = b"GET / HTTP/1.1\r\nhost: page\r\n"
Serve = Callable[[], int]


async def app(scope: dict[str, object], receive: object, send: Callable[[dict[str, object]], object]) -> None:
    """An answer that is larger than what a connection holds back; to HEAD, a short one after which the line is kept."""
    if scope["type"] != "http":
        return
    if scope["method"] == "HEAD":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})  # type: ignore[misc]
        await send({"type": "http.response.body", "body": b""})  # type: ignore[misc]
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"connection", b"close")]})  # type: ignore[misc]
    for _ in range(400):
        await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})  # type: ignore[misc]
    await send({"type": "http.response.body", "body": b""})  # type: ignore[misc]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as end:

        def make() -> int:
            listening = socket.create_server(("127.0.0.1", 0))
            server = PageServer(app, lambda: None)
            thread = Thread(target=lambda: asyncio.run(server.serve([listening])))
            thread.start()
            end.callback(thread.join)
            end.callback(setattr, server, "should_exit", True)
            return int(listening.getsockname()[1])

        yield make


def connect(port: int, said: bytes) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port), timeout=300)
    line.sendall(said)
    return line


def size(line: socket.socket) -> int:
    """How much comes until the other end closes."""
    total = 0
    try:
        while got := line.recv(2**20):
            total += len(got)
    except ConnectionError:
        pass
    return total


def test_slow_connections_keep_nobody_out(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "most", 20)
    port = serve()
    with ExitStack() as open_lines:
        for _ in range(60):
            open_lines.enter_context(connect(port, HEAD))
        with connect(port, HEAD + b"\r\n") as line:
            assert size(line) > 400 * 100_000


def test_a_request_that_does_not_come_is_not_waited_for(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", 0.2)
    port = serve()
    body = b"POST / HTTP/1.1\r\nhost: page\r\ncontent-length: 10\r\n\r\n12"
    for said in (b"", HEAD):
        with connect(port, said) as line:
            assert size(line) == 0
    with connect(port, body) as line:
        line.recv(1)
        size(line)  # it ends


def test_requests_that_make_no_sense_fill_no_log(serve: Serve, capfd: pytest.CaptureFixture[str]) -> None:
    port = serve()
    for said in (b"no request\r\n\r\n", b"\xff" * 1000 + b"\r\n\r\n", HEAD + b"content-length: x\r\n\r\n"):
        with connect(port, said) as line:
            assert size(line) < 1000
    assert capfd.readouterr() == ("", "")


def test_a_line_that_is_not_used_is_closed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "KEEP_ALIVE", 1)
    with connect(serve(), b"HEAD / HTTP/1.1\r\nhost: page\r\n\r\n") as line:
        size(line)  # what was asked for; then it ends, though nobody asked for that


def test_an_answer_that_is_not_taken_ends(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "WRITE_TIMEOUT", 0.2)
    port = serve()
    with connect(port, HEAD + b"\r\n") as line:
        end = time.monotonic() + 300
        while True:  # a line that was cut refuses what is sent to it
            try:
                line.sendall(b"x")
            except ConnectionError:
                break
            assert time.monotonic() < end
            time.sleep(0.05)
