"""Charts in a notebook."""

import json

from adjudge.charts.chart import chart


def test_a_chart_in_a_notebook_is_a_picture_that_needs_no_network() -> None:
    drawn = chart(100, 50, [{"x": 1}], mark="bar", encoding={"x": {"field": "x", "type": "quantitative"}}).to_altair()
    changed = drawn.properties(title="changed")
    assert changed.to_dict()["title"] == "changed"
    assert "__class__" not in json.dumps(changed.to_dict())
    for each in (drawn, changed):
        ((kind, picture),) = each._repr_mimebundle_().items()
        assert kind == "image/png"
        assert picture.startswith(b"\x89PNG")
