"""Maps of pairs of models: who was shown to be better, and a share for each pair."""

import json
from collections.abc import Mapping, Sequence
from math import ceil, floor

from adjudge.charts.chart import Chart, Row, Specification, Width, chart, shortened_name, top_legend
from adjudge.charts.colors import DRAWN, LIKELY, QUIET

BETTER, PERHAPS_BETTER, OPEN = "guaranteed better", "likely better", "open"
WORSE, PERHAPS_WORSE, SAME = "guaranteed worse", "likely worse", "same predictions"
COLORS = {
    BETTER: LIKELY,
    PERHAPS_BETTER: "rgba(43, 135, 200, 0.45)",
    OPEN: "rgba(138, 147, 157, 0.2)",
    PERHAPS_WORSE: "rgba(217, 102, 10, 0.4)",
    WORSE: DRAWN,
    SAME: QUIET,
}
HEIGHTS = range(11, 27)  # pixels of a cell on a narrow screen, so that cells are about square
CELL, NARROW = 22, 270  # pixels of a cell on a wide screen, and of the whole map on a narrow one


def pairs_chart(
    names: Sequence[str],
    ranks: Sequence[int],
    states: Mapping[tuple[int, int], str],
    *,
    narrow: bool = False,
    width: Width = 560,
) -> Chart:
    """A cell for each pair of models, by its state, which is about the model of the row (`COLORS`)."""
    rows = [
        {"row": one, "column": other, "a": names[one], "b": names[other], "state": state}
        for (one, other), state in states.items()
    ]
    kinds = [kind for kind in COLORS if kind in set(states.values())]

    color = {
        "field": "state",
        "type": "nominal",
        "scale": {"domain": kinds, "range": [COLORS[kind] for kind in kinds]},
        "legend": top_legend(2 if narrow else 3),
    }
    encoding = {"color": color, "tooltip": [*_pair(), {"field": "state", "type": "nominal", "title": "is"}]}
    return _grid(names, ranks, rows, encoding, narrow, width)


def shares_chart(
    names: Sequence[str],
    ranks: Sequence[int],
    shares: Mapping[tuple[int, int], float],
    title: str,
    *,
    narrow: bool = False,
    width: Width = 560,
) -> Chart:
    """A cell for each pair of models, the darker the larger its share; empty where there is none."""
    rows = [
        {"row": one, "column": other, "a": names[one], "b": names[other], "share": share}
        for (one, other), share in shares.items()
    ]
    known = list(shares.values())
    low, high = (floor(20 * min(known, default=0)) / 20, ceil(20 * max(known, default=1)) / 20)
    ticks = [low + (high - low) * place / 4 for place in range(5)]
    encoding = {
        "opacity": {
            "field": "share",
            "type": "quantitative",
            "scale": {"domain": [low, high], "range": [0.06, 1]},
            "legend": top_legend(5) | {"title": title, "format": ".0%", "values": ticks},
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
    with_ranks = [f"{rank}. {shortened_name(name)}" for name, rank in zip(names, ranks, strict=True)]
    by_name = f"{json.dumps(with_ranks)}[datum.value]"
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
    cell = min(max(NARROW // len(names), HEIGHTS[0]), HEIGHTS[-1]) if narrow else CELL
    return chart(width, cell * len(names), rows, mark={"type": "rect"}, encoding=where | encoding)
