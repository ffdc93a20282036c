"""The list of users: a line for each, with the role and the hash of the password."""

import hashlib
import hmac
import logging
import os
import secrets
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from adjudge.errors import InputError
from adjudge.io import atomic_write
from adjudge.labeling.session.checks import checked_person

log = logging.getLogger(__name__)
LABELER, ADJUDICATOR, OWNER = ROLES = ("labeler", "adjudicator", "owner")  # each may do what those before may
SHORTEST = 12  # characters of a token or password
COST = (2**14, 8, 5)  # n, r and p of scrypt: 16 MB and a fifth of a second, as OWASP advises
KIND = "scrypt"


@dataclass(frozen=True)
class User:
    """What is known of a person: never the password itself."""

    role: str
    hashed: str  # kind, cost, salt and hash

    @classmethod
    def with_password(cls, password: str, role: str = LABELER) -> "User":
        check_length(password, "the password")
        salt = secrets.token_bytes(16)
        parts = (*map(str, COST), *(b64encode(each).decode() for each in (salt, _hash(password, salt, COST))))
        return cls(role, "$".join((KIND, *parts)))

    def knows(self, password: str) -> bool:
        _, *cost, salt, expected = self.hashed.split("$")
        n, r, p = map(int, cost)
        return hmac.compare_digest(_hash(password, b64decode(salt), (n, r, p)), b64decode(expected))


NO_SALT, NO_HASH = (b64encode(each).decode() for each in (b"no salt", b"no hash"))
NOBODY = User(LABELER, "$".join((KIND, *map(str, COST), NO_SALT, NO_HASH)))  # knows no password, and takes as long


def check_length(secret: str, what: str) -> None:
    if len(secret) < SHORTEST:
        raise InputError(f"{what} is too short to be safe; give {SHORTEST} characters or more")


def _hash(password: str, salt: bytes, cost: tuple[int, int, int]) -> bytes:
    n, r, p = cost
    known = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(known, salt=salt, n=n, r=r, p=p, maxmem=2**20 + 256 * n * r * p, dklen=32)


@dataclass
class UsersFile:
    """The users of a file, read again whenever it changes: a new password counts at once."""

    path: Path
    users: Mapping[str, User] = field(default_factory=dict)
    seen: tuple[int, ...] = ()

    def current(self) -> Mapping[str, User]:
        now = _state(self.path)
        if now == self.seen:
            return self.users
        try:
            self.users = read_users(self.path)
        except InputError as problem:
            if not self.seen:
                raise
            log.error("%s; until then, those who were known before may come in", problem)
        self.seen = now
        return self.users


def _state(path: Path) -> tuple[int, ...]:
    """What changes with the file."""
    try:
        found = path.stat()
    except OSError:
        return (0,)
    return found.st_mtime_ns, found.st_size, found.st_ino


def private_text(path: Path, what: str) -> str:
    """The text of a file that only its owner may read."""
    try:
        others = path.stat().st_mode & 0o077
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as problem:
        raise InputError(f"{what} {path} cannot be read ({problem}); check the path") from None
    if others:
        raise InputError(f"{what} {path} can be read by others; run: chmod 600 {path}")
    return text


def read_users(path: Path) -> dict[str, User]:
    """The users of a file of lines `name:role:hash`, which `adjudge users add` writes."""
    users = {}
    for number, line in enumerate(private_text(path, "the list of users").splitlines(), start=1):
        if not line.strip():
            continue
        name, *rest = (part.strip() for part in line.split(":"))
        if len(rest) != 2 or not rest[1].startswith(f"{KIND}$") or rest[1].count("$") != 5:
            raise InputError(
                f"line {number} of {path.name} has no hash of a password, and passwords are not kept as they are; "
                f"remove the line and run: adjudge users add {path} {name or 'NAME'}"
            )
        if rest[0] not in ROLES or name in users:
            raise InputError(f"line {number} of {path.name} is not a name of its own and {_either()}; correct it")
        users[checked_person(name)] = User(*rest)
    if not users:
        raise InputError(f"the list of users {path} names nobody; run: adjudge users add {path} NAME")
    return users


def add_user(path: Path, name: str, password: str, role: str = LABELER) -> bool:
    """Write a user into a file, or give the one of that name another password and role; True: the name is new."""
    if ":" in checked_person(name):
        raise InputError(f"the name {name!r} has a colon, which ends names in the file; choose another")
    if role not in ROLES:
        raise InputError(f"the role {role!r} is unknown; give {_either()}")
    users = read_users(path) if path.exists() and path.stat().st_size else {}
    new = name not in users
    users[name] = User.with_password(password, role)
    text = "".join(f"{each}:{user.role}:{user.hashed}\n" for each, user in users.items())
    with atomic_write(path) as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text.encode())
    return new


def _either() -> str:
    return f"{', '.join(ROLES[:-1])} or {ROLES[-1]}"
