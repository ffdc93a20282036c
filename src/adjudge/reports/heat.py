"""Heat maps, and the points that every figure is made of."""

import json
from math import isnan
from typing import Any

from adjudge.experiments.outputs import Figure, Panel

CELL_WIDTH, CELL_HEIGHT = 11, 15  # pixels
HIGHEST = 1.0  # of an accuracy or a correlation
DIVERGING, RISING = "redblue", "viridis"  # both can be told apart by people with color-vision deficiencies
Specification = dict[str, Any]


def heat_map(panel: Panel, drawn: Figure) -> Specification:
    """Rows by their labels, columns by their places; values below 0 get a color of their own."""
    points = points_of(panel)
    places = sorted({point["x"] for point in points})
    known = [point["y"] for point in points if point["y"] is not None]
    signed = bool(known) and min(known) < 0
    rows = [line.label for line in panel.lines]
    names = {f"{place:g}": name for name, place in panel.ticks}
    color = {
        "field": "y",
        "type": "quantitative",
        "title": drawn.y,
        "scale": {"scheme": DIVERGING if signed else RISING, "domain": [-HIGHEST if signed else 0, HIGHEST]},
        "legend": {"gradientLength": min(200, CELL_HEIGHT * max(6, len(rows)))},
    }
    axis = {
        "values": [place for _, place in panel.ticks],
        "labelExpr": f"{json.dumps(names)}[datum.value]",
        "labelAngle": -40,
        "domain": False,
        "ticks": False,
    }
    every = [float(place) for place in range(int(min(places)), int(max(places)) + 1)]  # gaps stay gaps
    return {
        "width": CELL_WIDTH * len(every),
        "height": CELL_HEIGHT * len(rows),
        "data": {"values": points},
        "mark": {"type": "rect", "stroke": "white", "strokeWidth": 0.5},
        "encoding": {
            "x": {"field": "x", "type": "ordinal", "title": None, "scale": {"domain": every}, "axis": axis},
            "y": {"field": "label", "type": "nominal", "title": None, "sort": rows, "axis": {"labelLimit": 200}},
            "color": color,
            "tooltip": [
                {"field": "label", "type": "nominal"},
                {"field": "y", "type": "quantitative", "title": drawn.y, "format": ".3f"},
            ],
        },
    }


def points_of(panel: Panel) -> list[Specification]:
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
