"""`adjudge methods`: the registry as a table."""

from adjudge.cli.inputs import AsJson, UnusedSeed
from adjudge.cli.output import print_json, screen


def methods(seed: UnusedSeed = 0, as_json: AsJson = False) -> None:
    """List the methods: what each is, where it comes from, what it needs and what it returns.

    Example: adjudge methods
    """
    from adjudge import registry

    rows = [registry.describe(name) for name in registry.methods()]
    if as_json:
        print_json({"methods": [row._asdict() for row in rows]})
        return

    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=True)
    for heading in ("method", "what it is", "paper", "needs", "draws", "returns"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(
            row.name,
            row.summary,
            row.reference,
            ", ".join(row.needs) or "-",
            "yes" if row.draws else "-",
            row.returns,
        )
    screen().print(table)
