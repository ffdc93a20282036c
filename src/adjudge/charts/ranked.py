"""The ranked plots: how far each model is behind the leader, and the value that each was measured at."""

import json
from collections.abc import Mapping, Sequence

from adjudge.charts.chart import DRAWN, LIKELY, QUIET, TRUE, Chart, Row, Specification, Width, chart, top_legend

STEP, NARROW_STEP = 22, 36  # pixels of a row: with the name beside the marks, or above them on a narrow screen
ABOVE, BELOW = -9, 7  # where the name and the marks stand in a row of a narrow screen
POINTS = 100  # in one unit of accuracy
ROOM = 0.08  # share of the range of likely differences that is left free at both edges
ZERO = {"mark": {"type": "rule", "color": QUIET}, "encoding": {"x": {"datum": 0}}, "data": {"values": [{}]}}


def ranked_chart(
    rows: Sequence[Row], level: float, *, points: bool, anytime: bool = False, narrow: bool = False, width: Width = 560
) -> Chart:
    """How far each model is behind the leader, best first: what is likely, and what the draws alone show.

    Rows are those of `Ranking.rows()`; `points` says that their numbers are shares, which are shown as points.
    """
    scale = POINTS if points else 1
    shown = [
        _head(row, rows[place - 1] if place else None)
        | {
            name: _times(row.get(name), scale)
            for name in ("behind", "behind_low", "behind_high", "difference", "difference_low", "difference_high")
        }
        for place, row in enumerate(rows)
    ]
    alone = f"{'guaranteed' if anytime else 'shown'} by drawn labels alone ({level:.0%})"
    kinds = {f"likely ({level:.0%})": LIKELY, alone: DRAWN}
    likely = any(row["behind"] is not None for row in shown)
    if not likely:
        kinds = {alone: DRAWN}
    title = "points behind the leader" if points else "behind the leader"
    layers = [_interval("difference", alone, kinds, title, {"type": "rule", "strokeWidth": 2, "clip": True}, narrow)]
    if likely:
        word = next(iter(kinds))
        layers.append(_interval("behind", word, kinds, title, {"type": "bar", "size": 8, "opacity": 0.75}, narrow))
        layers.append(_dots("behind", word, kinds, title, narrow))
        for layer in layers:
            layer["encoding"]["x"]["scale"] = {"domain": _likely_range(shown)}
    else:
        layers.append(_dots("difference", alone, kinds, title, narrow))
    return _models_chart(shown, layers, narrow, width, [ZERO])


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
        _head(row, rows[place - 1] if place else None)
        | {"value": row["value"], "value_low": row["low"], "value_high": row["high"]}
        | {"truth": None if truth is None else truth[row["name"]]}
        for place, row in enumerate(rows)
    ]
    intervals = any(row["value_low"] is not None for row in shown)
    word = f"from drawn labels alone ({level:.0%})" if intervals else quantity
    kinds = {word: DRAWN if intervals else LIKELY} | ({} if truth is None else {"true": TRUE})
    layers = []
    if intervals:
        layers.append(_interval("value", word, kinds, quantity, {"type": "rule", "strokeWidth": 2}, narrow))
    layers.append(_dots("value", word, kinds, quantity, narrow))
    if truth is not None:
        tick = {"type": "tick", "thickness": 3, "size": 14}
        layers.append(_marks("truth", "true", kinds, quantity, tick, narrow))
    return _models_chart(shown, layers, narrow, width)


def _head(row: Row, before: Row | None) -> Row:
    """What every row says about its model; the first model of a tier bears the tier's name."""
    tier = row.get("tier")
    first = tier is not None and (before is None or before.get("tier") != tier)
    return {
        "name": row["name"],
        "rank": row["rank"],
        "chance": row.get("chance_of_best"),
        "shade": tier is not None and tier % 2 == 0,
        "tier": f"tier {tier}" if first else None,
    }


