"""The database of a project, SQLite or PostgreSQL: the only file that speaks SQL.

Rows are inserted and never changed. Whoever writes first locks the project, so that what was read before an insert is
still true when it is made: reading a row, changing it and writing it back lost most updates when eight people did so.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isnan, nan
from pathlib import Path
from threading import Lock
from typing import Any, Self

from sqlalchemy import (
    URL,
    BigInteger,
    Column,
    Connection,
    Double,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    RowMapping,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    insert,
    make_url,
    select,
)
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError, SQLAlchemyError

from adjudge.core.labels import Pick
from adjudge.errors import DatabaseError, InputError
from adjudge.labeling.session.rows import AnswerRow, LeaseRow, News, PickRow

MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATING = Lock()  # alembic works in one thread at a time
BUSY = 30  # seconds that a writer of SQLite waits for the others
Key = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only if they are plain integers

SCHEMA = MetaData()
PROJECT = Table(
    "project",
    SCHEMA,
    Column("id", Text, primary_key=True),
    Column("pool", Text, nullable=False),
    Column("created", Double, nullable=False),
)


def _rows(name: str, *columns: Column[Any] | UniqueConstraint) -> Table:
    """A table of rows that belong to a project, numbered in the order in which they were written."""
    key = Column("id", Key, primary_key=True, autoincrement=True)
    return Table(name, SCHEMA, key, Column("project", ForeignKey("project.id"), nullable=False, index=True), *columns)


PICK = _rows(
    "pick",
    Column("place", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("sample", Key, nullable=False),
    Column("weight", Double),  # NULL: chosen, not drawn
    Column("seen", Integer, nullable=False),
    Column("stratum", Integer, nullable=False),
    Column("max_weight", Double),
    Column("copies", Integer, nullable=False),
    Column("at", Double, nullable=False),
    UniqueConstraint("project", "place", name="one_pick_a_place"),
    UniqueConstraint("project", "sample", name="one_pick_a_sample"),
)
LEASE = _rows(
    "lease",
    Column("place", Integer, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("person", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("until", Double, nullable=False),
    UniqueConstraint("project", "place", "seat", "turn", name="one_person_a_turn"),
)
ANSWER = _rows(
    "answer",
    Column("lease", ForeignKey("lease.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("label", Text),
    Column("note", Text, nullable=False),
    Column("at", Double, nullable=False),
    UniqueConstraint("lease", "revision", name="one_answer_a_revision"),
)
LOOK = _rows(
    "look",
    Column("labels", Integer, nullable=False),
    Column("facts", Text, nullable=False),
    UniqueConstraint("project", "labels", name="one_look_a_label"),
)


@dataclass
class Turn:
    """A locked project: what is read now is still true when the turn ends and what was added becomes visible."""

    connection: Connection
    project: str
    now: float = field(default_factory=time.time)

    def add_pick(self, row: PickRow) -> None:
        pick = row.pick._asdict()
        weights = {name: None if isnan(pick[name]) else pick[name] for name in ("weight", "max_weight")}
        self._insert(PICK, **pick | weights, place=row.place, name=row.name, copies=row.copies, at=self.now)

    def add_lease(self, place: int, seat: int, turn: int, person: str, until: float) -> LeaseRow:
        key = self._insert(LEASE, place=place, seat=seat, turn=turn, person=person, at=self.now, until=until)
        return LeaseRow(key, place, seat, turn, person, until)

    def add_answer(self, lease: int, revision: int, kind: str, label: str | None, note: str) -> AnswerRow:
        key = self._insert(ANSWER, lease=lease, revision=revision, kind=kind, label=label, note=note, at=self.now)
        return AnswerRow(key, lease, revision, kind, label, note, self.now)

    def _insert(self, table: Table, **values: Any) -> int:
        made = self.connection.execute(insert(table).values(project=self.project, **values))
        key = made.inserted_primary_key
        assert key is not None
        return int(key[0])


@dataclass
class Store:
    """The rows of one project, and how far they were read."""

    engine: Engine
    project: str
    read: dict[str, int] = field(default_factory=dict)

    @classmethod
    def open(cls, url: str | URL, project: str, pool: str) -> Self:
        """Open or make the database, bring its tables up to date, and enter the project."""
        engine = _engine(url)
        with _told(engine):
            _migrate(engine)
            store = cls(engine, project)
            store._enter(pool)
        return store

    def _enter(self, pool: str) -> None:
        wanted = select(PROJECT.c.pool).where(PROJECT.c.id == self.project)
        try:
            with self.engine.begin() as connection:
                found = connection.execute(wanted).scalar()
                if found is None:
                    row = insert(PROJECT).values(id=self.project, pool=pool, created=time.time())
                    connection.execute(row)
        except IntegrityError:  # another process was quicker
            with self.engine.begin() as connection:
                found = connection.execute(wanted).scalar()
        if found not in (None, pool):
            raise InputError(
                "the database holds this project for a pool of other samples; give the predictions that it began with"
            )

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """A transaction in which nobody else writes to the project; all of it is kept, or nothing."""
        with _told(self.engine), self.engine.begin() as connection:
            lock = select(PROJECT.c.id).where(PROJECT.c.id == self.project).with_for_update()
            connection.execute(lock)  # SQLite has no such lock: there the whole transaction holds the only one
            yield Turn(connection, self.project)

    def news(self, turn: Turn | None = None) -> News:
        """The rows that came since the last call; to be called by one thread at a time."""
        if turn is not None:
            return self._news(turn.connection)
        with _told(self.engine), self._reading() as connection:
            return self._news(connection)

    def _news(self, connection: Connection) -> News:
        # answers first: a lease or a pick that comes between two reads is only seen a moment later
        found = {table.name: self._since(connection, table) for table in (ANSWER, LEASE, PICK)}
        # only when all were read: rows that nobody got to see would be passed over
        self.read |= {name: rows[-1]["id"] for name, rows in found.items() if rows}
        answers, leases, picks = found.values()
        return News(tuple(map(_pick, picks)), tuple(map(_lease, leases)), tuple(map(_answer, answers)))

    def _since(self, connection: Connection, table: Table) -> Sequence[RowMapping]:
        last = self.read.get(table.name, 0)
        wanted = select(table).where(table.c.project == self.project, table.c.id > last).order_by(table.c.id)
        return connection.execute(wanted).mappings().all()

    def add_look(self, labels: int, facts: str) -> None:
        """Keep what was shown at so many labels; the first look counts."""
        row = insert(LOOK).values(project=self.project, labels=labels, facts=facts)
        try:
            with _told(self.engine), self.engine.begin() as connection:
                connection.execute(row)
        except IntegrityError:
            return

    def looks(self) -> list[tuple[int, str]]:
        wanted = select(LOOK.c.labels, LOOK.c.facts).where(LOOK.c.project == self.project).order_by(LOOK.c.labels)
        with _told(self.engine), self._reading() as connection:
            return [(row.labels, row.facts) for row in connection.execute(wanted)]

    def _reading(self) -> Connection:
        return self.engine.connect().execution_options(reads=True)

    def close(self) -> None:
        self.engine.dispose()


def without_password(url: str) -> str:
    """The address of a database as it may be written into a file."""
    told = _parsed(url)
    return URL.create(
        told.drivername, told.username, None, told.host, told.port, told.database, told.query
    ).render_as_string()


def _parsed(url: str | URL) -> URL:
    try:
        return make_url(url)
    except SQLAlchemyError:  # the address may hold a password, so it is not repeated
        raise InputError("this is not the address of a database; write postgresql://USER@HOST/NAME") from None


def _engine(url: str | URL) -> Engine:
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


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # the driver would begin transactions later than they must
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: Connection) -> None:
    """Who writes locks at once: a reader that turns into a writer later may find that others were quicker."""
    reads = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _migrate(engine: Engine) -> None:
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
def _told(engine: Engine) -> Iterator[None]:
    """A database that cannot be reached or used, in one sentence."""
    try:
        yield
    except OperationalError as problem:
        reason = str(problem.orig).strip().splitlines()[0]
        shown = engine.url.render_as_string(hide_password=True)
        raise DatabaseError(
            f"the database {shown} cannot be used ({reason}); check its address and that it runs"
        ) from None


def _pick(row: RowMapping) -> PickRow:
    weight, max_weight = (nan if row[name] is None else row[name] for name in ("weight", "max_weight"))
    pick = Pick(row["sample"], weight, row["seen"], row["stratum"], max_weight)
    return PickRow(row["place"], row["name"], pick, row["copies"])


def _lease(row: RowMapping) -> LeaseRow:
    return LeaseRow(row["id"], row["place"], row["seat"], row["turn"], row["person"], row["until"])


def _answer(row: RowMapping) -> AnswerRow:
    names = ("id", "lease", "revision", "kind", "label", "note", "at")
    return AnswerRow(*(row[name] for name in names))
