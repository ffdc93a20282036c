"""How a ranking changes from one part of the pool to another."""

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from adjudge.core.index import counted, shortened
from adjudge.decisions.slices import SliceChange

MOST = 3  # names of models that share the first place


def changes_table(column: str, changes: Sequence[SliceChange]) -> Table:
    """A row for each slice: who is first there, and how the leader on clean data does."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(escape(column), overflow="fold")
    table.add_column("first", overflow="fold")
    table.add_column(f"rank of {escape(changes[0].leader)}", justify="right")
    table.add_column("Spearman", justify="right")
    table.add_column("it is")
    for each in changes:
        names = shortened(each.best, MOST)
        table.add_row(escape(each.name), escape(names), str(each.rank), f"{each.spearman:.2f}", each.verdict)
    return table


def changes_sentence(changes: Sequence[SliceChange], clean: str) -> str:
    compared = [each for each in changes if not each.alone]
    first = sum(each.rank == 1 for each in compared)
    lost = [each.name for each in compared if each.may_be_best is False]
    more = f" It is clearly no longer the best in {', '.join(lost)}." if lost else ""
    return f"{changes[0].leader} is first on {clean} and in {first} of {counted(len(compared), 'slice')}.{more}"
