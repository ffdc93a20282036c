import io
import re
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from rich.console import Console

from adjudge import rank, select
from adjudge.charts.cells import chance
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.reports.tables import advice_table, chosen_sentence, legend, ranking_table

Pool = tuple[Predictions, FloatArray]


@pytest.fixture
def paid(small_pool: Pool) -> Ranking:
    pool, truth = small_pool
    return rank(pool, select(pool, 20, "random").answer_all(truth))


def shown(ranking: Ranking, width: int = 100, holds: str = "interval") -> str:
    console = Console(width=width, file=io.StringIO())
    console.print(ranking_table(ranking, width, holds=holds))
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_a_long_option_in_the_advice_is_whole(paid: Ranking) -> None:
    assert paid.recommendation is not None
    option = ",".join(f"a-model-with-a-long-name-{place}" for place in range(6))
    console = Console(width=80, file=io.StringIO())
    console.print(advice_table(paid.recommendation.with_next(f"rank the others (--only {option}).")))
    text = str(console.file.getvalue())  # type: ignore[attr-defined]
    assert "…" not in text
    assert option in re.sub(r"\s+", "", text)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_what_is_shown_in_a_narrow_terminal_is_whole(paid: Ranking, width: int) -> None:
    text = shown(paid, width)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    for row in paid.rows():
        assert re.search(rf"{row['rank']}  model +{str(row['name'])[-1]}|{row['rank']}  {row['name']} ", text)
        assert (f"{row['low']:.3f} - {row['high']:.3f}" in text) == (width >= 80)
    assert " (" in text  # what is behind the leader
    assert ("──" in text) == (width >= 100)


def test_what_is_likely_comes_before_accuracies(small_pool: Pool) -> None:
    pool, truth = small_pool
    ranking = rank(pool, select(pool, 30).answer_all(truth))
    head, first, *others = shown(ranking, holds="at any time").splitlines()
    assert re.split(r"  +", head.strip())[:3] == ["rank", "model", "best"]
    assert head.index("points behind") < head.index("ruled out") < head.index("accuracy")
    assert "95% at any time" in head
    assert re.search(rf"{re.escape(ranking.best)} +[\d> ]+%  0 ", first)
    assert ranking.guaranteed is not None
    out = [ranking.models[model] for model in ranking.order if not ranking.guaranteed.may_be_best[model]]
    assert [name for name in out if re.search(rf"{re.escape(name)} .* yes ", "\n".join(others))] == out
    assert len(out) == sum(" yes " in line for line in others)


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_the_legend_names_columns_that_are_shown(small_pool: Pool, width: int) -> None:
    pool, truth = small_pool
    ranking = rank(pool, select(pool, 30).answer_all(truth))
    head, said = shown(ranking, width, "at any time").splitlines()[0], legend(ranking, width, "at any time")
    assert said is not None
    named = [name for part in said.rstrip(".").split(". ") for name in part.split(": ")[0].split(", ")]
    assert all(name in head for name in named)
    assert ("ruled out" in head) == ("ruled out" in named)
    assert ("accuracy" in head) == ("accuracy" in named)


def test_tiers_do_not_stand_beside_what_is_ruled_out(small_pool: Pool) -> None:
    """Tiers hold for a number of labels fixed in advance, and what is ruled out however often one checks."""
    pool, truth = small_pool
    log = select(pool, 40, "random").answer_all(truth)
    likely, drawn = rank(pool, log), rank(pool, log, method="drawn")
    assert "tier" not in repr(likely).splitlines()[1]
    assert drawn.likely is None
    assert "tier" in repr(drawn).splitlines()[1]
    assert drawn.guaranteed is not None
    said = legend(drawn, 80)
    assert said is not None
    assert said.startswith(
        "tier: if the number of labels was fixed in advance; what may be the best: even if you check"
    )


def test_a_value_that_its_interval_does_not_support_is_not_shown() -> None:
    value, low, high = np.array([0.9, 0.7, 0.6]), np.array([0.5, 0.65, 0.6]), np.array([0.9, 0.75, 0.6])
    ranking = Ranking.by_value(("a", "b", "c"), Estimate(value, low, high, "accuracy"))
    lines = shown(ranking).splitlines()
    assert "0.500 - 0.900" in lines[1]
    assert lines[1].count("0.900") == 1
    assert "●" not in lines[1]
    assert "0.700" in lines[2]
    assert "●" in lines[2]
    assert "exact" in lines[3]


def test_tied_models_share_a_rank_and_are_marked() -> None:
    ranking = Ranking.by_value(("a", "b", "c"), Estimate.without_interval([0.9, 0.9, 0.8], "agreement"))
    assert [line.split()[0] for line in shown(ranking).splitlines()[1:]] == ["1=", "1=", "3"]


def test_labels_that_were_chosen_explain_wide_intervals(small_pool: Pool) -> None:
    pool, truth = small_pool
    labels = select(pool, 20, "pooled").answer_all(truth)
    chosen = int(np.isnan(labels.weight).sum())
    assert str(chosen_sentence(labels)).startswith(f"{chosen} of 20 labels were chosen, not drawn")
    assert chosen_sentence(select(pool, 20, "random").answer_all(truth)) is None


def test_names_are_not_read_as_markup() -> None:
    ranking = Ranking.by_value(("net[/b]", "net[red]"), Estimate.without_interval([0.9, 0.8], "agreement"))
    assert "net[/b]" in shown(ranking)
    assert "net[red]" in shown(ranking)


def test_a_chance_is_never_shown_as_nothing_or_as_certain() -> None:
    texts = {0.0: "< 1%", 0.004: "< 1%", 0.01: "1%", 0.5: "50%", 0.994: "99%", 0.996: "> 99%", 1.0: "> 99%"}
    assert {value: chance(value) for value in texts} == texts
    assert chance(None) == chance(np.nan) == "-"


def test_the_page_rounds_no_chance_by_itself() -> None:
    script = (files("adjudge") / "labeling" / "web" / "static" / "ranking.js").read_text()
    assert "chance_text" in script
    assert "behind_text" in script
    assert "0.995" not in script


def test_an_order_that_is_not_that_of_the_values_is_explained() -> None:
    values = np.array([2.0, 1.0])
    estimate = Estimate(values, values - 0.5, values + 0.5, "MAE", 0.95, lower_is_better=True)
    by_value = Ranking.by_value(("a", "b"), estimate)
    assert legend(by_value, 80) is None
    said = legend(replace(by_value, rank=np.array([1, 2])), 80)
    assert said == "The order is by the labels and what the models say together; MAE: from the drawn labels alone."
