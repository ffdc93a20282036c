"""Tables and figures of experiments, drawn: terminal, Markdown, LaTeX, CSV; SVG, PNG, and one page of all."""

import csv
import io
from collections.abc import Sequence
from math import isnan
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
LEVEL_COLOR = "#555555"
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
        for suffix in ("svg", "png"):
            _save(chart, out / f"{output.name}.{suffix}")
        sections.append(Section(output.title, "", chart, output.note))
    _write(out / "report.html", page(title, lead, sections).encode())


def terminal(grid: Grid) -> Table:
    """A table for the terminal; what stands above in the first column is not said again."""
    table = Table(
        title=grid.title, caption=grid.note, title_justify="left", caption_justify="left", box=None, pad_edge=False
    )
    for place, name in enumerate(grid.header):
        table.add_column(name, justify="left" if place == 0 else "right")
    above = None
    for first, *rest in grid.rows:
        table.add_row("" if first.text == above else _styled(first), *map(_styled, rest))
        above = first.text
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


def html_rows(grid: Grid) -> list[list[tuple[str, str]]]:
    """(text, class) of every cell, the header first."""
    head = [(name, "head") for name in grid.header]
    body = [
        [(each.text, " ".join(["bold"] * each.bold + ["shaded"] * each.shaded)) for each in row] for row in grid.rows
    ]
    return [head, *body]


def figure_rows(drawn: Figure) -> str:
    """The numbers of a figure as CSV: a row for each point, and for each level."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("panel", "label", "x", "y", "low", "high"))
    for panel in drawn.panels:
        writer.writerows([panel.title, *row.values()] for row in _points(panel))
        writer.writerows([panel.title, name, "", level, "", ""] for name, level in panel.levels)
    return text.getvalue()


def figure(drawn: Figure) -> Any:
    """All panels of a figure side by side, with one legend."""
    labels = list(dict.fromkeys(line.label for panel in drawn.panels for line in panel.lines))
    color = alt.Color(
        "label:N",
        title=None,
        sort=labels,
        scale=alt.Scale(domain=labels, range=[COLORS[place % len(COLORS)] for place in range(len(labels))]),
        legend=None
        if drawn.kind == "bars" and len(labels) == 1
        else alt.Legend(orient="top", columns=6, labelLimit=300),
    )
    columns = 2 if len(drawn.panels) in (2, 4) else 3 if len(drawn.panels) <= 9 else 4
    width = {2: 360, 3: 280, 4: 220}[columns]
    panels = [
        _panel(panel, drawn, color).properties(
            title=alt.Title(panel.title, fontSize=11, limit=width), width=width, height=round(width * 0.62)
        )
        for panel in drawn.panels
    ]
    shared = alt.concat(*panels, columns=columns, spacing=18).resolve_scale(color="shared")
    return shared.configure_axis(labelFontSize=10, titleFontSize=10).configure_legend(labelFontSize=11)


def _panel(panel: Panel, drawn: Figure, color: alt.Color) -> Any:
    bars = drawn.kind == "bars"
    x = alt.X(
        "x:O" if bars else "x:Q",
        title=drawn.x,
        axis=alt.Axis(labelOverlap=True, labelAngle=0) if bars else alt.Axis(tickCount=5),
        scale=alt.Undefined if bars else alt.Scale(zero=False, nice=False),
    )
    y = alt.Y("y:Q", title=drawn.y, scale=alt.Scale(zero=bars), axis=alt.Axis(tickCount=5))
    base = alt.Chart(alt.InlineData(values=_points(panel))).encode(
        x=x,
        color=color,
        tooltip=["label:N", alt.Tooltip("x:Q", title=drawn.x), alt.Tooltip("y:Q", title=drawn.y, format=".3f")],
    )
    marks = {"lines": base.mark_line(strokeWidth=1.8), "bars": base.mark_bar(), "points": base.mark_circle(size=60)}
    layers = [marks[drawn.kind].encode(y=y)]
    if any(line.low is not None for line in panel.lines):
        layers.insert(0, base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=drawn.y), y2="high:Q"))
    if panel.levels:
        layers += _levels(panel, named=not bars)
    return alt.layer(*layers)


def _levels(panel: Panel, named: bool) -> list[Any]:
    """Dashed lines, with their names where there is room for them."""
    values = [{"label": name, "level": level} for name, level in panel.levels]
    chart = alt.Chart(alt.InlineData(values=values)).encode(y=alt.Y("level:Q"))
    rule = chart.mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=LEVEL_COLOR)
    text = chart.mark_text(align="left", baseline="bottom", dx=4, dy=-2, color=LEVEL_COLOR, fontSize=10)
    lines = [rule.encode(tooltip=["label:N", alt.Tooltip("level:Q", format=".3f")])]
    return [*lines, text.encode(x=alt.value(0), text="label:N")] if named else lines


def _points(panel: Panel) -> list[dict[str, Any]]:
    """A row for each point; low and high are the point itself where there is no band."""
    return [
        {"label": line.label, "x": x, "y": _known(y), "low": _known(low), "high": _known(high)}
        for line in panel.lines
        for x, y, low, high in zip(
            line.x.tolist(),
            line.y.tolist(),
            line.y.tolist() if line.low is None else line.low.tolist(),
            line.y.tolist() if line.high is None else line.high.tolist(),
            strict=True,
        )
    ]


def _known(number: float) -> float | None:
    return None if isnan(number) else number  # JSON has no nan


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
