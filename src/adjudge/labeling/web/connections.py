"""Connections: how many there are, how slow they may be, and how they end."""

import asyncio
import logging
import resource
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 1000  # connections at once
SPARE = 100  # files that the process opens besides
REQUEST_TIMEOUT = 20.0  # seconds for a whole request, however slowly it comes
WRITE_TIMEOUT = 30.0  # seconds that a client may stall while it is sent something
KEEP_ALIVE = 75  # seconds that a connection stays open without a request
GRACE = 1  # seconds for what is being sent when the server ends


class Connection(H11Protocol):
    """A connection that is closed if its request takes too long to arrive, or its client stalls.

    When all places are taken, the one that has waited longest without a whole request makes room, so connections that
    are opened and left alone keep nobody else out.
    """

    most = MOST

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.timer: asyncio.TimerHandle | None = None
        self.since = self.loop.time()
        if len(self.connections) >= self.most and not self._make_room():
            transport.abort()
        super().connection_made(transport)
        self._start_timeout(REQUEST_TIMEOUT)

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timeout()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        begun = self.conn.their_state is h11.SEND_BODY or (
            self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        )
        if not begun:
            self._cancel_timeout()
        elif self.timer is None:
            self._start_timeout(REQUEST_TIMEOUT)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_timeout(WRITE_TIMEOUT)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel_timeout()

    def _start_timeout(self, seconds: float) -> None:
        self._cancel_timeout()
        self.timer = self.loop.call_later(seconds, self.transport.abort)

    def _cancel_timeout(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    @property
    def is_idle(self) -> bool:
        """Whether no request of this connection is being processed."""
        return self.timer is not None or self.cycle is None or self.cycle.response_complete

    def _make_room(self) -> bool:
        others = (each for each in self.connections if isinstance(each, Connection) and each.is_idle)
        oldest = min(others, key=lambda each: (each.timer is None, each.since), default=None)
        if oldest is None:
            return False
        self.connections.discard(oldest)
        oldest.transport.abort()
        return True


class PageServer(uvicorn.Server):
    """A server that ends at once; clients that listen for events are told so first."""

    def __init__(self, app: Any, before_end: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=_bounded_connection(),
                log_level="error",  # requests that make no sense are not worth a line each
                access_log=False,
                timeout_graceful_shutdown=GRACE,
                timeout_keep_alive=KEEP_ALIVE,
            )
        )
        self.before_end = before_end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.before_end()
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # downloads that are cut off now are no failure
        await super().shutdown(sockets)


def _bounded_connection() -> type[Connection]:
    """Connections, at most as many as the process may open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + SPARE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == -1 else min(wanted, hard), hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = wanted if soft == resource.RLIM_INFINITY else soft
    return type("BoundedConnection", (Connection,), {"most": max(1, min(Connection.most, files - SPARE))})
