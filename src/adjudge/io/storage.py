"""Files here, or behind any URL that fsspec knows: s3://, gs://, https://, memory://."""

import re
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, cast

from adjudge.errors import InputError
from adjudge.io.files import PathLike, parsing

URL = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)")  # at least two letters, since C:/ is a drive; a Path has one slash


@dataclass(frozen=True)
class StoredFile:
    """A file as it was when it was found."""

    path: str
    name: str
    size: int
    changed: str  # when, or which version it is

    @contextmanager
    def parsed(self) -> Iterator[Any]:
        """What a parser reads: a path of this machine, or an open file elsewhere."""
        with parsing(Path(self.name)):
            if url_of(self.path) is None:
                yield self.path
            else:
                with _opened(self.path) as opened:
                    yield opened

    def digest(self) -> str:
        """A hash of its bytes."""
        found = sha256()
        with parsing(Path(self.name)), _opened(self.path) as opened:
            while block := opened.read(1 << 22):
                found.update(block)
        return found.hexdigest()


def url_of(path: PathLike) -> str | None:
    """The URL, if it is one; file:// is a path like any other."""
    found = URL.fullmatch(str(path))
    return None if found is None or found[1] == "file" else f"{found[1]}://{found[2]}"


def local_path(path: PathLike) -> Path:
    """The path of a file here, without the scheme if it has one."""
    found = URL.fullmatch(str(path))
    return Path("/" + found[2]) if found is not None and found[1] == "file" else Path(path)


def refuse_what_is_read(target: PathLike, paths: Iterable[PathLike], option: str, *, folders: bool = False) -> None:
    """Refuse to replace a file that is read; `folders`: or to write into a folder of which all files are read."""
    file = Path(target)
    places = (file, file.parent) if folders else (file,)
    for path in map(local_path, paths):
        if file.exists() and path.exists() and any(path.samefile(each) for each in places):
            raise InputError(f"{file.name} is among the files that are read; choose another name for {option}")


def stored_file(path: PathLike) -> StoredFile:
    url = url_of(path)
    if url is None:
        file = local_path(path).resolve()
        told = file.stat()
        return StoredFile(str(file), file.name, told.st_size, str(told.st_mtime_ns))
    system, inner = _system(url)
    with _reaching(url):
        return _remote(url, system.info(inner))


def is_folder(path: PathLike) -> bool:
    url = url_of(path)
    if url is None:
        return local_path(path).is_dir()
    system, inner = _system(url)
    with _reaching(url):
        return bool(system.isdir(inner))


def files_in(folder: PathLike) -> list[StoredFile]:
    """The files directly in a folder, by name; names that begin with a dot or an underscore are passed over."""
    url = url_of(folder)
    if url is None:
        found = [stored_file(each) for each in local_path(folder).iterdir() if each.is_file()]
    else:
        system, inner = _system(url)
        with _reaching(url):
            rows = [row for row in system.ls(inner, detail=True) if row["type"] == "file"]
        found = [_remote(f"{url.rstrip('/')}/{row['name'].rsplit('/', 1)[-1]}", row) for row in rows]
    return sorted((each for each in found if not each.name.startswith((".", "_"))), key=lambda each: each.name)


def read_text(path: str) -> str | None:
    """A small text; None where there is none, or where it cannot be read."""
    try:
        with _opened(path) as opened:
            return str(opened.read(), "utf-8")
    except (OSError, UnicodeDecodeError):
        return None


@contextmanager
def fetched(url: str) -> Iterator[Path]:
    """A copy of a remote file, for readers that need one of this machine."""
    with tempfile.TemporaryDirectory(prefix="adjudge-") as folder:
        copy = Path(folder) / Path(url).name
        with _reaching(url), _opened(url) as opened, copy.open("wb") as target:
            shutil.copyfileobj(opened, target, 1 << 22)
        yield copy


def _opened(path: str) -> Any:
    if url_of(path) is None:
        return Path(path).open("rb")
    system, inner = _system(path)
    return cast(BinaryIO, system.open(inner, "rb"))


def _system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    try:
        import fsspec
    except ImportError as problem:
        raise InputError(f'{url} needs fsspec, which is not installed; run: pip install "adjudge[remote]"') from problem
    try:
        return cast("tuple[Any, str]", fsspec.url_to_fs(url))
    except ImportError as problem:
        raise InputError(
            f"{url} needs a package that is not installed ({_reason(problem)}); install it, or copy the file here"
        ) from problem
    except ValueError as problem:
        raise InputError(f"{url} cannot be opened ({_reason(problem)}); give a path, or a URL of fsspec") from problem


@contextmanager
def _reaching(url: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as problem:
        raise InputError(f"{url} does not exist; check the address") from problem
    except InputError:
        raise
    except Exception as problem:  # each storage has errors of its own
        raise InputError(
            f"{url} cannot be reached ({_reason(problem)}); check the address and your rights"
        ) from problem


def _remote(url: str, told: dict[str, Any]) -> StoredFile:
    changed = next(
        (str(told[key]) for key in ("ETag", "etag", "mtime", "created", "LastModified") if key in told), None
    )
    if changed is None:  # it may be another file each time, so nothing that is kept about it fits
        changed = secrets.token_hex(8)
    return StoredFile(url, url.rsplit("/", 1)[-1], int(told.get("size") or 0), changed)


def _reason(problem: BaseException) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0].rstrip(".")