def _models_chart(
    rows: Sequence[Row],
    layers: list[Specification],
    narrow: bool,
    width: Width,
    under: Sequence[Specification] = (),
) -> Chart:
    """Rows of models, with a shade for every second tier, and names beside the marks or above them."""
    axis = None if narrow else {"ticks": False, "domain": False, "labelPadding": 8}
    scale = {"domain": [row["name"] for row in rows]}
    y = {"field": "name", "type": "nominal", "title": None, "scale": scale, "axis": axis}
    shade = {"mark": {"type": "rect", "color": QUIET, "opacity": 0.12}, "transform": [{"filter": "datum.shade"}]}
    words: list[Specification] = []
    tiers = {row["tier"] for row in rows if row["tier"] is not None}
    if len(tiers) > 1:
        words.append(_text("tier", {"value": "width"}, "right", narrow, {"fontStyle": "italic", "fontSize": 11}))
    if narrow:
        words.append(_text("name", {"value": 0}, "left", narrow, {"fontSize": 12}))
    step = NARROW_STEP if narrow else STEP
    drawn = [each | {"encoding": {"y": y} | each.get("encoding", {})} for each in (shade, *layers, *words)]
    return chart(width, {"step": step}, rows, layer=[*under, *drawn])


def _text(field: str, x: Specification, align: str, narrow: bool, font: Specification) -> Specification:
    mark = {"type": "text", "align": align, "dx": 0 if align == "left" else -4, "yOffset": ABOVE if narrow else 0}
    there = [{"filter": f"datum.{field} !== null"}]
    text = {"field": field, "type": "nominal"}
    return {"mark": mark | font, "transform": there, "encoding": {"x": x, "text": text}}


def _interval(
    field: str, word: str, kinds: Mapping[str, str], title: str, mark: Specification, narrow: bool
) -> Specification:
    layer = _marks(f"{field}_low", word, kinds, title, mark, narrow)
    layer["encoding"]["x2"] = {"field": f"{field}_high"}
    layer["encoding"]["tooltip"] = [
        {"field": "name", "type": "nominal", "title": "model"},
        {"field": "rank", "type": "quantitative"},
        {"field": f"{field}_low", "type": "quantitative", "title": "from", "format": ".3~f"},
        {"field": f"{field}_high", "type": "quantitative", "title": "to", "format": ".3~f"},
    ]
    return layer


def _dots(field: str, word: str, kinds: Mapping[str, str], title: str, narrow: bool) -> Specification:
    mark = {"type": "circle", "size": 55, "opacity": 1}
    layer = _marks(field, word, kinds, title, mark, narrow)
    layer["encoding"]["tooltip"] = [
        {"field": "name", "type": "nominal", "title": "model"},
        {"field": "rank", "type": "quantitative"},
        {"field": field, "type": "quantitative", "title": title, "format": ".3~f"},
    ]
    return layer


def _marks(
    field: str, word: str, kinds: Mapping[str, str], title: str, mark: Specification, narrow: bool
) -> Specification:
    color = {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": list(kinds), "range": list(kinds.values())},
        "legend": top_legend(1 if narrow else len(kinds)) if len(kinds) > 1 or "label" in word else None,
    }
    x = {"field": field, "type": "quantitative", "title": title, "scale": {"zero": False}, "axis": {"tickCount": 6}}
    return {
        "mark": mark | {"yOffset": BELOW if narrow else 0},
        "transform": [{"calculate": json.dumps(word), "as": "kind"}],
        "encoding": {"x": x, "color": color},
    }


def _likely_range(rows: Sequence[Row]) -> list[float]:
    """The range of what is likely, with some room.

    After few labels draws alone show so little that in their range all else would shrink to a dot. So their intervals
    may reach beyond the edge.
    """
    low = min(row["behind_low"] for row in rows if row["behind_low"] is not None)
    high = max(row["behind_high"] for row in rows if row["behind_high"] is not None)
    room = ROOM * (high - low) or 1.0
    return [low - room, high + room]


def _times(number: float | None, scale: int) -> float | None:
    return None if number is None else scale * number
