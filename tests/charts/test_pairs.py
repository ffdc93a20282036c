"""Maps of pairs: only what occurs has a color, and shares have a scale around them."""

import pytest

from adjudge.charts.pairs import BETTER, COLORS, OPEN, WORSE, pairs_chart, shares_chart

NAMES = ["a", "b", "c"]


def test_only_states_that_occur_are_in_the_legend_in_their_own_colors() -> None:
    drawn = pairs_chart(NAMES, [1, 2, 2], {(0, 2): OPEN, (1, 0): WORSE, (0, 1): BETTER}).to_dict()
    rows = drawn["data"]["values"]
    assert [(each["a"], each["b"], each["state"]) for each in rows] == [
        ("a", "c", OPEN),
        ("b", "a", WORSE),
        ("a", "b", BETTER),
    ]
    scale = drawn["encoding"]["color"]["scale"]
    assert scale["domain"] == [BETTER, OPEN, WORSE]
    assert scale["range"] == [COLORS[state] for state in scale["domain"]]


def test_shares_are_on_a_scale_that_ends_just_around_them() -> None:
    drawn = shares_chart(NAMES, [1, 2, 3], {(0, 1): 0.62, (1, 2): 0.71}, "same answer").to_dict()
    assert [each["share"] for each in drawn["data"]["values"]] == [0.62, 0.71]
    assert drawn["encoding"]["opacity"]["scale"]["domain"] == pytest.approx([0.6, 0.75])
