"""Projects, and the rows of their logs."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "project",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("pool", sa.Text, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
    )
    _rows(
        "pick",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("place", "seen", "stratum", "copies")),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sample", Key, nullable=False),
        sa.Column("weight", sa.Double),
        sa.Column("max_weight", sa.Double),
        sa.Column("at", sa.Double, nullable=False),
        sa.UniqueConstraint("project", "place", name="one_pick_a_place"),
        sa.UniqueConstraint("project", "sample", name="one_pick_a_sample"),
    )
    _rows(
        "lease",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("place", "seat", "turn")),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
        sa.UniqueConstraint("project", "place", "seat", "turn", name="one_person_a_turn"),
    )
    _rows(
        "answer",
        sa.Column("lease", Key, sa.ForeignKey("lease.id"), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("label", sa.Text),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.UniqueConstraint("lease", "revision", name="one_answer_a_revision"),
    )
    _rows(
        "look",
        sa.Column("labels", sa.Integer, nullable=False),
        sa.Column("facts", sa.Text, nullable=False),
        sa.UniqueConstraint("project", "labels", name="one_look_a_label"),
    )


def _rows(name: str, *columns: sa.Column[Any] | sa.UniqueConstraint) -> None:
    op.create_table(
        name,
        sa.Column("id", Key, primary_key=True, autoincrement=True),
        sa.Column("project", sa.Text, sa.ForeignKey("project.id"), nullable=False),
        *columns,
    )
    op.create_index(f"ix_{name}_project", name, ["project"])
