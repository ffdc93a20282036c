"""The cells of a ranking: numbers as people read them."""

import pytest

from adjudge.charts.cells import row_texts


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.025, 0.025 + 1e-16, "2.5"), (0.02, 0.031, "2.5 (2.0 to 3.1)"), (0.0249, 0.0251, "2.5 (2.5 to 2.5)")],
)
def test_what_is_known_exactly_has_no_interval(low: float, high: float, shown: str) -> None:
    row: dict[str, object] = {"rank": 2, "tier": 1, "value": 0.8, "low": 0.8, "high": 0.8, "supported": True}
    row |= {"behind": 0.025, "behind_low": low, "behind_high": high}
    assert row_texts(row, 3)["behind_text"] == shown
