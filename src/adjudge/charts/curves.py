"""Curves over the number of labels, and points that compare two numbers of each model."""

from collections.abc import Mapping, Sequence

from adjudge.charts.chart import Chart, Row, Specification, Width, chart, top_legend
from adjudge.charts.colors import DRAWN, LIKELY, LINES


def curves_chart(
    curves: Mapping[str, Sequence[Row]], title: str, *, level: float | None = None, width: Width = 560
) -> Chart:
    """A line with a band for each name, from rows of `labels`, `mean`, `low` and `high`; a dashed line at the level."""
    rows = [row | {"name": name} for name, points in curves.items() for row in points]
    names = list(curves)
    color = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": names, "range": LINES[: len(names)]},
        "legend": top_legend(3) | {"symbolType": "stroke", "symbolSize": 400},
    }
    x = {"field": "labels", "type": "quantitative", "axis": {"tickCount": 6, "grid": False}}
    tooltip = [
        {"field": "name", "type": "nominal", "title": "method"},
        {"field": "labels", "type": "quantitative"},
        {"field": "mean", "type": "quantitative", "format": ".3f"},
    ]
    layers: list[Specification] = [
        {
            "mark": {"type": "area", "opacity": 0.2},
            "encoding": {"y": {"field": "low", "type": "quantitative", "title": title}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"y": {"field": "mean", "type": "quantitative"}, "tooltip": tooltip},
        },
    ]
    shared = {"x": x, "color": color}
    layers = [layer | {"encoding": shared | layer["encoding"]} for layer in layers]
    if level is not None:
        rule = {"type": "rule", "color": DRAWN, "strokeDash": [6, 4], "strokeWidth": 2}
        layers.append({"data": {"values": [{}]}, "mark": rule, "encoding": {"y": {"datum": level}}})
    return chart(width, 240, rows, layer=layers)


def scatter_chart(names: Sequence[str], numbers: Mapping[str, Sequence[float]], *, width: Width = 560) -> Chart:
    """One point for each model, at two numbers of it."""
    rows = [
        {"name": name, **dict(zip("xy", pair, strict=True))}
        for name, *pair in zip(names, *numbers.values(), strict=True)
    ]
    encoding = {
        field: {"field": field, "type": "quantitative", "title": title, "scale": {"zero": False, "padding": 10}}
        for field, title in zip("xy", numbers, strict=True)
    }
    tooltip = [{"field": "name", "type": "nominal", "title": "model"}] + [
        {"field": field, "type": "quantitative", "title": title, "format": ".3f"}
        for field, title in zip("xy", numbers, strict=True)
    ]
    mark = {"type": "circle", "size": 70, "color": LIKELY}
    return chart(width, 280, rows, mark=mark, encoding=encoding | {"tooltip": tooltip})
