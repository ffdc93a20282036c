"""What is said where predictions are missing: it is exact only if it holds whatever these are."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import adjudge
from adjudge import Predictions
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING
from adjudge.decisions.slices import Slice, slice_changes
from adjudge.decisions.stopping import StoppingRule, stopping_status
from adjudge.methods.baselines.random import Random
from adjudge.reports.pairs import comparison_sentences
from adjudge.reports.stops import standing_sentence
from adjudge.simulation.loop import bought


def gappy(lacking: int, wrong: int) -> Predictions:
    """A model that is always right and lacks predictions, and one that is wrong a few times, on 40 samples."""
    values = np.zeros((2, 40), dtype=np.int64)
    values[0, :lacking], values[1, 40 - wrong :] = MISSING, 1
    return Predictions(values, ("gappy", "whole"), range(40), ("x", "y"))


def test_an_exact_answer_names_models_that_lack_predictions() -> None:
    """Wrong where its predictions are missing, the first model would still be better."""
    advice = adjudge.rank(gappy(4, 6), Labels.complete(np.zeros(40))).recommendation
    assert advice is not None
    assert (advice.verdict, advice.stop, advice.lacking) == ("exact", True, {"gappy": 4})
    end = "all are labeled. gappy lacks 4 of 40 predictions: it would be so whatever these are."
    assert dict(advice.words)["Guaranteed"] == f"the best of 2 on these 40 samples, exactly: {end}"


@pytest.mark.parametrize("metric", [None, "macro-f1"])
def test_what_missing_predictions_may_change_is_not_called_exact(metric: str | None) -> None:
    advice = adjudge.rank(gappy(20, 6), Labels.complete(np.arange(40) % 2 * 0.0), metric=metric).recommendation
    assert advice is not None
    words = dict(advice.words)
    assert (advice.verdict, advice.stop, advice.exact) == ("predictions missing", False, False)
    assert words[""] == f"Not decided: {advice.model} leads, but predictions are missing, and all samples are labeled."
    assert words["Guaranteed"].endswith("gappy lacks 20 of 40 predictions: these may be right or wrong.")
    assert words["Next"] == "get the missing predictions of gappy."
    assert advice.budget(40) is None
    if metric is None:
        assert advice.guaranteed_loss == pytest.approx(20 / 40 - 6 / 40)
        assert "Future data" not in words


def test_a_loss_within_the_margin_may_be_accepted_though_predictions_are_missing() -> None:
    advice = adjudge.rank(gappy(7, 6), Labels.complete(np.zeros(40)), margin=0.05).recommendation
    assert advice is not None
    assert (advice.verdict, advice.stop) == ("guaranteed", True)
    words = dict(advice.words)
    assert words[""] == "Deploy gappy."
    at_most = "at most 2.5 points worse than the best on these 40 samples; 2 of 2 may be best."
    assert words["Guaranteed"].startswith(at_most)


def test_no_number_of_labels_is_told_where_missing_predictions_decide() -> None:
    pool = gappy(20, 6)
    labels = bought(Random(), pool, np.zeros(40), 30, 0)
    advice = adjudge.rank(pool, labels).recommendation
    assert advice is not None
    assert advice.next.labels_guaranteed is None
    status = stopping_status(pool, labels, StoppingRule(0.01))
    assert status.out_of_reach
    assert "too many predictions are missing" in standing_sentence(status)
    done = stopping_status(pool, Labels.complete(np.zeros(40)), StoppingRule(0.01))
    assert standing_sentence(done).startswith("Not shown: with 40 labels,")
    assert standing_sentence(done).endswith("No label is left that could tell: predictions are missing.")


def cut_off(
    lacking: int, errors: tuple[float, float] = (0.02, 0.4), cut: int = 0, seed: int = 3
) -> tuple[Predictions, FloatArray]:
    """Five models, one of which lacks its last predictions, on 200 samples; and the true labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 200)
    wrong = rng.random((5, 200)) < np.array([*errors, 0.45, 0.5, 0.5])[:, None]
    values = np.where(wrong, (truth + rng.integers(1, 3, (5, 200))) % 3, truth)
    values[cut, 200 - lacking :] = MISSING
    return Predictions(values, ("best", *"abcd"), range(200), ("x", "y", "z")), truth.astype(np.float64)


