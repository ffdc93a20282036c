"""Start the page, and end it."""

import os
import socket
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from adjudge.errors import InputError
from adjudge.labeling.session.background import Background
from adjudge.labeling.session.project import Project
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Helper
from adjudge.labeling.web.access import Access, is_loopback
from adjudge.labeling.web.app import make_app
from adjudge.labeling.web.connections import PageServer
from adjudge.labeling.web.desk import Desk
from adjudge.labeling.web.workers import Place, Workers
from adjudge.models.datasets.contents import Samples

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
KIND = 10  # how far the ranking stands back behind the picks and the page
OPENER = '<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={url}"><title>adjudge</title>'


@dataclass(frozen=True)
class Address:
    """Where the page is."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: any that is free
    public: str | None = None  # the name by which a proxy is reached that stands before the page
    workers: int = 1  # web processes

    def check(self, access: Access) -> None:
        if (not is_loopback(self.host) or self.public) and (not access.asks or access.link):
            raise InputError(
                f"{self.public or self.host} can be reached from other machines, so people must prove who they are; "
                "give --token TOKEN or --users FILE"
            )

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names by which the page may be reached; (): any."""
        public = () if self.public is None else (self.public,)
        return (*LOOPBACK_NAMES, *public) if is_loopback(self.host) else ()


def run_page(
    project: Project, database: str | None, access: Access, address: Address, told: Callable[[str], None], browser: bool
) -> None:
    """Serve a project until it is interrupted."""
    address.check(access)
    with ExitStack() as end:
        session = Session.open(project, database)
        end.callback(session.close)
        if address.workers > 1 and session.store.engine.dialect.name == "sqlite":
            raise InputError("several web processes need PostgreSQL; leave out --workers, or give --database")
        samples = Samples.of(project.predictions, project.path_of(project.settings.data))
        listening = end.enter_context(_listen(address))
        picker, looker = Helper(project), Helper(project, KIND)
        for helper in (picker, looker):
            end.callback(helper.close)
        background = Background(session, picker, looker)
        desk = Desk(session, samples, background, access)
        if address.workers > 1:
            made_of = {name: getattr(access, name) for name in ("secret", "token", "users", "person", "link")}
            place = Place(project.folder, database, made_of, address.hosts, listening)
            end.callback(Workers(address.workers - 1, place, background).close)
        server = PageServer(make_app(desk, address.hosts), desk.hub.close)
        url = _url(address, listening, access)
        told(url)
        if browser:
            Timer(1.0, webbrowser.open, (_opened(url, access, project.folder, end),)).start()
        server.run([listening])


def _url(address: Address, listening: socket.socket, access: Access) -> str:
    name = f"[{address.host}]" if ":" in address.host else address.host
    token = f"?token={access.token}" if access.link else ""
    return f"http://{name}:{listening.getsockname()[1]}/{token}"


def _opened(url: str, access: Access, folder: Path, end: ExitStack) -> str:
    """What the browser opens: everybody on the machine sees its arguments, so a token goes into a file."""
    if not access.link:
        return url
    file = folder / "open.html"
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(OPENER.format(url=url))
    end.callback(file.unlink, missing_ok=True)
    return file.as_uri()


def _listen(address: Address) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
        listening.listen(128)  # who comes before the page is up waits
    except OSError as problem:
        raise InputError(
            f"the page cannot be served at {address.host}:{address.port} ({problem.strerror}); choose another --port"
        ) from None
    return listening
