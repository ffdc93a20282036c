"""Charts as Vega-Lite specifications: for the page, a notebook, SVG or PNG."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.ranking import Ranking
from adjudge.reports.figures import COLORS
from adjudge.simulation.simulate import Simulation

BLUE, ORANGE, GREEN, PURPLE, *_ = COLORS
WIDTH = 760
Chart = alt.Chart | alt.LayerChart | alt.FacetChart


def interval_chart(ranking: Ranking, truth: FloatArray | None = None) -> Chart:
    """Each model's value with its interval, best first; the truth as a mark where it is known."""
    by_name = {} if truth is None else dict(zip(ranking.models, truth.tolist(), strict=True))
    rows: list[dict[str, Any]] = [row | {"truth": by_name.get(str(row["name"]))} for row in ranking.rows()]
    quantity = ranking.estimate.quantity
    base = alt.Chart(_data(rows)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
        tooltip=[
            alt.Tooltip(f"{field}:{kind}", format=".3f" if kind == "Q" else "")
            for field, kind in (
                ("name", "N"),
                ("rank", "O"),
                ("tier", "O"),
                ("value", "Q"),
                ("low", "Q"),
                ("high", "Q"),
            )
        ],
    )
    scale = alt.Scale(zero=False)
    layers = [base.mark_circle(size=60, color=BLUE, opacity=1).encode(x=alt.X("value:Q", title=quantity, scale=scale))]
    if ranking.estimate.has_interval:
        layers.insert(0, base.mark_rule(color=BLUE, strokeWidth=2).encode(x=alt.X("low:Q", scale=scale), x2="high:Q"))
    if by_name:
        layers.append(base.mark_tick(color=ORANGE, thickness=3, size=14).encode(x=alt.X("truth:Q", scale=scale)))
    return alt.layer(*layers).properties(width=WIDTH, height={"step": 18})


def curve_chart(simulations: Mapping[str, Simulation], metric: str, title: str, level: float | None = None) -> Chart:
    """A metric over the number of labels: the mean over seeds, in a band that holds 80 % of the runs."""
    rows = []
    for name, simulation in simulations.items():
        curve = simulation.curves[metric]
        known = np.flatnonzero(~np.isnan(curve).all(axis=0))
        low, high = np.nanquantile(curve[:, known], (0.1, 0.9), axis=0)
        mean = np.nanmean(curve[:, known], axis=0)
        rows += [
            {"method": name, "labels": int(labels), "mean": middle, "low": below, "high": above}
            for labels, middle, below, above in zip(known, mean.tolist(), low.tolist(), high.tolist(), strict=True)
        ]
    color = alt.Color(
        "method:N", title=None, scale=alt.Scale(range=[BLUE, GREEN, PURPLE]), legend=alt.Legend(orient="top")
    )
    base = alt.Chart(_data(rows)).encode(x=alt.X("labels:Q", title="labels bought"), color=color)
    layers = [
        base.mark_area(opacity=0.2).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(
            y="mean:Q", tooltip=["method:N", "labels:Q", alt.Tooltip("mean:Q", format=".3f")]
        ),
    ]
    if level is not None:
        rule = alt.Chart(_data([{"level": level}]))
        layers.append(rule.mark_rule(color=ORANGE, strokeDash=[6, 4], strokeWidth=2).encode(y="level:Q"))
    return alt.layer(*layers).properties(width=WIDTH, height=260)


def scatter_chart(
    models: tuple[str, ...], across: FloatArray, up: FloatArray, across_title: str, up_title: str
) -> Chart:
    """One point for each model."""
    rows = [{"name": name, "x": x, "y": y} for name, x, y in zip(models, across.tolist(), up.tolist(), strict=True)]
    scale = alt.Scale(zero=False)
    chart: Chart = (
        alt.Chart(_data(rows))
        .mark_circle(size=70, color=BLUE, opacity=0.8)
        .encode(
            x=alt.X("x:Q", title=across_title, scale=scale),
            y=alt.Y("y:Q", title=up_title, scale=scale),
            tooltip=[
                "name:N",
                alt.Tooltip("x:Q", format=".3f", title=across_title),
                alt.Tooltip("y:Q", format=".3f", title=up_title),
            ],
        )
        .properties(width=WIDTH, height=300)
    )
    return chart


def _data(rows: list[dict[str, Any]]) -> Any:
    """Rows inside the specification itself, so that a chart needs no other file."""
    return alt.InlineData(values=rows)