@pytest.mark.parametrize(("lacking", "enough"), [(20, True), (21, False)])
@pytest.mark.parametrize("rule", [None, "likely within 0.05"])
def test_a_model_that_lacks_more_than_a_tenth_is_not_deployed_by_what_is_likely(
    lacking: int, enough: bool, rule: str | None
) -> None:
    pool, truth = cut_off(lacking)
    labels = bought(Random(), pool, truth, 30, 0)
    ranking = adjudge.rank(pool, labels) if rule is None else adjudge.until(pool, labels, rule).ranking
    assert ranking is not None
    advice, likely = ranking.recommendation, ranking.likely
    assert advice is not None
    assert likely is not None
    assert (advice.model, advice.guaranteed_loss is not None and advice.guaranteed_loss > 0.05) == ("best", True)
    assert likely.loss_bound[0] <= 0.01
    assert (advice.stop, advice.verdict) == ((True, "likely") if enough else (False, "predictions missing"))
    lead = "Deploy best." if enough else f"Not decided: best leads, but lacks {lacking} of 200 predictions."
    assert advice.words[0][1] == lead
    if not enough:
        first = "get the missing predictions of best, or rank the others (--without best)."
        assert dict(advice.words)["Next"].startswith(first)
        assert advice.next.labels_likely is None
        assert advice.budget(30) is None


def test_a_model_that_may_be_as_good_with_its_missing_predictions_may_be_so_on_future_data() -> None:
    rivals = []
    for lacking in (0, 100):
        pool, truth = cut_off(lacking, (0.02, 0.1), cut=1)
        advice = adjudge.rank(pool, Labels.complete(truth)).recommendation
        assert advice is not None
        rivals.append((advice.model, advice.exact, "a" in advice.future_rivals))
    assert rivals == [("best", True, False), ("best", True, True)]


def test_a_model_without_predictions_is_no_rival() -> None:
    pool, truth = cut_off(0)
    pool = replace(pool, values=np.where(np.arange(5)[:, None] == 4, MISSING, pool.values))
    advice = adjudge.rank(pool, bought(Random(), pool, truth, 12, 0)).recommendation
    assert advice is not None
    assert "of the 4 models" in dict(advice.words)["Guaranteed"] or "of 4 may" in dict(advice.words)["Guaranteed"]
    assert "lacks" not in dict(advice.words)["Guaranteed"]


def test_what_is_likely_says_what_it_assumes_of_missing_predictions() -> None:
    assumed = "Where it lacks predictions, this assumes that it compares with the others as elsewhere."
    for lacking in (0, 15):
        pool, truth = cut_off(lacking)
        advice = adjudge.rank(pool, bought(Random(), pool, truth, 12, 0)).recommendation
        assert advice is not None
        assert advice.model == "best"
        assert (assumed in dict(advice.words)["Likely"]) == (lacking > 0)


@pytest.mark.parametrize(("lacking", "told"), [(0, False), (15, False), (60, True)])
def test_a_rival_that_no_label_can_rule_out_is_named(lacking: int, told: bool) -> None:
    pool, truth = cut_off(lacking, (0.1, 0.15), cut=1, seed=2)
    advice = adjudge.rank(pool, bought(Random(), pool, truth, 60, 0)).recommendation
    assert advice is not None
    assert advice.model == "best"
    assert "a" in advice.may_be_best
    assert advice.incomplete_rivals == (("a",) if told else ())
    end = "alone will not tell whether a is better: get the missing predictions, or rank the others (--without a)."
    assert dict(advice.words)["Next"].endswith(end) == told


def test_a_model_of_which_only_skipped_samples_are_known_may_be_as_good() -> None:
    """Its predictions are all of samples that nobody can label; a model without predictions is no rival."""
    values = np.zeros((3, 40), dtype=np.int64)
    values[0, 38:], values[1, 10:], values[2] = 1, MISSING, MISSING
    pool = Predictions(values, ("a", "skipped", "empty"), range(40), ("x", "y"))
    ranking = adjudge.rank(pool, Labels.complete(np.where(np.arange(40) < 10, np.nan, 0.0)))
    assert ranking.guaranteed is not None
    assert ranking.guaranteed.may_be_best.tolist() == [True, True, False]
    assert ranking.guaranteed.loss == pytest.approx(2 / 30)
    assert ranking.recommendation is not None
    assert not ranking.recommendation.exact


def test_a_model_without_a_drawn_prediction_has_a_place_by_what_is_likely() -> None:
    """It lacks all samples that were drawn; the consensus still tells that it is better than the worst."""
    pool, truth = cut_off(0)
    labels = bought(Random(), pool, truth, 40, 0)
    values = np.array(pool.values)
    values[1, labels.sample] = MISSING
    values[1] = np.where(values[1] == MISSING, MISSING, truth)
    ranking = adjudge.rank(replace(pool, values=values), labels)
    assert np.isnan(ranking.estimate.value[1])
    assert ranking.best == "best"
    assert ranking.rank[1] == 2


def test_no_rule_is_fulfilled_by_what_is_likely_of_a_model_that_was_cut_off() -> None:
    pool, truth = cut_off(180)
    labels = bought(Random(), pool, truth, 30, 0)
    status = adjudge.until(pool, labels, "likely within 0.5")
    assert status.ranking is not None
    assert status.ranking.likely is not None
    assert status.ranking.likely.loss_bound[0] < 0.5
    assert (status.stopped, status.out_of_reach) == (False, True)
    assert standing_sentence(status).startswith("Get the missing predictions of best first: with 30 labels, ")
    assert adjudge.until(cut_off(6)[0], labels, "likely within 0.5").stopped


