"""Maps of pairs of models: who was shown to be better, and a share for each pair."""

import json
from collections.abc import Mapping, Sequence

from adjudge.charts.chart import DRAWN, LIKELY, QUIET, Chart, Row, Specification, Width, chart, top_legend

BETTER, WORSE, OPEN, SAME = "row better", "column better", "not shown", "same predictions"
COLORS = {BETTER: LIKELY, WORSE: DRAWN, OPEN: QUIET, SAME: QUIET}
OPACITIES = {BETTER: 0.95, WORSE: 0.95, OPEN: 0.22, SAME: 0.6}
LARGEST_CELL, NARROW_CELL = 22, 11  # pixels
UNKNOWN = "too few labels"


def pairs_chart(
    names: Sequence[str],
    ranks: Sequence[int],
    states: Mapping[tuple[int, int], str],
    *,
    narrow: bool = False,
    width: Width = 560,
) -> Chart:
    """A cell for each pair of models, by its state: one of BETTER, WORSE, OPEN and SAME, about the model of the row."""
    rows = [
        {"row": one, "column": other, "a": names[one], "b": names[other], "state": state}
        for (one, other), state in states.items()
    ]
    kinds = [kind for kind in COLORS if kind in set(states.values())]

    def scaled(values: Mapping[str, object]) -> Specification:
        return {"domain": kinds, "range": [values[kind] for kind in kinds]}

    legend = top_legend(2 if narrow else 4)
    encoding = {
        "color": {"field": "state", "type": "nominal", "scale": scaled(COLORS), "legend": legend},
        "opacity": {"field": "state", "type": "nominal", "scale": scaled(OPACITIES), "legend": legend},
        "tooltip": [*_pair(), {"field": "state", "type": "nominal", "title": "is"}],
    }
    return _grid(names, ranks, rows, encoding, narrow, width)


def shares_chart(
    names: Sequence[str],
    ranks: Sequence[int],
    shares: Mapping[tuple[int, int], float | None],
    title: str,
    *,
    narrow: bool = False,
    width: Width = 560,
) -> Chart:
    """A cell for each pair of models, the darker the larger its share; empty where it is not known."""
    rows = [
        {"row": one, "column": other, "a": names[one], "b": names[other], "share": share}
        for (one, other), share in shares.items()
        if share is not None
    ]
    encoding = {
        "opacity": {
            "field": "share",
            "type": "quantitative",
            "scale": {"domain": [0, 1], "range": [0.06, 1], "clamp": True},
            "legend": top_legend(6) | {"title": title, "format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]},
        },
        "color": {"value": LIKELY},
        "tooltip": [*_pair(), {"field": "share", "type": "quantitative", "title": title, "format": ".0%"}],
    }
    return _grid(names, ranks, rows, encoding, narrow, width)


def _pair() -> list[Specification]:
    return [{"field": "a", "type": "nominal", "title": "row"}, {"field": "b", "type": "nominal", "title": "column"}]


def _grid(
    names: Sequence[str], ranks: Sequence[int], rows: list[Row], encoding: Specification, narrow: bool, width: Width
) -> Chart:
    """Models down and across in the order of the ranking; across, and on a narrow screen, by their ranks only."""
    places = list(range(len(names)))
    by_rank = f"{json.dumps(list(map(str, ranks)))}[datum.value]"
    by_name = f"{json.dumps([f'{name}  {rank}' for name, rank in zip(names, ranks, strict=True)])}[datum.value]"
    bare = {"ticks": False, "domain": False}

    def along(field: str, title: str | None, words: str) -> Specification:
        axis = bare | {"labelExpr": words, "labelAngle": 0, "labelOverlap": field == "column"}
        return {
            "field": field,
            "type": "ordinal",
            "title": title,
            "scale": {"domain": places, "paddingInner": 0.08},
            "axis": axis | ({"orient": "top"} if field == "column" else {}),
        }

    where = {
        "x": along("column", "rank", by_rank),
        "y": along("row", "rank" if narrow else None, by_rank if narrow else by_name),
    }
    step = NARROW_CELL if narrow else LARGEST_CELL
    height = max(step * len(names), 60)
    return chart(width, height, rows, mark={"type": "rect"}, encoding=where | encoding)
