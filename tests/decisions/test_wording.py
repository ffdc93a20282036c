"""The recommendation in words: for every kind of answer, and never at odds with itself."""

import re
from dataclasses import replace

import numpy as np
import pytest

import adjudge
from adjudge import Predictions, Ranking
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.ranking import Guaranteed, Likely
from adjudge.core.recommendation import Recommendation
from adjudge.decisions.amounts import points
from adjudge.decisions.rank import RankOptions, rank_checked
from adjudge.decisions.recommend import recommend
from adjudge.decisions.stopping import StoppingRule, stopping_status
from adjudge.inference.weighted import weighted_ranking
from adjudge.losses.loss import ZeroOne
from adjudge.losses.numbers import Squared
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import pool_of


def check(advice: Recommendation) -> dict[str, str]:
    """The lines of a recommendation, which agree with its numbers and with each other."""
    lines, text = dict(advice.words), str(advice)
    assert not re.search(r"\bnan\b|\binf\b|None|\b0(\.0+)? points?\b|-0\.| {3,}\S* {3,}\.|\.\.", text)
    assert not re.search(r"labelled|labelling|favour|colour|behaviour", text)
    assert all(line[-1] == "." and not line.startswith(" ") for line in lines.values())
    lead = lines[""]
    assert advice.model in lead
    assert lead.startswith("Deploy") <= advice.stop
    assert ("you may stop" in lines.get("Next", "")) <= advice.stop
    assert ("until a loss" in lines.get("Next", "")) <= (not advice.stop)
    assert ("exactly: " in lines.get("Guaranteed", "")) == (advice.exact and len(lines) > 1)
    return lines


def advice_for(pool: Predictions, labels: Labels, **options: object) -> Recommendation:
    found = rank_checked(pool, labels, RankOptions(**options)).recommendation  # type: ignore[arg-type]
    assert found is not None
    return found


def stated(ranking: Ranking, **changed: object) -> Recommendation:
    """The recommendation for a ranking of 200 samples, with some of its numbers changed."""
    pool, _ = example_pool(models=len(ranking.models), samples=200)
    likely, proven = ranking.likely, ranking.guaranteed
    assert likely is not None
    assert proven is not None
    of_likely = {name: value for name, value in changed.items() if name in Likely.__dataclass_fields__}
    of_proven = {name: value for name, value in changed.items() if name in Guaranteed.__dataclass_fields__}
    ranking = replace(ranking, likely=replace(likely, **of_likely), guaranteed=replace(proven, **of_proven))  # type: ignore[arg-type]
    return recommend(pool, Labels.known(200, np.arange(40), np.zeros(40)), ranking)


@pytest.fixture(scope="module")
def paid() -> Ranking:
    pool, truth = example_pool(models=4, samples=200, seed=1)
    return rank_checked(pool, bought(Pooled(), pool, truth * 1.0, 40, 0), RankOptions())


def test_without_labels_it_is_a_guess_of_the_crowd() -> None:
    pool, _ = example_pool(models=4, samples=200)
    advice = advice_for(pool, Labels.empty(200))
    lines = check(advice)
    assert lines[""] == (
        f"Do not decide yet: without labels, {advice.model} leads only by agreement with the other models."
    )
    assert lines["Guaranteed"] == "nothing."
    assert lines["Next"].startswith("10 labels show")
    assert (advice.stop, advice.likely_loss, advice.guaranteed_loss) == (False, None, None)


def test_no_label_is_asked_for_where_none_can_tell_models_apart() -> None:
    advice = advice_for(Predictions(np.array([[0, 1, 0]] * 3), tuple("abc"), range(3), ("x", "y")), Labels.empty(3))
    lines = check(advice)
    assert lines[""] == "Deploy a, or any other: all 3 models say the same about every sample."
    assert lines["Next"].startswith("you may stop here: no label can tell them apart")
    assert (advice.verdict, advice.budget(0), advice.ties) == ("guaranteed", None, ("b", "c"))
    gaps = Predictions(np.array([[0, 1, 0], [0, -1, 0]]), tuple("ab"), range(3), ("x", "y"))
    assert advice_for(gaps, Labels.empty(3)).budget(0) == 3


