"""The tables of a project: rows are inserted and never changed."""

from typing import Any

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Integer, MetaData, Table, Text, UniqueConstraint

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
MERGE = _rows(
    "merged",
    Column("answer", Text, nullable=False),
    Column("meant", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("at", Double, nullable=False),
)
LOOK = _rows(
    "look",
    Column("labels", Integer, nullable=False),
    Column("facts", Text, nullable=False),
    UniqueConstraint("project", "labels", name="one_look_a_label"),
)
