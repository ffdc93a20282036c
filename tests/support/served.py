"""An endpoint on this machine that answers as it is told to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[list[Any], int], Any]  # the inputs and the number of the request, to JSON, a status, or SILENCE
SILENCE = object()  # no answer for as long as the server is there


@contextmanager
def serving(answer: Answer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of a server, and the requests that it got."""
    got: list[dict[str, Any]] = []
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            got.append({"inputs": body["inputs"], "token": self.headers["Authorization"]})
            said = answer(body["inputs"], len(got))
            if said is SILENCE:
                over.wait()
                return
            content = b"no json" if said is None else json.dumps(said).encode()
            self.send_response(said if isinstance(said, int) else 200)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/model", got
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()
