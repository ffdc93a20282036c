"""The chance of being best as labels came in."""

from collections.abc import Iterable, Mapping, Sequence

from adjudge.charts.chart import Chart, Width, chart, top_legend
from adjudge.charts.colors import LINES

RARE = 0.02  # a chance that is not worth a line, unless it is one of the first two
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4]]  # colors alone are not enough for everybody


def leading_models(order: Iterable[int], chances: Sequence[float]) -> list[int]:
    """The models that are worth a line: the first two, and others that may well be best, at most five.

    >>> leading_models([2, 0, 1, 3], [0.01, 0.3, 0.6, 0.001])
    [2, 0, 1]
    """
    return [model for place, model in enumerate(order) if place < 2 or chances[model] > RARE][: len(LINES)]


def chances_chart(
    labels: Sequence[int], chances: Mapping[str, Sequence[float | None]], *, narrow: bool = False, width: Width = 560
) -> Chart:
    """A line for each of at most five models: its chance of being best after so many labels."""
    rows = [
        {"labels": count, "model": name, "chance": chance}
        for name, line in chances.items()
        for count, chance in zip(labels, line, strict=True)
    ]
    names = list(chances)
    color = {
        "field": "model",
        "type": "nominal",
        "scale": {"domain": names, "range": LINES[: len(names)]},
        "legend": top_legend(1 if narrow else 2) | {"symbolType": "stroke", "symbolSize": 400},
    }
    dash = {"field": "model", "type": "nominal", "scale": {"domain": names, "range": DASHES[: len(names)]}}
    share = {"format": ".0%", "tickCount": 3}
    return chart(
        width,
        220,
        rows,
        mark={"type": "line", "strokeWidth": 2.5, "point": {"size": 30}},
        encoding={
            "x": {
                "field": "labels",
                "type": "quantitative",
                "axis": {"tickMinStep": 1, "tickCount": 6, "grid": False},
            },
            "y": {
                "field": "chance",
                "type": "quantitative",
                "title": "chance of being best",
                "scale": {"domain": [0, 1]},
                "axis": share,
            },
            "color": color,
            "strokeDash": dash,
            "tooltip": [
                {"field": "model", "type": "nominal"},
                {"field": "labels", "type": "quantitative"},
                {"field": "chance", "type": "quantitative", "format": ".0%"},
            ],
        },
    )
