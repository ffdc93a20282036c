"""Figures hold their own data."""

import json

import pytest

from adjudge.reports.figures import figure, figure_rows
from tests.support.drawings import drawing


@pytest.mark.parametrize("kind", ["lines", "bars", "points"])
def test_figures_hold_their_own_data_and_levels(kind: str) -> None:
    text = json.dumps(figure(drawing(kind)).to_dict(), allow_nan=False)
    assert '"url"' not in text
    assert '"level": 0.7' in text
    rows = figure_rows(drawing(kind)).splitlines()
    assert rows == [
        "panel,label,x,y,low,high",
        "p,a,1.0,0.5,0.0,1.0",
        "p,a,2.0,,0.0,2.0",
        "p,b,1.0,1.0,1.0,1.0",
        "p,b,2.0,2.0,2.0,2.0",
        "p,level,,0.7,,",
    ]
