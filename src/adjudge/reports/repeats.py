"""Several runs of one model, as a table."""

from math import isnan

from rich.markup import escape
from rich.table import Table

from adjudge.charts.cells import UNKNOWN, number
from adjudge.decisions.repeats import RepeatedModel, Repeats

WRAPPED = ("answers change", "variance by runs")  # headings that may take two lines


def repeats_table(found: Repeats) -> Table:
    """One row per model, the best first."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("model", overflow="fold", min_width=6)
    headings = ["runs", "answers change"]
    if found.labels:
        headings += [f"{found.quantity} ({found.level:.0%})", "single runs", "variance by runs"]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=heading not in WRAPPED)
    for row in found.models:
        table.add_row(escape(row.name), str(row.runs), _percent(row.changes), *_judged(row, found))
    return table


def _judged(row: RepeatedModel, found: Repeats) -> list[str]:
    if not found.labels:
        return []
    if isnan(row.value):
        return [UNKNOWN, UNKNOWN, UNKNOWN]
    value, low, high, lowest, highest = map(number, (row.value, row.low, row.high, row.lowest, row.highest))
    single = f"{lowest} to {highest}" if row.runs > 1 else UNKNOWN
    return [f"{value} ({low}-{high})", single, _percent(row.run_share)]


def _percent(number: float) -> str:
    return UNKNOWN if isnan(number) else f"{number:.0%}"
