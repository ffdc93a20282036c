"""Answers that people took for the same."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "merged",
        sa.Column("id", Key, primary_key=True, autoincrement=True),
        sa.Column("project", sa.Text, sa.ForeignKey("project.id"), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("answer", "meant", "kind", "person")),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_index("ix_merged_project", "merged", ["project"])
