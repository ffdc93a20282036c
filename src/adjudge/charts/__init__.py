"""Charts as Vega-Lite specifications, made from plain rows.

This room imports nothing else of adjudge, so every other room may draw: a ranking in a notebook, the labeling page, the
report, the docs.
"""

from adjudge.charts.chances import chances_chart, leading_models
from adjudge.charts.chart import SCHEMA, Chart, Width
from adjudge.charts.colors import COLORS
from adjudge.charts.curves import curves_chart, scatter_chart
from adjudge.charts.pairs import pairs_chart, shares_chart
from adjudge.charts.prices import prices_chart
from adjudge.charts.ranked import ranked_chart, values_chart

__all__ = [
    "COLORS",
    "SCHEMA",
    "Chart",
    "Width",
    "chances_chart",
    "curves_chart",
    "leading_models",
    "pairs_chart",
    "prices_chart",
    "ranked_chart",
    "scatter_chart",
    "shares_chart",
    "values_chart",
]
