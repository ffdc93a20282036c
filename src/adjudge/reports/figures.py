"""Figures of experiments as Vega-Lite specifications, written out: building them piece by piece takes far longer."""

import csv
import io
import json
from typing import Any

from adjudge.charts import COLORS, SCHEMA, Chart
from adjudge.experiments.outputs import Figure, Panel
from adjudge.reports.heat import heat_map, points_of

MOST_LABELS = 10  # below the bars of a panel
MOST_FLAT = 5  # names below a panel that fit side by side
MOST_NAMES, NAME_WIDTH = 8, 46  # names below a panel of the usual width; the pixels that each one of more gets
POINT = 12  # pixels around points, so that none is cut by an edge
MOST_HIGH = 224  # pixels
LEVEL_COLOR = "#555555"
MARKS: dict[str, dict[str, Any]] = {
    "lines": {"type": "line", "strokeWidth": 1.8},
    "bars": {"type": "bar"},
    "points": {"type": "circle", "size": 60, "opacity": 0.8},
}
SYMBOLS = {"lines": {"symbolType": "stroke", "symbolStrokeWidth": 2.5}, "bars": {}, "points": {}}
CONFIG = {
    "axis": {"labelFontSize": 10, "titleFontSize": 10, "labelFlush": False},
    "legend": {"labelFontSize": 11, "labelLimit": 300, "symbolOpacity": 1},
}
Specification = dict[str, Any]


def figure_rows(drawn: Figure) -> str:
    """The numbers of a figure as CSV: a row for each point, and for each level."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("panel", "label", "x", "y", "low", "high"))
    for panel in drawn.panels:
        writer.writerows([panel.title, *row.values()] for row in points_of(panel))
        writer.writerows([panel.title, name, "", level, "", ""] for name, level in panel.levels)
    return text.getvalue()


def figure(drawn: Figure) -> Chart:
    """All panels of a figure side by side, with one legend; a label has its color in every panel."""
    if drawn.kind == "heat":
        maps = [heat_map(each, drawn) for each in drawn.panels]
        return Chart({"$schema": SCHEMA, "config": CONFIG, "vconcat": maps})
    used = dict.fromkeys(line.label for panel in drawn.panels for line in panel.lines)
    order = list(dict.fromkeys([*drawn.labels, *used]))  # figures of the same methods share their colors
    labels = [each for each in order if each in used]
    color = {
        "field": "label",
        "type": "nominal",
        "title": None,
        "sort": labels,
        "scale": {"domain": labels, "range": [COLORS[order.index(each) % len(COLORS)] for each in labels]},
        "legend": None
        if drawn.kind == "bars" and len(labels) == 1
        else {"orient": "top", "columns": 6, "offset": 18} | SYMBOLS[drawn.kind],
    }
    columns = 2 if len(drawn.panels) in (2, 4) else 3 if len(drawn.panels) <= 9 else 4
    width = {2: 360, 3: 280, 4: 220}[columns]
    if (most := max(len(panel.ticks) for panel in drawn.panels)) > MOST_NAMES:
        columns, width = 1, most * NAME_WIDTH
    return Chart(
        {
            "$schema": SCHEMA,
            "config": CONFIG,
            "columns": columns,
            "bounds": "flush",  # or else the titles of a row stand at different heights
            "spacing": {"row": 64, "column": 52},
            "resolve": {"scale": {"color": "shared"}},
            "concat": [_panel(panel, drawn, color, width) for panel in drawn.panels],
        }
    )


def _panel(panel: Panel, drawn: Figure, color: Specification, width: int) -> Specification:
    bars = drawn.kind == "bars"
    y = {"type": "quantitative", "title": drawn.y, "scale": {"zero": bars}, "axis": {"tickCount": 5}}
    if drawn.kind == "points":
        y["scale"] = {"zero": False, "padding": POINT}
    tooltip = [
        {"field": "label", "type": "nominal"},
        {"field": "x", "type": "quantitative", "title": drawn.x},
        {"field": "y", "type": "quantitative", "title": drawn.y, "format": ".3f"},
    ]
    shared = {"x": _across(panel, drawn), "color": color}
    seen = shared | {"y": y | {"field": "y"}, "tooltip": tooltip}
    layers: list[Specification] = [{"mark": MARKS[drawn.kind], "encoding": seen}]
    if any(line.low is not None for line in panel.lines):
        band = shared | {"y": y | {"field": "low"}, "y2": {"field": "high"}}
        layers.insert(0, {"mark": {"type": "area", "opacity": 0.15}, "encoding": band})
    return {
        "width": width,
        "height": min(round(width * 0.62), MOST_HIGH),
        "data": {"values": points_of(panel)},
        "layer": [*layers, *_levels(panel, named=not bars), _title(panel, width)],
    }


def _across(panel: Panel, drawn: Figure) -> Specification:
    """The x axis of a panel."""
    x: Specification = {"field": "x", "type": "quantitative", "title": drawn.x}
    if drawn.kind == "bars":
        places = sorted({place for line in panel.lines for place in line.x.tolist()})
        axis = {"values": places[:: -(-len(places) // MOST_LABELS)], "labelAngle": 0}
        return x | {"type": "ordinal", "axis": axis, "scale": {"domain": places}}  # places without a bar as well
    x["scale"] = {"zero": False, "nice": False, "padding": POINT if drawn.kind == "points" else 0}
    if not panel.ticks:
        return x | {"axis": {"tickCount": 5}}
    ticks = [place for _, place in panel.ticks]
    every = [*ticks, *(place for line in panel.lines for place in line.x.tolist())]
    x["scale"]["domain"] = [min(every), max(every)]
    names = {f"{place:g}": name for name, place in panel.ticks}
    axis = {"values": ticks, "labelExpr": f"{json.dumps(names)}[datum.value]"}
    return x | {"axis": axis | {"labelAngle": -30 if len(names) > MOST_FLAT else 0, "labelOverlap": False}}


def _title(panel: Panel, width: int) -> Specification:
    """Above the panel, as a mark: Vega moves true titles by what its axes need, each panel by another height."""
    mark = {"type": "text", "text": panel.title, "fontSize": 11, "fontWeight": "bold", "baseline": "bottom"}
    place = {"x": {"value": width / 2}, "y": {"value": -8}}
    return {"data": {"values": [{}]}, "mark": mark | {"limit": width}, "encoding": place}


def _levels(panel: Panel, named: bool) -> list[Specification]:
    """Dashed lines, with their names where there is room for them."""
    if not panel.levels:
        return []
    data = {"values": [{"label": name, "level": level} for name, level in panel.levels]}
    y = {"field": "level", "type": "quantitative"}
    tooltip = [{"field": "label", "type": "nominal"}, {"field": "level", "type": "quantitative", "format": ".3f"}]
    rule = {"type": "rule", "strokeDash": [6, 4], "strokeWidth": 1.5, "color": LEVEL_COLOR}
    layers: list[Specification] = [{"data": data, "mark": rule, "encoding": {"y": y, "tooltip": tooltip}}]
    if named:
        text = {"type": "text", "align": "left", "baseline": "bottom", "dx": 4, "dy": -2, "color": LEVEL_COLOR}
        written = {"y": y, "x": {"value": 0}, "text": {"field": "label", "type": "nominal"}}
        layers.append({"data": data, "mark": text, "encoding": written})
    return layers