def test_models_on_the_first_rank_tie_though_labels_may_tell_them_apart(paid: Ranking) -> None:
    level = replace(paid, rank=np.ones_like(paid.rank))
    advice = stated(level, loss_bound=np.full(4, 0.5), chance_of_best=np.full(4, 0.25))
    assert check(advice)[""].startswith("Keep labeling: so far ")
    assert " 2 more tie for first" in check(advice)[""]


def test_many_models_that_tie_are_counted() -> None:
    pool = Predictions(np.array([[0, 1, 0, 1]] * 4 + [[1, 1, 0, 1]]), tuple("abcde"), range(4), ("x", "y"))
    lead = "4 models tie for first, and a is as good a choice as any of them."
    assert advice_for(pool, Labels.empty(4)).words[0][1] == f"Do not decide yet: without labels, {lead}"
    some = Labels.known(4, np.array([1, 2]), np.array([1.0, 0.0]))
    words = advice_for(pool, some).words[0][1]
    assert words == "Keep labeling: so far 5 models tie for first, and a is as good a choice as any of them."


def test_labels_of_unknown_origin_guarantee_nothing() -> None:
    pool, truth = example_pool(models=4, samples=200)
    lines = check(advice_for(pool, Labels.known(200, np.arange(30), truth[:30])))
    assert lines[""].startswith("Keep labeling; so far")
    assert lines["Guaranteed"].startswith("nothing: how the labels were chosen is not known")


def test_chosen_labels_alone_prove_nothing() -> None:
    pool, truth = example_pool(models=4, samples=200, seed=1)
    labels = bought(Pooled(), pool, truth * 1.0, 40, 0)
    chosen = np.flatnonzero(np.isnan(labels.weight))
    lines = check(advice_for(pool, Labels.known(200, labels.sample[chosen], labels.value[chosen]), method="pooled"))
    assert lines["Guaranteed"] == "nothing: no label so far was drawn at random with a known chance."
    assert "the best of 4" in lines["Likely"]


def test_a_refuted_consensus_is_said_and_not_used() -> None:
    pool, truth = example_pool(models=4, samples=200, seed=1)
    labels = bought(Random(), pool, truth * 1.0, 80, 0)
    upside_down = -(pool.values == truth).mean(axis=1)
    ranking = weighted_ranking(pool, labels, ZeroOne(), 0.95, order_by=upside_down)
    assert ranking.guaranteed is not None
    assert ranking.guaranteed.refutes
    assert ranking.best == pool.models[int(np.argmin(upside_down))]
    advice = recommend(pool, labels, ranking)
    assert advice.refuted
    assert advice.likely_loss is None
    assert "contradict the consensus" in check(advice)["Likely"]
    right = weighted_ranking(pool, labels, ZeroOne(), 0.95, order_by=-upside_down)
    assert right.guaranteed is not None
    assert not right.guaranteed.refutes


def test_all_labels_are_exact_and_say_about_what() -> None:
    pool, truth = example_pool(models=4, samples=60)
    advice = advice_for(pool, Labels.complete(truth))
    lines = check(advice)
    assert advice.exact
    assert advice.stop
    assert lines["Guaranteed"] == "the best of 4 on these 60 samples, exactly: all are labeled."
    assert "from the same distribution" in lines["Future data"]
    assert "Likely" not in lines
    some = np.where(np.arange(60) == 7, np.nan, truth)
    with_skip = bought(Random(), pool, some, 60, 0)
    few = with_skip.head(int(np.argmax(~with_skip.usable)) + 1)
    ties = "Samples that nobody can label count as ties here."
    assert check(advice_for(pool, few))["Guaranteed"].endswith(ties)
    assert ties not in check(advice_for(pool, few.head(len(few) - 1)))["Guaranteed"]
    many = bought(Random(), pool, np.where(np.arange(60) % 3 == 0, np.nan, truth), 20, 0)
    assert ties not in check(advice_for(pool, many))["Guaranteed"]
    assert check(advice_for(pool, with_skip))["Guaranteed"].endswith(
        "on these 59 samples, exactly: every sample that can be labeled has been."
    )


