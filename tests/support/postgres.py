"""A PostgreSQL server of our own, for the length of a test run."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLACES = "/usr/lib/postgresql/*/bin"


def program(name: str) -> str | None:
    found = shutil.which(name)
    if found is None:
        newest = sorted(Path("/").glob(f"{PLACES.lstrip('/')}/{name}"))
        found = str(newest[-1]) if newest else None
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Postgres:
    """A fresh server on loopback; it refuses to run as root, so it gets its usual user."""

    def __init__(self) -> None:
        initdb, pg_ctl = program("initdb"), program("pg_ctl")
        assert initdb is not None
        assert pg_ctl is not None
        self.pg_ctl, self.port = pg_ctl, free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="adjudge-postgres-", dir="/tmp"))
        self.as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.as_user:
            shutil.chown(self.folder, "postgres")
        data = str(self.folder / "data")
        self._call(initdb, "-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8")

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def process(self) -> int:
        return int((self.folder / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0])

    def start(self) -> None:
        options = f"-h 127.0.0.1 -p {self.port} -k {self.folder} -c fsync=off"
        self._call(self.pg_ctl, "-D", str(self.folder / "data"), "-o", options, "-w", "start")

    def stop(self) -> None:
        """At once, as if the power had failed."""
        self._call(self.pg_ctl, "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def _call(self, *words: str) -> None:
        # its own files: the server would keep a pipe of ours open
        subprocess.run(
            [*self.as_user, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/"
        )


@contextmanager
def started() -> Iterator[Postgres]:
    server = Postgres()
    try:
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(server.folder, ignore_errors=True)


@contextmanager
def running() -> Iterator[str]:
    """The address of a fresh server."""
    with started() as server:
        yield server.url