def test_the_cheapest_model_is_not_likely_to_be_good_without_its_predictions() -> None:
    pool, truth = cut_off(180)
    pool = pool.with_auxiliary("cost", np.array([[1.0] * 200, *[[9.0] * 200] * 4]))
    advice = adjudge.rank(pool, bought(Random(), pool, truth, 30, 0), margin=0.5).recommendation
    assert advice is not None
    assert "best" not in [each.model for each in advice.cheapest]


def test_without_labels_predictions_come_before_labels() -> None:
    pool, _ = cut_off(100)
    advice = adjudge.rank(pool).recommendation
    assert advice is not None
    assert advice.model == "best"
    assert dict(advice.words)["Next"].startswith("get the missing predictions of best first. 10 labels show")
    whole = adjudge.rank(cut_off(6)[0]).recommendation
    assert whole is not None
    assert dict(whole.words)["Next"].startswith("10 labels show")


def test_a_comparison_says_about_how_many_samples_it_says_nothing() -> None:
    found = adjudge.compare(gappy(20, 6), "gappy", "whole", Labels.complete(np.zeros(40)), about="pool")
    assert (found.samples, found.unpaired) == (20, 20)
    sentences = comparison_sentences(found)
    assert sentences[0] == "That gappy is better than whole is shown on the samples that both predict."
    assert "Nothing is said about 20 other samples, which not both of them predict." in sentences


def test_the_cheapest_model_is_not_one_that_was_cut_off() -> None:
    pool = gappy(30, 0).with_auxiliary("cost", np.array([[1.0] * 40, [9.0] * 40]))
    advice = adjudge.rank(pool, Labels.complete(np.zeros(40))).recommendation
    assert advice is not None
    assert [each.model for each in advice.cheapest] == ["whole"]


def test_without_labels_a_run_with_the_easy_samples_does_not_lead_by_them() -> None:
    """It agrees with all on the first samples, as all do; there are no others to tell it by."""
    rng = np.random.default_rng(0)
    wrong = rng.random((5, 200)) < np.where(np.arange(200) < 20, 0.0, [[0.05], [0.3], [0.35], [0.4], [0.4]])
    truth = np.arange(200) % 4  # of one class alone, agreement would tell little: most pools have equally common ones
    said = np.where(wrong, truth + rng.integers(1, 4, (5, 200)), truth) % 4
    values = np.vstack([np.where(np.arange(200) < 20, truth, MISSING), said])
    ranking = adjudge.rank(Predictions(values, ("cut", *"abcde"), range(200), tuple("wxyz")))
    assert ranking.best == "a"
    assert ranking.recommendation is not None
    assert (
        "cut lacks 180 of 200 predictions: these may be right or wrong." in dict(ranking.recommendation.words)["Likely"]
    )


def sliced(silent: tuple[int, ...]) -> tuple[Slice, Slice]:
    """Three models on a slice of 60 samples, and on one of 40 where some say nothing; all are labeled."""
    values = np.zeros((3, 100), dtype=np.int64)
    values[1, :20], values[2, 40:100] = 1, 1
    values[list(silent), 60:] = MISSING
    task = pa.table({"task": ["all"] * 60 + ["some"] * 40})
    pool = Predictions(values, ("a", "b", "c"), range(100), ("x", "y"), columns=task)
    whole, part = adjudge.rank_slices(pool, Labels.complete(np.zeros(100)), "task")
    return whole, part


def words_of(part: Slice) -> dict[str, str]:
    assert part.ranking is not None
    assert part.ranking.recommendation is not None
    return dict(part.ranking.recommendation.words)


def test_counts_are_those_of_the_slice() -> None:
    whole, part = sliced((1,))
    assert words_of(whole)["Guaranteed"] == "the best of 3 on these 60 samples, exactly: all are labeled."
    told = "the best of 2 that predict here on these 40 samples, exactly: all are labeled."
    assert words_of(part)["Guaranteed"] == told
    assert "b may be" not in words_of(part)["Future data"]
    assert words_of(part)["Not judged"].startswith("b, ")


def test_a_model_is_not_the_best_where_no_other_says_anything() -> None:
    part = sliced((1, 2))[1]
    words = words_of(part)
    assert words[""] == "Not decided: a is the only model with predictions here."
    assert words["Guaranteed"].startswith("nothing about the best; each accuracy is known exactly.")
    assert "b lacks 40 of 40 predictions" in words["Guaranteed"]
    assert words["Next"] == "get the missing predictions of b and c."
    assert part.ranking is not None
    assert part.ranking.verdict == "predictions missing"
    assert part.ranking.recommendation is not None
    assert not part.ranking.recommendation.stop
    assert [each.verdict for each in slice_changes(part.ranking, sliced((1, 2)))] == ["still first", "not compared"]
