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


@contextmanager
def running() -> Iterator[str]:
    """The address of a fresh server on loopback; the server refuses to run as root, so it gets its usual user."""
    initdb, pg_ctl = program("initdb"), program("pg_ctl")
    assert initdb is not None
    assert pg_ctl is not None
    folder = Path(tempfile.mkdtemp(prefix="adjudge-postgres-", dir="/tmp"))
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres")
    port = free_port()
    options = f"-h 127.0.0.1 -p {port} -k {folder} -c fsync=off"

    def call(*words: str) -> None:
        # its own files: the server would keep a pipe of ours open
        subprocess.run([*as_user, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")

    call(initdb, "-D", str(folder / "data"), "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8")
    try:
        call(pg_ctl, "-D", str(folder / "data"), "-o", options, "-w", "start")
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        call(pg_ctl, "-D", str(folder / "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)
