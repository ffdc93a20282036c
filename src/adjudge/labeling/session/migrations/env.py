"""How alembic reaches the database: over the connection that the store holds."""

from alembic import context

from adjudge.labeling.session.schema import SCHEMA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SCHEMA,
    version_table="adjudge_version",
    render_as_batch=True,  # SQLite changes a table by copying it
)
context.run_migrations()
