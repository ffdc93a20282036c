"""Samples as the page shows them."""

from pathlib import Path

import pyarrow as pa

from adjudge.core.predictions import Predictions
from adjudge.labeling.session.session import Session
from adjudge.simulation.contract import example_pool
from tests.support.labeling import Visit, page
from tests.support.pools import Begin


def with_template(begin: Begin, tmp_path: Path, text: str) -> Session:
    pool, _ = example_pool(models=3, samples=20)
    columns = pa.table({name: [f"{name} of it"] * 20 for name in ("fields", "self", "id")})
    (tmp_path / "card.html").write_text(text)
    told = Predictions(pool.values, pool.models, pool.samples, pool.classes, columns=columns)
    return begin(pool=told, template=str(tmp_path / "card.html"))


def test_a_template_shows_columns_of_any_name(begin: Begin, tmp_path: Path) -> None:
    with page(with_template(begin, tmp_path, "{{ fields['self'] }}, {{ fields['id'] }}")) as client:
        card = Visit(client).get("/api/cards").json()["cards"][0]
        assert card["html"] == "self of it, id of it"


def test_a_template_that_cannot_be_worked_out_is_told(begin: Begin, tmp_path: Path) -> None:
    with page(with_template(begin, tmp_path, "{{ id + 1 }}")) as client:
        refused = Visit(client).get("/api/cards")
        assert refused.status_code == 422
        assert "the template cannot show sample" in refused.json()["detail"]
