"""The ranked plots: how far each model is behind the leader, and the value that each was measured at."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adjudge.charts.chart import Chart, Row, Specification, Width, chart, shortened_name, top_legend
from adjudge.charts.colors import DRAWN, LIKELY, QUIET, TRUE

STEP, NARROW_STEP = 22, 36  # pixels of a row: with the name beside the marks, or above them on a narrow screen
ABOVE, BELOW = -9, 7  # where the name and the marks stand in a row of a narrow screen
POINTS = 100  # in one unit of accuracy
BEHIND = ("behind", "behind_low", "behind_high", "behind_at_least", "difference", "difference_low", "difference_high")
RULE = {"type": "rule", "strokeWidth": 2, "clip": True}
MODEL = [{"field": "name", "type": "nominal", "title": "model"}, {"field": "rank", "type": "quantitative"}]
NAMES = {
    "mark": {"type": "text", "align": "left", "fontSize": 12, "yOffset": ABOVE},
    "encoding": {"x": {"value": 0}, "text": {"field": "label", "type": "nominal"}},
}
ROOM = 0.08  # share of the range of likely differences that is left free at both edges
ZERO = {"mark": {"type": "rule", "color": QUIET}, "encoding": {"x": {"datum": 0}}, "data": {"values": [{}]}}


def ranked_chart(rows: Sequence[Row], level: float, unit: str, *, narrow: bool = False, width: Width = 560) -> Chart:
    """How far each model is behind the leader, best first: what is likely, and what the draws alone say.

    Rows are those of `Ranking.rows()`: `behind` with its ends is likely, `behind_at_least` is guaranteed; where nothing
    is likely, `difference` with its ends comes from the draws. `unit` is what the numbers are in; as points, they are
    shares times a hundred.
    """
    scale, title = POINTS if unit == "points" else 1, f"{unit} behind the leader"
    shown = [
        _head(place, row) | {name: _times(row.get(name), scale) for name in BEHIND} for place, row in enumerate(rows)
    ]
    if all(row["behind"] is None for row in shown):
        word = f"from drawn labels alone ({level:.0%})"
        look = _Look(title, {word: DRAWN}, narrow)
        layers = [look.interval("difference", word, RULE), look.dots("difference", word)]
        return _models_chart(shown, layers, look, width, [ZERO])
    likely, sure = f"likely ({level:.0%})", f"guaranteed: at least so far behind ({level:.0%})"
    guaranteed = any(row["behind_at_least"] is not None for row in shown)
    low, high = _likely_range(shown)
    look = _Look(title, {likely: LIKELY} | ({sure: DRAWN} if guaranteed else {}), narrow, [low, high])
    layers = [look.interval("behind", likely, {"type": "bar", "size": 9}), look.dots("behind", likely)]
    if guaranteed:
        shown = [row | {"edge": high} for row in shown]
        shown[0]["behind_at_least"] = None  # the leader is not behind itself
        begin = look.marks("behind_at_least", sure, {"type": "tick", "thickness": 2, "size": 12, "clip": True})
        line = look.marks("behind_at_least", sure, RULE)
        line["encoding"]["x2"] = {"field": "edge"}
        layers = [line, begin, *layers]
    return _models_chart(shown, layers, look, width, [ZERO])


def values_chart(
    rows: Sequence[Row],
    quantity: str,
    level: float,
    *,
    truth: Mapping[str, float] | None = None,
    narrow: bool = False,
    width: Width = 560,
) -> Chart:
    """The value of each model with its interval, best first; the truth as a mark where it is known."""
    shown = [
        _head(place, row)
        | {"value": row["value"], "value_low": row["low"], "value_high": row["high"]}
        | {"truth": None if truth is None else truth[row["name"]]}
        for place, row in enumerate(rows)
    ]
    intervals = any(row["value_low"] is not None for row in shown)
    word = f"from drawn labels alone ({level:.0%})" if intervals else quantity
    kinds = {word: DRAWN if intervals else LIKELY} | ({} if truth is None else {"true": TRUE})
    look = _Look(quantity, kinds, narrow)
    layers = [look.interval("value", word, RULE)] if intervals else []
    layers.append(look.dots("value", word))
    if truth is not None:
        layers.append(look.marks("truth", "true", {"type": "tick", "thickness": 3, "size": 14}))
    return _models_chart(shown, layers, look, width)


@dataclass(frozen=True)
class _Look:
    """What the marks of a chart share."""

    title: str  # of the x axis
    kinds: Mapping[str, str]  # words of the legend, with their colors
    narrow: bool
    domain: Sequence[float] | None = None  # of the x axis; None: all that there is

    def interval(self, field: str, word: str, mark: Specification) -> Specification:
        layer = self.marks(f"{field}_low", word, mark)
        layer["encoding"]["x2"] = {"field": f"{field}_high"}
        layer["encoding"]["tooltip"] = [
            *MODEL,
            {"field": f"{field}_low", "type": "quantitative", "title": "from", "format": ".3~f"},
            {"field": f"{field}_high", "type": "quantitative", "title": "to", "format": ".3~f"},
        ]
        return layer

    def dots(self, field: str, word: str) -> Specification:
        return self.marks(field, word, {"type": "point", "size": 40, "fill": "white", "opacity": 1})

    def marks(self, field: str, word: str, mark: Specification) -> Specification:
        color = {
            "field": "kind",
            "type": "nominal",
            "scale": {"domain": list(self.kinds), "range": list(self.kinds.values())},
            "legend": None if word == self.title else top_legend(1 if self.narrow else len(self.kinds)),
        }
        scale = {"zero": False} if self.domain is None else {"domain": list(self.domain), "nice": False}
        x = {"field": field, "type": "quantitative", "title": self.title, "scale": scale, "axis": {"tickCount": 6}}
        value = {"field": field, "type": "quantitative", "title": self.title, "format": ".3~f"}
        return {
            "mark": mark | {"yOffset": BELOW if self.narrow else 0},
            "transform": [{"calculate": json.dumps(word), "as": "kind"}],
            "encoding": {"x": x, "color": color, "tooltip": [*MODEL, value]},
        }


def _head(place: int, row: Row) -> Row:
    """What every row says about its model: shaded if it is ruled out, or, without such knowledge, in an even tier."""
    even = (row.get("tier") or 1) % 2 == 0
    return {
        "place": place,
        "name": row["name"],
        "label": shortened_name(row["name"]),
        "rank": row["rank"],
        "shade": not row["may_be_best"] if "may_be_best" in row else even,
    }


def _models_chart(
    rows: Sequence[Row],
    layers: Sequence[Specification],
    look: _Look,
    width: Width,
    under: Sequence[Specification] = (),
) -> Chart:
    """Rows of models, some with a shade, and names beside the marks or above them."""
    names = f"{json.dumps([row['label'] for row in rows])}[datum.value]"
    axis = None if look.narrow else {"ticks": False, "domain": False, "labelPadding": 8, "labelExpr": names}
    y = {"field": "place", "type": "ordinal", "title": None, "axis": axis}
    shade = {"mark": {"type": "rect", "color": QUIET, "opacity": 0.12}, "transform": [{"filter": "datum.shade"}]}
    step = NARROW_STEP if look.narrow else STEP
    drawn = [
        each | {"encoding": {"y": y} | each.get("encoding", {})} for each in (shade, *layers, *[NAMES] * look.narrow)
    ]
    return chart(width, {"step": step}, rows, layer=[*under, *drawn])


def _likely_range(rows: Sequence[Row]) -> tuple[float, float]:
    """The range of what is likely, with some room.

    After few labels draws alone show so little that in their range all else would shrink to a dot. So their intervals
    may reach beyond the edge.
    """
    low = min(row["behind_low"] for row in rows if row["behind_low"] is not None)
    high = max(row["behind_high"] for row in rows if row["behind_high"] is not None)
    room = ROOM * (high - low) or 1.0
    return low - room, high + room


def _times(number: float | None, scale: int) -> float | None:
    return None if number is None else scale * number