def test_ties_are_said_as_ties() -> None:
    pool, truth = example_pool(models=4, samples=200, seed=1)
    same = pool_of(pool.values[[3, 3, 3]])
    lines = check(advice_for(same, bought(Random(), same, truth * 1.0, 30, 0)))
    assert lines[""] == "Deploy m0. m1 and m2 are exactly as good."
    assert lines["Guaranteed"] == "one of the 3 best of 3 (95% confidence, even if you check after every label)."


@pytest.mark.parametrize("rows", [0, 10, 60])
def test_one_model_has_no_rival(rows: int) -> None:
    pool, truth = example_pool(models=1, samples=60)
    advice = advice_for(pool, bought(Random(), pool, truth * 1.0, rows, 0))
    assert dict(advice.words) == {"": "model 0 is the only model: there is nothing to compare it with."}


def test_numbers_with_a_stated_range_are_in_their_units() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(200)
    values = np.clip(truth + rng.normal(scale=[[0.05], [0.2], [0.4]], size=(3, 200)), 0, 1)
    pool = Predictions(values, ("a", "b", "c"), range(200), None)
    advice = advice_for(pool, bought(Random(), pool, truth, 40, 0), loss=Squared(0, 1))
    lines = check(advice)
    assert "Likely" not in lines
    assert "point" not in str(advice)
    assert advice.guaranteed_loss is not None
    assert f"at most {points(advice.guaranteed_loss, 'MSE')} MSE worse than the best" in lines["Guaranteed"]
    assert 1 <= float(points(advice.guaranteed_loss, "MSE")) / advice.guaranteed_loss < 1.1


def test_a_likely_loss_of_nothing_is_not_a_bound(paid: Ranking) -> None:
    none = np.zeros(4)
    lines = check(stated(paid, loss_bound=none, chance_of_best=none + 0.97, expected_loss=none + 1e-6))
    assert (
        lines["Likely"]
        == "97% chance that it is the best of 4. If it is not the best, it is less than 0.01 points worse on average."
    )
    assert lines["Next"].startswith("you may stop here.")
    sure = check(stated(paid, loss_bound=none, chance_of_best=none + 1.0, expected_loss=none))
    assert sure["Likely"] == "> 99% chance that it is the best of 4."


def test_a_bound_that_says_nothing_new_is_left_out(paid: Ranking) -> None:
    """A bound near zero repeats the chance, and next to it the average of a wrong choice would look like a slip."""
    none = np.zeros(4)
    lines = check(stated(paid, loss_bound=none + 0.0003, chance_of_best=none + 0.9499, expected_loss=none + 0.0009))
    assert lines["Likely"] == (
        "95% chance that it is the best of 4. If it is not the best, it is 1.8 points worse on average."
    )
    assert lines["Next"].startswith("you may stop here.")
    lines = check(stated(paid, loss_bound=none + 0.006, chance_of_best=none + 0.8, expected_loss=none + 0.001))
    assert lines["Likely"] == (
        "80% chance that it is the best of 4. 95% sure that it is at most 0.60 points worse than the best. "
        "If it is not the best, it is 0.50 points worse on average."
    )
    assert lines["Next"].startswith("you may stop here if 0.60 points do not matter.")
    for mean in (0.0012, 0.0014):  # 0.6 and 0.7 points
        told = check(stated(paid, loss_bound=none + 0.006, chance_of_best=none + 0.8, expected_loss=none + mean))
        assert told["Likely"].endswith("95% sure that it is at most 0.60 points worse than the best.")


