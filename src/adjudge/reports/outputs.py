"""Tables and figures of experiments, drawn: terminal, Markdown, LaTeX, CSV; SVG, PNG, and one page of all."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import vl_convert
from rich.console import Group
from rich.markup import escape
from rich.table import Table

from adjudge.experiments.outputs import Cell, Grid, Output
from adjudge.io import atomic_write
from adjudge.reports.figures import figure, figure_rows
from adjudge.reports.page import Document, Section, page

PNG_SCALE = 1.6  # sharp on most screens; a figure of fourteen panels stays below a megabyte
GAP = 2  # spaces between the columns of a table
NOTHING = "No task has what this figure needs."


def write_outputs(outputs: Sequence[Output], title: str, lead: str, out: Path) -> None:
    """Every table as Markdown, LaTeX and CSV, every figure as SVG, PNG and CSV, and `report.html` with all."""
    sections = []
    for output in outputs:
        if isinstance(output, Grid):
            for suffix, text in (("md", markdown(output)), ("tex", latex(output)), ("csv", comma_separated(output))):
                _write(out / f"{output.name}.{suffix}", text.encode())
            sections.append(Section(output.title, "", caption=output.note, table=html_rows(output)))
            continue
        _write(out / f"{output.name}.csv", figure_rows(output).encode())
        if not output.panels:
            sections.append(Section(output.title, NOTHING))
            continue
        chart = figure(output)
        svg = vl_convert.vegalite_to_svg(chart.to_dict())
        _write(out / f"{output.name}.svg", svg.encode())
        _write(out / f"{output.name}.png", vl_convert.svg_to_png(svg, scale=PNG_SCALE))
        sections.append(Section(output.title, "", chart, output.note))
    _write(out / "report.html", page(Document(title, lead, sections)).encode())


def terminal(grid: Grid, width: int) -> Group:
    """A table for a terminal of this width; what stands above in the first column is not said again.

    Headings are broken between words. Columns for which there is no room come below, in a table of their own beside
    the columns that say what a row is about.
    """
    columns = [[name, *(each.text for each in cells)] for name, *cells in zip(grid.header, *grid.rows, strict=True)]
    widths = [max(map(len, [*name.split(), *cells])) for name, *cells in columns]
    tables = [_table(grid, widths, shown, width) for shown in _split(widths, _keys(grid), width)]
    apart = [part for table in tables for part in (table, "")][:-1]
    notes = [f"[dim]{escape(grid.note)}[/dim]"] * bool(grid.note)
    return Group(f"[italic]{escape(grid.title)}[/italic]", *apart, *notes)


def _table(grid: Grid, widths: Sequence[int], shown: Sequence[int], width: int) -> Table:
    """Some columns of a table; room that is left goes to headings."""
    room = width - _room(widths, shown)
    table = Table(box=None, pad_edge=False)
    for place in shown:
        more = max(0, min(room, len(grid.header[place]) - widths[place]))
        room -= more
        side: Literal["left", "right"] = "right" if place else "left"
        table.add_column(grid.header[place], justify=side, width=widths[place] + more, overflow="fold")
    above = None
    for row in grid.rows:
        first, *rest = (_styled(row[place]) for place in shown)
        table.add_row("" if first == above else first, *rest)
        above = first
    return table


def _keys(grid: Grid) -> int:
    """How many of the first columns it takes to tell rows apart; one if nothing does."""
    counts = range(1, len(grid.header))
    return next((count for count in counts if len({row[:count] for row in grid.rows}) == len(grid.rows)), 1)


def _split(widths: Sequence[int], keys: int, width: int) -> list[list[int]]:
    """The columns of one table or, where they do not fit, of several with the key columns in each.

    >>> _split([4, 5, 5, 5], 1, 40), _split([4, 5, 5, 5], 1, 20)
    ([[0, 1, 2, 3]], [[0, 1, 2], [0, 3]])
    """
    every = list(range(len(widths)))
    if _room(widths, every) <= width:
        return [every]
    while keys > 1 and any(_room(widths, [*every[:keys], place]) > width for place in every[keys:]):
        keys -= 1  # a column of its own rather than a key too many
    parts: list[list[int]] = [every[: keys + 1]]
    for place in every[keys + 1 :]:
        if _room(widths, [*parts[-1], place]) > width:
            parts.append(every[:keys])
        parts[-1] = [*parts[-1], place]
    return parts


def _room(widths: Sequence[int], places: Sequence[int]) -> int:
    """What these columns and the gaps between them take."""
    return sum(widths[place] for place in places) + GAP * (len(places) - 1)


def markdown(grid: Grid) -> str:
    """A table in Markdown: bold as bold, shaded as italics.

    >>> print(markdown(Grid("t", "Title", ("a", "b"), ((Cell("1", bold=True), Cell("2", shaded=True)),))))
    **Title**
    <BLANKLINE>
    | a | b |
    |---|---|
    | **1** | *2* |
    <BLANKLINE>
    """

    def text(each: Cell) -> str:
        plain = each.text.replace("|", "\\|")
        return f"**{plain}**" if each.bold else f"*{plain}*" if each.shaded else plain

    lines = [f"**{grid.title}**", "", "| " + " | ".join(grid.header) + " |", "|" + "---|" * len(grid.header)]
    lines += ["| " + " | ".join(text(each) for each in row) + " |" for row in grid.rows]
    return "\n".join([*lines, "", *([grid.note.replace("Shaded", "Italics"), ""] if grid.note else [])])


def latex(grid: Grid) -> str:
    """A `tabular` that needs booktabs, and colortbl for the shading."""
    special = {each: "\\" + each for each in "&%$#_{}"} | {
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }

    def plain(text: str) -> str:
        return "".join(special.get(each, each) for each in text)

    def text(each: Cell) -> str:
        inner = rf"\textbf{{{plain(each.text)}}}" if each.bold else plain(each.text)
        return rf"\cellcolor[gray]{{0.9}}{inner}" if each.shaded else inner

    rows = [" & ".join(text(each) for each in row) + r" \\" for row in grid.rows]
    return "\n".join(
        [
            r"\begin{tabular}{l" + "r" * (len(grid.header) - 1) + "}",
            r"\toprule",
            " & ".join(map(plain, grid.header)) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def comma_separated(grid: Grid) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(grid.header)
    writer.writerows([each.text for each in row] for row in grid.rows)
    return text.getvalue()


def as_text(grids: Sequence[Grid]) -> dict[str, Any]:
    """Tables by name, as rows of text with the header first."""
    return {grid.name: [grid.header, *([each.text for each in row] for row in grid.rows)] for grid in grids}


def html_rows(grid: Grid) -> list[list[tuple[str, str]]]:
    """(text, class) of every cell, the header first."""
    head = [(name, "head") for name in grid.header]
    body = [
        [(each.text, " ".join(["bold"] * each.bold + ["shaded"] * each.shaded)) for each in row] for row in grid.rows
    ]
    return [head, *body]


def _styled(each: Cell) -> str:
    text = escape(each.text)
    return f"[bold]{text}[/bold]" if each.bold else f"[dim]{text}[/dim]" if each.shaded else text


def _write(path: Path, content: bytes) -> None:
    with atomic_write(path) as file:
        file.write(content)
