"""Who may come in, and how they are known afterwards: a signed cookie."""

import asyncio
import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from itsdangerous import BadData, URLSafeTimedSerializer

from adjudge.errors import InputError
from adjudge.labeling.session.checks import checked_person
from adjudge.labeling.web.limits import Attempts
from adjudge.labeling.web.users import NOBODY, OWNER, ROLES, SHORTEST, User, UsersFile, check_length

COOKIE = "adjudge"
STAY = 30 * 24 * 3600  # seconds that a log-in lasts
KNOWN = 365 * 24 * 3600  # seconds for which a browser is known as one that a person has used


@dataclass(frozen=True)
class Visitor:
    """A person who is logged in; the token proves that a request comes from our own page."""

    name: str
    token: str
    role: str = OWNER

    def may(self, role: str) -> bool:
        """Whether this person may do what a role may."""
        return ROLES.index(self.role) >= ROLES.index(role)


@dataclass
class Ended:
    """Log-ins that were ended before their time, kept in a file, so that all processes and restarts know them."""

    path: Path | None = None
    size: int = 0
    ended: set[str] = field(default_factory=set)

    def end(self, token: str) -> None:
        self.ended.add(_digest(token))
        if self.path is not None:
            line = f"{_digest(token)} {time.time() + STAY:.0f}\n"
            with os.fdopen(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as file:
                file.write(line)

    def __contains__(self, token: str) -> bool:
        if self.path is not None:
            with suppress(FileNotFoundError):
                size = self.path.stat().st_size
                if size != self.size:
                    self.ended |= {line.partition(" ")[0] for line in self.path.read_text("utf-8").splitlines()}
                    self.size = size
        return _digest(token) in self.ended


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass
class Access:
    """Nobody is asked on loopback; otherwise one token for all, or a password for each."""

    secret: str
    token: str | None = None
    users: Mapping[str, User] | UsersFile | None = None
    person: str = "me"  # who comes in when nobody is asked, or by the link
    link: bool = False  # whether the token may be part of the address of the page
    ended: Ended = field(default_factory=Ended)
    attempts: Attempts = field(default_factory=Attempts)
    # passwords that are checked at once: each takes memory and time
    hashing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))

    def __post_init__(self) -> None:
        self._signer = URLSafeTimedSerializer(self.secret, salt=COOKIE)
        self._known = URLSafeTimedSerializer(self.secret, salt=f"{COOKIE} browser")
        if self.token is not None:
            check_length(self.token, "the token")

    def _users(self) -> Mapping[str, User] | None:
        return self.users.current() if isinstance(self.users, UsersFile) else self.users

    @property
    def asks(self) -> bool:
        return self.token is not None or self.users is not None

    def admits(self, name: str, password: str) -> bool:
        """Whether the secret is right; it takes as long whether the name is known or not."""
        users = self._users()
        if users is not None:
            return users.get(name, NOBODY).knows(password)
        return self.token is None or hmac.compare_digest(self.token.encode(), password.encode("utf-8", "replace"))

    def opens(self, told: str | None) -> bool:
        """Whether the address of the page held the token."""
        known = self.token if self.link else None
        return bool(known and told) and hmac.compare_digest(str(known).encode(), str(told).encode("utf-8", "replace"))

    def _proof(self, name: str) -> str:
        """What a cookie holds so that it ends with the token or the password that it was given for."""
        users = self._users()
        known = (self.token if users is None else users.get(name, NOBODY).hashed) or ""
        return hmac.new(self.secret.encode(), known.encode(), "sha256").hexdigest()

    def welcome(self, name: str) -> tuple[Visitor, str]:
        """A visitor and the cookie that proves it."""
        users = self._users()
        role = OWNER if users is None else users.get(name, NOBODY).role
        visitor = Visitor(checked_person(name), secrets.token_urlsafe(18), role)
        return visitor, str(self._signer.dumps([visitor.name, visitor.token, self._proof(name)]))

    def visitor(self, cookie: str | None) -> Visitor | None:
        """Who holds a cookie, if it is ours, fresh, not ended, and its person is still known."""
        try:
            name, token, proof = self._signer.loads(cookie or "", max_age=STAY)
        except (BadData, ValueError, TypeError):
            return None
        users = self._users()
        known = users is None or name in users
        if not known or not hmac.compare_digest(proof, self._proof(name)) or token in self.ended:
            return None
        return Visitor(name, token, OWNER if users is None else users[name].role)

    def leave(self, visitor: Visitor) -> None:
        """End a log-in for good: a copy of its cookie is worth nothing either."""
        self.ended.end(visitor.token)

    def remember(self, name: str) -> str:
        """A cookie that says that this browser was used by a person before."""
        return str(self._known.dumps([name, secrets.token_urlsafe(9)]))

    def device(self, cookie: str | None, name: str) -> str | None:
        """The browser that a person has used before; with one token for all, anybody has."""
        try:
            known, device = self._known.loads(cookie or "", max_age=KNOWN)
        except (BadData, ValueError, TypeError):
            return None
        return str(device) if known == name or self.users is None else None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def kept_secret(folder: Path) -> str:
    """The key that cookies are signed with, kept in the project's folder: a restart logs nobody out."""
    path = folder / "secret"
    with suppress(FileExistsError), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(32))
    secret = path.read_text(encoding="utf-8")
    if len(secret) < SHORTEST:  # whoever guesses it could be anybody
        raise InputError(f"the key {path} that cookies are signed with is damaged; delete it, and all log in again")
    return secret
