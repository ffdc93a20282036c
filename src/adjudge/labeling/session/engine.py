"""Databases and what can be wrong with them, each in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DatabaseError as SQLError
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError, SQLAlchemyError

from adjudge.errors import DamagedDatabase, DatabaseError, DiskFull, InputError
from adjudge.labeling.session.backup import restore_sentence

MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATING = Lock()  # alembic works in one thread at a time
BUSY = 30  # seconds that a writer of SQLite waits for the others
FULL = ("SQLITE_FULL", "53100")  # what SQLite and PostgreSQL call a full disk
DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


def without_password(url: str) -> str:
    """The address of a database as it may be written into a file."""
    told = _parsed(url)
    return URL.create(
        told.drivername, told.username, None, told.host, told.port, told.database, told.query
    ).render_as_string()


def open_engine(url: str | URL) -> Engine:
    parsed = _parsed(url)
    kind = parsed.get_backend_name()
    if kind == "sqlite":
        engine = create_engine(parsed, connect_args={"timeout": BUSY})
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    if kind != "postgresql":
        raise InputError(f"databases of the kind {kind!r} are not supported; use SQLite or PostgreSQL")
    return create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True, pool_size=10)


def file_of(engine: Engine) -> Path | None:
    """The file of a SQLite database; None: there is none."""
    name = engine.url.database
    return Path(name) if engine.dialect.name == "sqlite" and name and name != ":memory:" else None


def check_whole(engine: Engine) -> None:
    """Refuse a SQLite file that is damaged, before anything is added to it."""
    file = file_of(engine)
    if file is None or not file.exists():
        return
    with told(engine), engine.connect().execution_options(reads=True) as connection:
        found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise _damaged(file, str(found))


def migrate(engine: Engine) -> None:
    """Bring the tables up to date."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    for last in (False, True):
        try:
            with MIGRATING, engine.begin() as connection:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
            return
        except (IntegrityError, ProgrammingError):  # two processes made the tables at once: one of them did
            if last:
                raise


@contextmanager
def told(engine: Engine) -> Iterator[None]:
    """A database that cannot be reached or used, in one sentence."""
    try:
        yield
    except SQLError as problem:
        raise _named(engine, problem) from None


def _named(engine: Engine, problem: SQLError) -> Exception:
    cause = problem.orig
    code = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or ""
    reason = (str(cause).strip().splitlines() or [""])[0]
    shown = engine.url.render_as_string(hide_password=True)
    if code in FULL:
        return DiskFull(f"the disk of the database {shown} is full, so nothing can be stored; free some space there")
    file = file_of(engine)
    if file is not None and any(code.startswith(each) for each in DAMAGED):
        return _damaged(file, reason)
    if isinstance(problem, OperationalError):
        return DatabaseError(f"the database {shown} cannot be used ({reason}); check its address and that it runs")
    return problem


def _damaged(file: Path, reason: str) -> DamagedDatabase:
    return DamagedDatabase(f"the database {file} is damaged ({reason.splitlines()[0]}); {restore_sentence(file)}")


def _parsed(url: str | URL) -> URL:
    try:
        return make_url(url)
    except SQLAlchemyError:  # the address may hold a password, so it is not repeated
        raise InputError("this is not the address of a database; write postgresql://USER@HOST/NAME") from None


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # the driver would begin transactions later than they must
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: Connection) -> None:
    """Who writes locks at once: a reader that turns into a writer later may find that others were quicker."""
    reads = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
