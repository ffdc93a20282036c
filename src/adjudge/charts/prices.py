"""Price and quality: a point for each model, with what is known about its quality."""

from collections.abc import Sequence
from math import log

from adjudge.charts.chart import Chart, Row, Specification, Width, chart, shortened_name, top_legend
from adjudge.charts.colors import DRAWN, LIKELY, QUIET

FIRST, BEST_BUY, DOMINATED = "recommended", "no other is better and further left", "others"
COLORS = {FIRST: DRAWN, BEST_BUY: LIKELY, DOMINATED: QUIET}
FIELDS = ("name", "price", "value", "low", "high")
ROOM = (0.3, 0.05)  # of the width and of the height, which a name takes
WIDE = 20.0  # times the lowest price: above it, prices stand on a logarithmic axis


def prices_chart(
    rows: Sequence[Row], price: str, quality: str, *, lower: bool = False, narrow: bool = False, width: Width = 560
) -> Chart:
    """A point for each model at its price and quality, best first.

    Rows have `name`, `price`, `value`, `low` and `high`; the ends may be None. With `lower`, a lower quality is
    better, such as how far a model is behind the first. Models are named unless another is as good at no higher price.
    """
    worth = [(-row["value"] if lower else row["value"]) for row in rows]
    prices = [row["price"] for row in rows]
    spread = min(prices) > 0 and max(prices) / min(prices) > WIDE
    shown: list[Row] = []
    for row, value in zip(rows, worth, strict=True):
        others = [(price - row["price"], other - value) for price, other in zip(prices, worth, strict=True)]
        beaten = any(dearer <= 0 and better >= 0 and (dearer, better) != (0, 0) for dearer, better in others)
        kind = FIRST if not shown else DOMINATED if beaten else BEST_BUY
        where = (log(row["price"]) if spread else row["price"], value)
        shown.append({name: row[name] for name in FIELDS} | {"is": kind, "at": where})
    _name(shown)
    kinds = [kind for kind in COLORS if any(row["is"] == kind for row in shown)]
    x = {"field": "price", "type": "quantitative", "title": price, "axis": {"tickCount": 5, "format": "~g"}}
    x["scale"] = {"type": "log", "nice": False, "padding": 20} if spread else {"zero": True, "padding": 10}
    y = {"type": "quantitative", "title": quality, "scale": {"zero": False, "reverse": lower, "padding": 12}}
    color = {
        "field": "is",
        "type": "nominal",
        "scale": {"domain": kinds, "range": [COLORS[kind] for kind in kinds]},
        "legend": top_legend(1 if narrow else 3),
    }
    tooltip = [{"field": "name", "type": "nominal", "title": "model"}] + [
        {"field": field, "type": "quantitative", "title": title, "format": ".3g"}
        for field, title in (("price", price), ("value", quality), ("low", "from"), ("high", "to"))
    ]
    layers: list[Specification] = [
        {
            "mark": {"type": "rule", "opacity": 0.4},
            "transform": [{"filter": "isValid(datum.low)"}],
            "encoding": {"y": y | {"field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "circle", "size": 70, "opacity": 1},
            "encoding": {"y": y | {"field": "value"}, "tooltip": tooltip},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 7, "dy": -7, "fontSize": 11},
            "encoding": {"y": y | {"field": "value"}, "text": {"field": "label", "type": "nominal"}},
        },
    ]
    shared = {"x": x, "color": color}
    return chart(width, 300, shown, layer=[layer | {"encoding": shared | layer["encoding"]} for layer in layers])


def _name(rows: Sequence[Row]) -> None:
    """Give names to the points that have room for one, the first row first."""
    spans = [max(each) - min(each) or 1.0 for each in zip(*(row["at"] for row in rows), strict=True)]
    named: list[tuple[float, float]] = []
    for row in rows:
        place = row.pop("at")
        near = any(
            all(abs(a - b) < room * span for a, b, room, span in zip(place, other, ROOM, spans, strict=True))
            for other in named
        )
        row["label"] = "" if near or row["is"] == DOMINATED else shortened_name(row["name"])
        named += [place] if row["label"] else []
