"""`adjudge methods`: the registry as a table."""

from adjudge.cli.inputs import AsJson, UnusedSeed
from adjudge.cli.output import print_json, screen


def methods(seed: UnusedSeed = 0, as_json: AsJson = False) -> None:
    """List the methods: what each is, where it comes from, what it needs and what it returns.

    Example: adjudge methods
    """
    from adjudge.registry import list_methods

    rows = list_methods()
    if as_json:
        print_json("methods", {"methods": [row._asdict() for row in rows]})
        return

    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    for row in rows:
        needs = f"; needs {', '.join(row.needs)}" if row.needs else ""
        draws = "; draws" if row.draws else ""
        about = f"{row.reference[:1].upper()}{row.reference[1:]}. Returns {row.returns}{needs}{draws}."
        table.add_row(Text(row.name, "bold"), Text(row.summary).append(f"\n{about}", "dim"))
    screen().print(table)
    screen().print("A method that draws records the chance of every pick, so that its labels give intervals.")