def test_a_guaranteed_loss_of_nothing_leaves_no_better_model(paid: Ranking) -> None:
    lines = check(stated(paid, loss=0.0, may_be_best=np.ones(4, dtype=bool)))
    assert lines["Guaranteed"] == "no other model is better (95% confidence, even if you check after every label)."
    lines = check(stated(paid, loss=0.00002, may_be_best=np.ones(4, dtype=bool)))
    assert "at most 0.01 points worse than the best" in lines["Guaranteed"]


def test_an_excluded_leader_is_not_called_the_best(paid: Ranking) -> None:
    nobody = np.zeros(4, dtype=bool)
    lines = check(stated(paid, loss=0.03, may_be_best=nobody))
    assert "at most 3 points worse than the best (95% confidence" in lines["Guaranteed"]
    assert lines["Guaranteed"].endswith("; 0 of 4 may still be best.")


def test_the_margin_of_the_rule_is_the_one_in_words() -> None:
    pool, truth = example_pool(models=4, samples=400, seed=1)
    labels = bought(Pooled(), pool, truth * 1.0, 30, 0)
    for rule, words in (
        ("within 0.002", "0.20 points"),
        ("likely within 2 points", "2 points"),
        ("within 0.3", "30 points"),
    ):
        found = stopping_status(pool, labels, StoppingRule.read(rule))
        assert found.ranking is not None
        advice = found.ranking.recommendation
        assert advice is not None
        lines = check(advice)
        assert advice.stop == found.stopped
        assert lines[""].startswith("Deploy") == found.stopped
        if advice.next.labels_guaranteed is not None:
            assert f'To guarantee {words} (rule "within {words}"):' in lines["Next"]


@pytest.mark.parametrize("seed", range(3))
def test_no_sentence_contradicts_another_along_a_run(seed: int) -> None:
    pool, truth = example_pool(models=5, samples=120, seed=seed)
    labels = bought(Pooled(), pool, truth * 1.0, 119, seed)
    for rows in (1, 3, 9, 20, 45, 80, 119):
        advice = advice_for(pool, labels.head(rows))
        lines = check(advice)
        if advice.guaranteed_loss is not None and advice.likely_loss is not None:
            assert advice.stop == (
                min(advice.guaranteed_loss, advice.likely_loss if rows >= 10 else 1.0) <= 0.01 + 1e-9
            )
        if "may still be best" in lines.get("Guaranteed", ""):
            assert f"{len(advice.may_be_best)} of 5 may" in lines["Guaranteed"]
            assert len(advice.may_be_best) < 5


def test_a_model_that_nobody_can_judge_is_named() -> None:
    pool, truth = example_pool(models=3, samples=60)
    silent = pool_of(np.vstack([pool.values, np.full((1, 60), -1)]))
    lines = check(advice_for(silent, bought(Random(), silent, truth * 1.0, 20, 0)))
    assert lines["Not judged"] == "m3, without a prediction for a labeled sample."


def test_the_words_fit_on_a_terminal_and_in_json() -> None:
    pool, truth = example_pool(models=4, samples=200, seed=1)
    advice = advice_for(pool, bought(Pooled(), pool, truth * 1.0, 40, 0))
    first, *others = str(advice).splitlines()
    assert first == dict(advice.words)[""]
    assert {line.index(line.split(":")[1].strip()) for line in others} == {len("  Guaranteed:  ")}
    assert advice.to_dict()["words"] == [first, *(f"{head}: {text}" for head, text in advice.words[1:])]


def test_a_skip_changes_no_lead() -> None:
    pool, truth = example_pool(models=4, samples=200, seed=1)
    labels = bought(Random(), pool, truth * 1.0, 40, 0)
    left = int(np.setdiff1d(np.arange(200), labels.sample)[0])
    with pytest.warns(adjudge.errors.AdjudgeWarning, match="could not be labeled"):
        after = adjudge.rank(pool, labels.add(Pick(left, 1.0, 40), SKIP)).recommendation
    assert after is not None
    assert check(after)[""] == check(advice_for(pool, labels))[""]
