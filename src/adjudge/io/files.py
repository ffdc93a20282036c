"""Files: checked before they are read, replaced as a whole when they are written.

A new format of predictions has its suffix here, a reader beside `io/predictions/tables.py`, and a line in `read`
(`io/predictions/read.py`); a log of another tool has a reader in `io/runs/`.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

import pyarrow as pa
import pyarrow.csv as arrow_csv

from adjudge.errors import AdjudgeError, InputError

PathLike: TypeAlias = str | os.PathLike[str]

TEXT_SUFFIXES = (".csv", ".tsv")
TABLE_SUFFIXES = (*TEXT_SUFFIXES, ".parquet")
PREDICTION_SUFFIXES = (*TABLE_SUFFIXES, ".npz", ".npy")
TEMPORARY = ".adjudge-*.tmp"  # files that are being written
MAGIC = {  # how a file of each kind begins
    ".npz": (b"PK", "a zip archive, as npz and xlsx files are"),
    ".parquet": (b"PAR1", "a Parquet file"),
    ".npy": (b"\x93NUMPY", "an npy file"),
}


def checked_path(path: PathLike, suffixes: tuple[str, ...] = PREDICTION_SUFFIXES) -> Path:
    """The path of a file that is there, is not empty, and begins as its name says."""
    file = Path(path)
    if not file.exists():
        raise InputError(f"{file} does not exist; check the path")
    if file.is_dir():
        raise InputError(f"{file} is a folder; give a file that ends in {_either(suffixes)}")
    suffix = suffix_of(file, suffixes)
    with parsing(file), file.open("rb") as opened:
        start = opened.read(8)
    if not start:
        raise InputError(f"{file.name} is empty; write it again")
    expected, kind = MAGIC.get(suffix, (b"", "text"))
    if not start.startswith(expected):
        raise InputError(
            f"{file.name} is named {suffix} but is not {kind}; "
            f"{_what_it_is(start)}give it the name that fits, or write it again"
        )
    if suffix in TEXT_SUFFIXES and _what_it_is(start):
        raise InputError(
            f"{file.name} is named {suffix} but is not text; "
            f"{_what_it_is(start)}give it the name that fits, or save it as CSV"
        )
    return file


def suffix_of(path: Path, suffixes: tuple[str, ...] = PREDICTION_SUFFIXES) -> str:
    """The kind of a file, from its name."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        ends = f"ends in {suffix!r}" if suffix else "has no suffix"
        raise InputError(f"{path.name} {ends}; use {_either(suffixes)}")
    return suffix


def check_target(path: PathLike, suffixes: tuple[str, ...]) -> None:
    """Refuse a file that could not be written, before the work that is to go into it."""
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{file} is a folder; name a file in it that ends in {_either(suffixes)}")
    suffix_of(file, suffixes)
    folder = Path(os.path.realpath(file)).parent
    if not folder.is_dir():
        raise InputError(f"the folder {folder} does not exist; make it, or choose another")
    if not os.access(folder, os.W_OK):
        raise InputError(f"you may not write to the folder {folder}; choose another")


def check_beside(truth: PathLike, out: PathLike) -> None:
    """Refuse a file of true labels that could not be written, or that the predictions are written to."""
    check_target(truth, TABLE_SUFFIXES)
    if os.path.realpath(truth) == os.path.realpath(out):
        raise InputError(f"{Path(out).name} is named with --out and --with-truth; choose another name for one of them")


def make_folder(folder: Path) -> Path:
    """The folder, made together with those above it where they are not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"the folder {folder} cannot be made ({problem.strerror}); choose another place") from problem
    return folder


@contextmanager
def parsing(path: Path, advice: str = "it may be damaged or cut short, so write it again") -> Iterator[None]:
    """Turn whatever a parser raises into one sentence that names the file."""
    try:
        yield
    except AdjudgeError:
        raise
    except Exception as error:  # on a damaged file parsers raise nearly anything
        if isinstance(error, UnicodeError) or "UTF8" in str(error):
            kind = "CSV UTF-8" if path.suffix.lower() in TEXT_SUFFIXES else "UTF-8"
            raise InputError(f"{path.name} is not UTF-8 text; save it as {kind}") from error
        raise InputError(f"{path.name} cannot be read ({_reason(error)}); {advice}") from error


@contextmanager
def naming(path: PathLike, kind: type[InputError] = InputError) -> Iterator[None]:
    """Put the file's name in front of an error that does not say where it arose."""
    name = Path(path).name
    try:
        yield
    except InputError as error:
        message = str(error)
        wanted = kind if type(error) is InputError else type(error)
        if name in message and type(error) is wanted:
            raise
        raise wanted(message if name in message else f"{name}: {message}") from error


@contextmanager
def atomic_write(path: PathLike) -> Iterator[BinaryIO]:
    """Write a file as a whole or not at all: after an error the old file is as it was.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> with atomic_write(path) as file:
    ...     size = file.write(b"all of it")
    >>> path.read_bytes()
    b'all of it'
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = target.with_name(TEMPORARY.replace("*", secrets.token_hex(8)))
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{target.name} cannot be written to {target.parent} ({_reason(error)}); "
            "choose a folder that exists, has room, and that you may write to"
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def remove_temporary(folder: Path) -> None:
    """Remove what processes that were killed while they wrote have left."""
    for each in folder.glob(TEMPORARY):
        each.unlink(missing_ok=True)


def write_table(table: pa.Table, path: PathLike) -> None:
    """Write a table as a CSV or Parquet file."""
    file = Path(path)
    suffix = suffix_of(file, TABLE_SUFFIXES)
    with atomic_write(file) as opened:
        if suffix == ".parquet":
            from pyarrow import parquet  # slow to import

            parquet.write_table(table, opened)
        else:
            options = arrow_csv.WriteOptions(delimiter="\t" if suffix == ".tsv" else ",")
            arrow_csv.write_csv(table, opened, write_options=options)


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def _what_it_is(start: bytes) -> str:
    for magic, kind in MAGIC.values():
        if start.startswith(magic):
            return f"it is {kind}: "
    return ""


def _either(suffixes: tuple[str, ...]) -> str:
    return suffixes[0] if len(suffixes) == 1 else f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
