"""Prices beside quality."""

from adjudge.charts import (
    prices_chart,
)


def test_models_that_another_beats_in_price_and_quality_have_no_name_nor_where_there_is_no_room() -> None:
    told = [("first", 9.0, 0.0), ("cheap", 0.1, 2.0), ("slow", 10.0, 3.0), ("mid", 1.0, 1.0), ("near", 1.1, 0.99)]
    rows = [{"name": name, "price": price, "value": value, "low": None, "high": None} for name, price, value in told]
    drawn = prices_chart(rows, "cost", "points behind", lower=True).to_dict()
    assert [each["label"] for each in drawn["data"]["values"]] == ["first", "cheap", "", "mid", ""]
    assert drawn["layer"][1]["encoding"]["x"]["scale"]["type"] == "log"
