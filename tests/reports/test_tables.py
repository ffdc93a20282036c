import io
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from rich.console import Console

from adjudge import rank, select
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.reports.tables import chance, chosen_sentence, order_sentence, ranking_table, verdict

Pool = tuple[Predictions, FloatArray]


@pytest.fixture
def paid(small_pool: Pool) -> Ranking:
    pool, truth = small_pool
    return rank(pool, select(pool, 20, "random").answer_all(truth))


def verdict_of(value: list[float], tier: list[int] | None, quantity: str = "accuracy") -> str:
    number = np.array(value)
    ends = (number - 0.1, number + 0.1) if tier else (number * np.nan, number * np.nan)
    estimate = Estimate(number, *ends, quantity)
    models = tuple("abcdefgh"[: len(value)])
    return verdict(Ranking.by_value(models, estimate, np.array(tier) if tier else None, labels=12))


def test_the_verdict_says_what_a_ranking_means() -> None:
    assert verdict_of([0.9, 0.5], [1, 2]) == "a is better than every other model, with 12 labels."
    assert verdict_of([0.9, 0.8, 0.3], [1, 1, 2]).startswith(
        "2 of 3 models may still be the best with 12 labels: a and b."
    )
    assert "a, b, c, d and 3 more" in verdict_of([0.9] * 7, [1] * 7)
    assert verdict_of([0.9, 0.5, np.nan], [1, 2, 0]) == (
        "a is better than every model that can be judged, with 12 labels. Nothing is known about c."
    )
    assert verdict_of([0.9], [1]) == "a is the only model: there is nothing to compare it with."
    assert verdict_of([0.9, 0.5], None, "agreement").startswith("a agrees most with the majority vote")
    tied = verdict_of([0.9, 0.9], None, "accuracy on the labeled samples")
    assert tied.startswith("All 2 models are tied on 12 labels. That is not an estimate for the whole pool")
    exact = Estimate(np.array([0.9, 0.8]), np.array([0.9, 0.8]), np.array([0.9, 0.8]), "accuracy")
    assert verdict(Ranking.by_value(("a", "b"), exact, np.array([1, 2]))).startswith("Every sample is labeled")
    skipped = verdict(Ranking.by_value(("a", "b"), exact, np.array([1, 2]), labels=9, skipped=1))
    assert skipped == (
        "Every sample that could be labeled is (1 sample was skipped), so among these the values are exact: a is best."
    )


def test_the_verdict_counts_models_that_were_never_judged_among_those_that_may_be_best() -> None:
    value, nobody = np.array([0.9, 0.8, np.nan, 0.2]), np.zeros(4)
    ranking = Ranking.by_value(tuple("abcd"), Estimate(value, nobody, nobody + 1, "accuracy"), np.array([1, 1, 0, 2]))
    found = verdict(replace(ranking, may_be_best=np.array([True, True, True, False])))
    assert found.startswith("3 of 4 models may still be the best with 0 labels: a, b and c.")
    assert found.endswith("Nothing is known about c.")


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_numbers_stay_whole_in_a_narrow_terminal(paid: Ranking, width: int) -> None:
    console = Console(width=width, file=io.StringIO())
    console.print(ranking_table(paid, width))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    for row in paid.rows():
        assert f"{row['value']:.3f}" in shown
    assert ("●" in shown) == (width >= 80)


def test_an_order_that_is_not_that_of_the_accuracies_is_explained() -> None:
    low, high = np.array([0.5, 0.6]), np.array([0.9, 1.0])
    by_value = Ranking.by_value(("a", "b"), Estimate(np.array([0.7, 0.8]), low, high, "accuracy"), np.array([1, 1]))
    other = replace(by_value, rank=np.array([1, 2]), best=np.array([0.996, 0.004]))
    assert order_sentence(replace(by_value, best=np.array([0.4, 0.6]))) is None
    assert order_sentence(by_value) is None
    assert "drawn labels alone" in str(order_sentence(other))
    console = Console(width=80, file=io.StringIO())
    console.print(ranking_table(other, 80, holds="at any time"))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert ">99%" in shown
    assert "<1%" in shown
    assert "95% at any time" in shown


def test_labels_that_were_chosen_explain_wide_intervals(small_pool: Pool) -> None:
    pool, truth = small_pool
    labels = select(pool, 20, "pooled").answer_all(truth)
    chosen = int(np.isnan(labels.weight).sum())
    assert str(chosen_sentence(labels)).startswith(f"{chosen} of 20 labels were chosen, not drawn")
    assert chosen_sentence(select(pool, 20, "random").answer_all(truth)) is None


def test_names_are_not_read_as_markup() -> None:
    ranking = Ranking.by_value(("net[/b]", "net[red]"), Estimate.without_interval([0.9, 0.8], "agreement"))
    console = Console(width=80, file=io.StringIO())
    console.print(ranking_table(ranking, 80))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "net[/b]" in shown
    assert "net[red]" in shown


def test_a_chance_is_never_shown_as_nothing_or_as_certain() -> None:
    shown = {0.0: "<1%", 0.007: "<1%", 0.01: "1%", 0.5: "50%", 0.993: ">99%", 1.0: ">99%"}
    assert {value: chance(value) for value in shown} == shown
    assert chance(None) == chance(np.nan) == "-"


def test_the_page_rounds_no_chance_by_itself() -> None:
    script = (files("adjudge") / "labeling" / "web" / "static" / "ranking.js").read_text()
    assert "best_text" in script
    assert "0.995" not in script
