"""The chart of a ranking."""

import vl_convert

from adjudge.charts import (
    ranked_chart,
    values_chart,
)
from tests.support.chart_rows import NAMES, row


def test_names_of_models_stand_in_the_order_of_the_rows_and_are_not_cut() -> None:
    long = [f"{'a-rather-long-name-of-a-model' * 2}"[:41] + f"-{number:02d}" for number in range(12)][::-1]
    chart = values_chart(
        [row(name, place) for place, name in enumerate(long)], "accuracy", 0.95, narrow=True, width=330
    )
    svg = vl_convert.vegalite_to_svg(chart.to_dict())
    places = [svg.index(f">{name}</text>") for name in long]
    assert places == sorted(places)


def test_what_is_likely_decides_the_range_and_draws_may_reach_beyond() -> None:
    rows = [row(name, place, behind=0.001, behind_low=0.0, behind_high=0.002) for place, name in enumerate(NAMES)]
    layers = ranked_chart(rows, 0.95, unit="points").to_dict()["layer"]
    domains = [
        layer["encoding"]["x"]["scale"]["domain"] for layer in layers if "scale" in layer["encoding"].get("x", {})
    ]
    assert domains
    for low, high in domains:
        assert -0.1 < low < 0.0
        assert 0.2 < high < 0.3
