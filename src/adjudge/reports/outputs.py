"""Tables and figures of experiments, drawn: terminal, Markdown, LaTeX, CSV; SVG, PNG, and one page of all."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
from rich.markup import escape
from rich.table import Table

from adjudge.experiments.outputs import Cell, Figure, Grid, Output, Panel
from adjudge.readers import atomic_write
from adjudge.reports.page import Section, page

# Okabe and Ito's colors, which people with color-vision deficiencies can tell apart
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"]
PANEL_WIDTH, PANEL_HEIGHT, COLUMNS = 300, 200, 3


def write_outputs(outputs: Sequence[Output], title: str, lead: str, out: Path) -> None:
    """Every table as Markdown, LaTeX and CSV, every figure as SVG and PNG, and `report.html` with all."""
    sections = []
    for output in outputs:
        if isinstance(output, Grid):
            for suffix, text in (("md", markdown(output)), ("tex", latex(output)), ("csv", comma_separated(output))):
                _write(out / f"{output.name}.{suffix}", text.encode())
            sections.append(Section(output.title, "", caption=output.note, table=html_rows(output)))
        elif output.panels:
            chart = figure(output)
            for suffix in ("svg", "png"):
                _save(chart, out / f"{output.name}.{suffix}")
            sections.append(Section(output.title, "", chart, output.note))
    _write(out / "report.html", page(title, lead, sections).encode())


def terminal(grid: Grid) -> Table:
    table = Table(
        title=grid.title, caption=grid.note, title_justify="left", caption_justify="left", box=None, pad_edge=False
    )
    for place, name in enumerate(grid.header):
        table.add_column(name, justify="left" if place == 0 else "right")
    for row in grid.rows:
        table.add_row(*(_styled(each) for each in row))
    return table


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
        plain = each.text.replace("|", "\\\\|")
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


def html_rows(grid: Grid) -> list[list[tuple[str, str]]]:
    """(text, class) of every cell, the header first."""
    head = [(name, "head") for name in grid.header]
    body = [
        [(each.text, " ".join(["bold"] * each.bold + ["shaded"] * each.shaded)) for each in row] for row in grid.rows
    ]
    return [head, *body]


def figure(drawn: Figure) -> Any:
    """All panels of a figure side by side, with one legend."""
    labels = list(dict.fromkeys(line.label for panel in drawn.panels for line in panel.lines))
    color = alt.Color("label:N", title=None, sort=labels, scale=alt.Scale(domain=labels, range=_colors(len(labels))))
    panels = [_panel(panel, drawn, color) for panel in drawn.panels]
    return alt.concat(*panels, columns=COLUMNS).configure_legend(orient="top")


def _panel(panel: Panel, drawn: Figure, color: alt.Color) -> Any:
    rows = [
        {"label": line.label, "x": x, "y": y, "low": low, "high": high}
        for line in panel.lines
        for x, y, low, high in zip(
            line.x.tolist(),
            line.y.tolist(),
            line.y.tolist() if line.low is None else line.low.tolist(),
            line.y.tolist() if line.high is None else line.high.tolist(),
            strict=True,
        )
    ]
    x = alt.X(
        "x:O" if drawn.kind == "bars" else "x:Q",
        title=drawn.x,
        scale=alt.Undefined if drawn.kind == "bars" else alt.Scale(zero=False),
    )
    y = alt.Y("y:Q", title=drawn.y, scale=alt.Scale(zero=drawn.kind == "bars"))
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=x,
        color=color,
        tooltip=["label:N", alt.Tooltip("x:Q", title=drawn.x), alt.Tooltip("y:Q", title=drawn.y, format=".3f")],
    )
    marks = {"lines": base.mark_line(strokeWidth=2), "bars": base.mark_bar(), "points": base.mark_circle(size=60)}
    layers = [marks[drawn.kind].encode(y=y)]
    if any(line.low is not None for line in panel.lines):
        layers.insert(0, base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=drawn.y), y2="high:Q"))
    if panel.levels:
        levels = [{"label": name, "level": level} for name, level in panel.levels]
        rule = alt.Chart(alt.InlineData(values=levels)).mark_rule(strokeDash=[6, 4], strokeWidth=2, color="#555")
        layers.append(rule.encode(y="level:Q", tooltip=["label:N", alt.Tooltip("level:Q", format=".3f")]))
    return alt.layer(*layers).properties(title=panel.title, width=PANEL_WIDTH, height=PANEL_HEIGHT)


def _colors(count: int) -> list[str]:
    return [COLORS[place % len(COLORS)] for place in range(count)]


def _styled(each: Cell) -> str:
    text = escape(each.text)
    return f"[bold]{text}[/bold]" if each.bold else f"[dim]{text}[/dim]" if each.shaded else text


def _write(path: Path, content: bytes) -> None:
    with atomic_write(path) as file:
        file.write(content)


def _save(chart: Any, path: Path) -> None:
    held = io.BytesIO() if path.suffix == ".png" else io.StringIO()
    chart.save(held, format=path.suffix[1:], **({"scale_factor": 2} if path.suffix == ".png" else {}))
    content = held.getvalue()
    _write(path, content if isinstance(content, bytes) else content.encode())
