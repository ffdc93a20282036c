"""What every request passes: its size, where it comes from, and what the answer allows the browser to do."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 64 * 1024  # bytes: an answer and its note are far smaller
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # without any referrer a form would not say where it comes from
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


TOO_LARGE = "the request is too large"


class Guard:
    """Around the whole app: bounded bodies, no other site's requests, strict headers."""

    def __init__(self, app: App, hosts: tuple[str, ...]) -> None:
        self.app = app
        self.hosts = hosts  # names that the page is reached by; (): any

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def guarded_send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = MutableHeaders(raw=message["headers"])
                for name, value in HEADERS.items():
                    given.setdefault(name, value)
                message["headers"] = given.raw
            await send(message)

        if (refusal := self._refusal(scope["method"], headers)) is not None:
            await refusal(scope, receive, guarded_send)
            return
        await self.app(scope, _bounded(receive), guarded_send)

    def _refusal(self, method: str, headers: Headers) -> JSONResponse | None:
        if (
            self.hosts and _host(headers.get("host", "")) not in self.hosts
        ):  # another site whose name was made to point here
            return _refused(400, "this page is not reached by that name")
        size = headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > LARGEST_BODY:
            return _refused(413, TOO_LARGE)
        if method not in ("GET", "HEAD", "OPTIONS"):
            origin = headers.get("origin")
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or (
                origin is not None and origin.partition("://")[2] != headers.get("host")
            ):
                return _refused(403, "the request comes from another site")
        return None


def _host(told: str) -> str | None:
    """The name without its port; None: there is none."""
    try:
        return urlsplit(f"//{told}").hostname
    except ValueError:
        return None


def _bounded(receive: Receive) -> Receive:
    read = 0

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > LARGEST_BODY:
            raise HTTPException(413, TOO_LARGE)
        return message

    return bounded


def _refused(status: int, why: str) -> JSONResponse:
    return JSONResponse({"detail": why}, status)
