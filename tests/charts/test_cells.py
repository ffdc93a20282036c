"""The cells of a ranking: numbers as people read them."""

from dataclasses import replace

import pytest

import adjudge
from adjudge.charts.cells import row_texts
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import MISSING, Predictions


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.025, 0.025 + 1e-16, "2.5"), (0.02, 0.031, "2.5 (2.0 to 3.1)"), (0.0249, 0.0251, "2.5 (2.5 to 2.5)")],
)
def test_what_is_known_exactly_has_no_interval(low: float, high: float, shown: str) -> None:
    row: dict[str, object] = {"rank": 2, "tier": 1, "value": 0.8, "low": 0.8, "high": 0.8, "supported": True}
    row |= {"behind": 0.025, "behind_low": low, "behind_high": high}
    assert row_texts(row, 3)["behind_text"] == shown


def test_a_model_without_predictions_is_not_shown_as_ruled_out(small_pool: tuple[Predictions, FloatArray]) -> None:
    pool, truth = small_pool
    values = pool.values.copy()
    values[0] = MISSING
    pool = replace(pool, values=values, probabilities=None)
    ranking = adjudge.rank(pool, adjudge.select(pool, 30, "random").answer_all(truth))
    assert ranking.guaranteed is not None
    shown = {text["name"]: text["ruled_out_text"] for text in ranking.texts()}
    assert shown.pop(pool.models[0]) == ""
    out = {name for name, ruled_out in zip(pool.models, ~ranking.guaranteed.may_be_best, strict=True) if ruled_out}
    assert {name for name, text in shown.items() if text == "yes"} == out - {pool.models[0]} != set()
