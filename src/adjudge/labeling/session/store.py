"""The rows of one project in its database, SQLite or PostgreSQL.

Rows are inserted and never changed. Whoever writes first locks the project, so that what was read before an insert is
still true when it is made: reading a row, changing it and writing it back lost most updates when eight people did so.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from math import isnan, nan
from typing import Any, Self

from sqlalchemy import URL, Connection, Engine, RowMapping, Table, bindparam, exists, func, insert, select, text
from sqlalchemy.exc import IntegrityError

from adjudge.core.labels import Pick
from adjudge.errors import InputError
from adjudge.labeling.session.backup import check_present
from adjudge.labeling.session.engine import check_whole, file_of, migrate, open_engine, told
from adjudge.labeling.session.rows import AnswerRow, LeaseRow, MergeRow, News, PickRow
from adjudge.labeling.session.schema import ANSWER, LEASE, LOOK, MERGE, PICK, PROJECT

# answers first: a lease or a pick that comes between two reads is only seen a moment later
READ = (MERGE, ANSWER, LEASE, PICK)
# statements are made once: to make one takes longer than to run it
LOCK = select(PROJECT.c.id).where(PROJECT.c.id == bindparam("p")).with_for_update()
INSERT = {table: insert(table) for table in READ}
LAST = {table: select(func.max(table.c.id)) for table in READ}
NUMBERS = text("SELECT nextval(CAST(:sequence AS regclass)) FROM generate_series(1, :count)")


def _later(table: Table, last: str) -> Any:
    return (table.c.project == bindparam("p"), table.c.id > bindparam(last))


SINCE = {table: select(table).where(*_later(table, "last")).order_by(table.c.id) for table in READ}
ANYTHING = select(*(exists().where(*_later(table, table.name)).label(table.name) for table in READ))


@dataclass
class Turn:
    """A locked project: what is read now is still true when the turn ends and what was added becomes visible.

    Rows are inserted together at the end: each wait for a database on another machine, or on a busy one, counts.
    """

    connection: Connection
    project: str
    rows: int = 1  # of a table that are likely to be added
    now: float = field(default_factory=time.time)
    picks: list[PickRow] = field(default_factory=list)  # added, and not learned by the store yet
    leases: list[LeaseRow] = field(default_factory=list)
    answers: list[AnswerRow] = field(default_factory=list)
    merges: list[MergeRow] = field(default_factory=list)
    last: dict[str, int] = field(default_factory=dict)  # the newest id, by table
    _numbers: dict[str, Iterator[int]] = field(default_factory=dict)  # free ids
    _values: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # to be inserted

    def add_picks(self, rows: Sequence[PickRow]) -> None:
        for row in rows:
            pick = row.pick._asdict()
            weights = {name: None if isnan(pick[name]) else pick[name] for name in ("weight", "max_weight")}
            self._add(PICK, pick | weights | {"place": row.place, "name": row.name, "copies": row.copies})
        self.picks.extend(rows)

    def add_lease(self, place: int, seat: int, turn: int, person: str, until: float) -> LeaseRow:
        key = self._add(LEASE, {"place": place, "seat": seat, "turn": turn, "person": person, "until": until})
        self.leases.append(LeaseRow(key, place, seat, turn, person, self.now, until))
        return self.leases[-1]

    def add_answer(self, lease: int, revision: int, kind: str, label: str | None, note: str) -> AnswerRow:
        key = self._add(ANSWER, {"lease": lease, "revision": revision, "kind": kind, "label": label, "note": note})
        self.answers.append(AnswerRow(key, lease, revision, kind, label, note, self.now))
        return self.answers[-1]

    def add_merge(self, answer: str, meant: str, kind: str, person: str) -> MergeRow:
        key = self._add(MERGE, {"answer": answer, "meant": meant, "kind": kind, "person": person})
        self.merges.append(MergeRow(key, answer, meant, kind, person, self.now))
        return self.merges[-1]

    def _add(self, table: Table, values: dict[str, Any]) -> int:
        key = next(self._numbers.get(table.name, iter(())), None)
        if key is None:
            self._numbers[table.name] = self._free(table)
            key = next(self._numbers[table.name])
        self._values.setdefault(table.name, []).append(values | {"id": key, "at": self.now, "project": self.project})
        self.last[table.name] = key
        return key

    def _free(self, table: Table) -> Iterator[int]:
        """Ids that no other row has or will have, in order; nobody else writes to the project meanwhile."""
        if self.connection.dialect.name == "sqlite":  # nor to the database
            return count(1 + (self.connection.execute(LAST[table]).scalar() or 0))
        told = {"sequence": f"{table.name}_id_seq", "count": self.rows}
        return iter(self.connection.execute(NUMBERS, told).scalars().all())

    def insert(self) -> None:
        for table in reversed(READ):
            if rows := self._values.pop(table.name, None):
                self.connection.execute(INSERT[table], rows)


@dataclass
class Store:
    """The rows of one project, and how far they were read."""

    engine: Engine
    project: str
    read: dict[str, int] = field(default_factory=dict)

    @classmethod
    def open(cls, url: str | URL, project: str, pool: str) -> Self:
        """Open or make the database, bring its tables up to date, and enter the project."""
        engine = open_engine(url)
        file = file_of(engine)
        if file is not None:
            check_present(file)
        check_whole(engine)
        with told(engine):
            migrate(engine)
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
    def turn(self, rows: int = 1) -> Iterator[Turn]:
        """A transaction in which nobody else writes to the project; all of it is kept, or nothing."""
        with told(self.engine), self.engine.begin() as connection:
            if self.engine.dialect.name != "sqlite":  # there the whole transaction holds the only lock
                connection.execute(LOCK, {"p": self.project})
            turn = Turn(connection, self.project, rows)
            yield turn
            turn.insert()

    def added(self, turn: Turn) -> News:
        """The rows that a turn has added since the last call, without a look at the database."""
        news = News(tuple(turn.picks), tuple(turn.leases), tuple(turn.answers), tuple(turn.merges))
        for rows in (turn.picks, turn.leases, turn.answers, turn.merges):
            rows.clear()
        self.read |= turn.last
        return news

    def news(self, turn: Turn | None = None) -> News:
        """The rows that came since the last call; to be called by one thread at a time."""
        if turn is not None:
            return self._news(turn.connection)
        with told(self.engine), self._reading() as connection:
            return self._news(connection)

    def _news(self, connection: Connection) -> News:
        read = {table.name: self.read.get(table.name, 0) for table in READ}
        there = connection.execute(ANYTHING, {"p": self.project} | read).one()
        if not any(there):
            return News()
        found = {table.name: self._since(connection, table) for table in READ}
        # only when all were read: rows that nobody got to see would be passed over
        self.read |= {name: rows[-1]["id"] for name, rows in found.items() if rows}
        merges, answers, leases, picks = found.values()
        return News(
            tuple(map(_pick, picks)),
            tuple(map(_lease, leases)),
            tuple(map(_answer, answers)),
            tuple(map(_merge, merges)),
        )

    def _since(self, connection: Connection, table: Table) -> Sequence[RowMapping]:
        told = {"p": self.project, "last": self.read.get(table.name, 0)}
        return connection.execute(SINCE[table], told).mappings().all()

    def add_look(self, labels: int, facts: str) -> None:
        """Keep what was shown at so many labels; the first look counts."""
        row = insert(LOOK).values(project=self.project, labels=labels, facts=facts)
        try:
            with told(self.engine), self.engine.begin() as connection:
                connection.execute(row)
        except IntegrityError:
            return

    def looks(self) -> list[tuple[int, str]]:
        wanted = select(LOOK.c.labels, LOOK.c.facts).where(LOOK.c.project == self.project).order_by(LOOK.c.labels)
        with told(self.engine), self._reading() as connection:
            return [(row.labels, row.facts) for row in connection.execute(wanted)]

    def _reading(self) -> Connection:
        return self.engine.connect().execution_options(reads=True)

    def close(self) -> None:
        self.engine.dispose()


def _pick(row: RowMapping) -> PickRow:
    weight, max_weight = (nan if row[name] is None else row[name] for name in ("weight", "max_weight"))
    pick = Pick(row["sample"], weight, row["seen"], row["stratum"], max_weight)
    return PickRow(row["place"], row["name"], pick, row["copies"])


def _lease(row: RowMapping) -> LeaseRow:
    names = ("id", "place", "seat", "turn", "person", "at", "until")
    return LeaseRow(*(row[name] for name in names))


def _answer(row: RowMapping) -> AnswerRow:
    names = ("id", "lease", "revision", "kind", "label", "note", "at")
    return AnswerRow(*(row[name] for name in names))


def _merge(row: RowMapping) -> MergeRow:
    names = ("id", "answer", "meant", "kind", "person", "at")
    return MergeRow(*(row[name] for name in names))
