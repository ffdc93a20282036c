"""Who may come in, and how they are known afterwards: a signed cookie."""

import hmac
import os
import secrets
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from itsdangerous import BadData, URLSafeTimedSerializer

from adjudge.errors import InputError
from adjudge.labeling.session.values import checked_person

COOKIE = "adjudge"
STAY = 30 * 24 * 3600  # seconds that a log-in lasts
SHORTEST = 12  # characters of a token or password
TRIES, TRIES_OF_ALL, WINDOW = 5, 50, 60.0  # failed log-ins from one address and from all, in so many seconds


@dataclass(frozen=True)
class Visitor:
    """A person who is logged in; the token proves that a request comes from our own page."""

    name: str
    token: str


@dataclass
class Access:
    """Nobody is asked on loopback; otherwise one token for all, or a password for each."""

    secret: str
    token: str | None = None
    users: Mapping[str, str] | None = None
    person: str = "me"  # who comes in when nobody is asked
    failures: dict[str, deque[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._signer = URLSafeTimedSerializer(self.secret, salt=COOKIE)
        for what, given in {"the token": self.token, **{f"the password of {n!r}": p for n, p in self._users()}}.items():
            if given is not None and len(given) < SHORTEST:
                raise InputError(f"{what} is too short to be safe; give {SHORTEST} characters or more")

    def _users(self) -> list[tuple[str, str]]:
        return list((self.users or {}).items())

    @property
    def asks(self) -> bool:
        return self.token is not None or self.users is not None

    def admits(self, name: str, password: str) -> bool:
        """Whether the secret is right; it takes as long whether the name is known or not."""
        if not self.asks:
            return True
        expected = (self.token if self.users is None else self.users.get(name)) or self.secret
        return hmac.compare_digest(expected.encode(), password.encode())

    def _proof(self, name: str) -> str:
        """What a cookie holds so that it ends with the token or the password that it was given for."""
        known = (self.token if self.users is None else self.users.get(name)) or ""
        return hmac.new(self.secret.encode(), known.encode(), "sha256").hexdigest()

    def welcome(self, name: str) -> tuple[Visitor, str]:
        """A visitor and the cookie that proves it."""
        visitor = Visitor(checked_person(name), secrets.token_urlsafe(18))
        return visitor, str(self._signer.dumps([visitor.name, visitor.token, self._proof(name)]))

    def visitor(self, cookie: str | None) -> Visitor | None:
        """Who holds a cookie, if it is ours, fresh, and its person is still known."""
        try:
            name, token, proof = self._signer.loads(cookie or "", max_age=STAY)
        except (BadData, ValueError, TypeError):
            return None
        known = self.users is None or name in self.users
        return Visitor(name, token) if known and hmac.compare_digest(proof, self._proof(name)) else None

    def too_many(self, address: str) -> bool:
        """Whether so many log-ins failed lately that no more are tried."""
        oldest = time.monotonic() - WINDOW
        for place in [address for address, times in self.failures.items() if not times or times[-1] < oldest]:
            del self.failures[place]
        lately = {place: sum(at > oldest for at in times) for place, times in self.failures.items()}
        return lately.get(address, 0) >= TRIES or sum(lately.values()) >= TRIES_OF_ALL

    def failed(self, address: str) -> None:
        self.failures.setdefault(address, deque(maxlen=TRIES_OF_ALL)).append(time.monotonic())


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_users(path: Path) -> dict[str, str]:
    """Names and passwords from a file of lines `name:password`, which only its owner may read."""
    try:
        others = path.stat().st_mode & 0o077
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeError) as problem:
        raise InputError(f"the list of users {path} cannot be read ({problem}); check the path") from None
    if others:
        raise InputError(f"the list of users {path} can be read by others; run: chmod 600 {path}")
    users = {}
    for number, line in enumerate(lines, start=1):
        name, sign, password = line.partition(":")
        if not line.strip():
            continue
        if not sign or name.strip() in users:
            raise InputError(f"line {number} of {path.name} is not `name:password` with a name of its own; correct it")
        users[checked_person(name.strip())] = password.strip()
    if not users:
        raise InputError(f"the list of users {path} names nobody; write a line `name:password` for each")
    return users


def kept_secret(folder: Path) -> str:
    """The key that cookies are signed with, kept in the project's folder: a restart logs nobody out."""
    path = folder / "secret"
    with suppress(FileExistsError), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(32))
    secret = path.read_text(encoding="utf-8")
    if len(secret) < SHORTEST:  # whoever guesses it could be anybody
        raise InputError(f"the key {path} that cookies are signed with is damaged; delete it, and all log in again")
    return secret
