"""Every chart is a specification that draws, holds its own data, and shows names as they are."""

import json
from pathlib import Path

import pytest
import vl_convert

from adjudge import rank, select
from adjudge.charts import (
    Chart,
    chances_chart,
    curves_chart,
    pairs_chart,
    prices_chart,
    ranked_chart,
    scatter_chart,
    shares_chart,
    values_chart,
)
from adjudge.charts.pairs import BETTER, OPEN, PERHAPS_BETTER, PERHAPS_WORSE, SAME, WORSE
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from tests.support.chart_rows import NAMES, row

Pool = tuple[Predictions, FloatArray]


def every_chart(narrow: bool) -> dict[str, Chart]:
    rows = [row(name, place) for place, name in enumerate(NAMES)]
    likely = [
        row(name, place, behind=0.01 * place, behind_low=0.0, behind_high=0.03 * place, behind_at_least=-0.1)
        for place, name in enumerate(NAMES)
    ]
    points = [{"labels": count, "mean": 0.5, "low": 0.4, "high": 0.6} for count in range(3)]
    states = {(0, 1): BETTER, (1, 0): WORSE, (0, 2): OPEN, (2, 0): OPEN, (2, 3): SAME, (3, 2): SAME}
    states |= {(1, 2): PERHAPS_BETTER, (2, 1): PERHAPS_WORSE}
    return {
        "ranked": ranked_chart(rows, 0.95, "points", narrow=narrow),
        "likely": ranked_chart(likely, 0.95, "points", narrow=narrow),
        "values": values_chart(rows, "accuracy", 0.95, truth=dict.fromkeys(NAMES, 0.5), narrow=narrow),
        "chances": chances_chart([0, 1, 2], {name: [0.1, 0.2, 0.3] for name in NAMES}, narrow=narrow),
        "pairs": pairs_chart(NAMES, [1, 2, 3, 3], states, narrow=narrow),
        "shares": shares_chart(NAMES, [1, 2, 3, 3], {(0, 1): 0.2, (1, 0): 0.2}, "same answer", narrow=narrow),
        "prices": prices_chart(
            [each | {"price": 4.0 - each["rank"]} for each in rows],  # type: ignore[operator]
            "cost",
            "accuracy",
            narrow=narrow,
        ),
        "curves": curves_chart({NAMES[0]: points}, "Spearman", level=0.5),
        "scatter": scatter_chart(NAMES, {"agreement": [0.1] * 4, "accuracy": [0.2] * 4}),
    }


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("name", list(every_chart(narrow=False)))
def test_a_chart_draws_from_its_own_data(name: str, narrow: bool) -> None:
    specification = every_chart(narrow)[name].to_dict()
    assert '"url"' not in json.dumps(specification)
    svg = vl_convert.vegalite_to_svg(specification)
    assert "undefined" not in svg
    assert "NaN" not in svg
    assert "<b>" not in svg
    if name not in ("curves", "scatter") and not (narrow and name in ("pairs", "shares")):  # these have ranks alone
        assert "&lt;b&gt;" in svg


def test_a_ranking_plots_itself_without_labels_and_with(small_pool: Pool) -> None:
    pool, truth = small_pool
    free: Ranking = rank(pool)
    paid: Ranking = rank(pool, select(pool, 20, "random").answer_all(truth))
    for ranking, field in ((free, "value"), (paid, "behind")):
        drawn = json.loads(ranking.plot().to_json())
        rows = drawn["data"]["values"]
        assert [each["name"] for each in rows] == [ranking.models[model] for model in ranking.order]
        assert field in rows[0]
    assert len(free.chart(most=2).to_dict()["data"]["values"]) == 2
    rows = paid.chart().to_dict()["data"]["values"]
    assert paid.likely is not None
    assert paid.guaranteed is not None
    assert [each["behind_high"] for each in rows] == pytest.approx(100 * paid.likely.behind.high[paid.order])
    assert [each["behind_at_least"] for each in rows][1:] == pytest.approx(100 * paid.guaranteed.lead[paid.order][1:])
    assert [each["shade"] for each in rows] == (~paid.guaranteed.may_be_best[paid.order]).tolist()


def test_a_plot_is_saved_where_it_is_told(small_pool: Pool, tmp_path: Path) -> None:
    ranking = rank(small_pool[0])
    ranking.plot(tmp_path / "ranking.png")
    assert (tmp_path / "ranking.png").read_bytes().startswith(b"\x89PNG")
    ranking.plot(str(tmp_path / "ranking.svg"))
    assert (tmp_path / "ranking.svg").read_text().startswith("<svg")
    for path in (tmp_path / "ranking.doc", tmp_path / "nowhere" / "ranking.png", 15):
        with pytest.raises(ValueError, match=r"a chart cannot be written to .*, ending in \.png"):
            ranking.plot(path)  # type: ignore[arg-type]
