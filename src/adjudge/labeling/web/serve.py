"""Start the page, and end it."""

import socket
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
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
from adjudge.models.datasets.contents import Samples

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
KIND = 10  # how far the ranking stands back behind the picks and the page


@dataclass(frozen=True)
class Address:
    """Where the page is."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: any that is free
    public: str | None = None  # the name by which a proxy is reached that stands before the page

    def check(self, access: Access) -> None:
        if (not is_loopback(self.host) or self.public) and not access.asks:
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
    session = Session.open(project, database)
    samples = Samples.of(project.predictions, project.path_of(project.settings.data))
    picker, looker = Helper(project), Helper(project, KIND)
    listening = _listen(address)
    try:
        background = Background(session, picker, looker)
        desk = Desk(session, samples, background, access)
        server = PageServer(make_app(desk, address.hosts), desk.hub.close)
        name = f"[{address.host}]" if ":" in address.host else address.host
        url = f"http://{name}:{listening.getsockname()[1]}/"
        told(url)
        if browser:
            Timer(1.0, webbrowser.open, (url,)).start()
        server.run([listening])
    finally:
        for helper in (picker, looker):
            helper.close()
        session.close()
        listening.close()


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
