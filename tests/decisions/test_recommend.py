"""What to deploy and what to do next; of two models without labels, nothing says which is right."""

from dataclasses import replace

import numpy as np

import adjudge
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.recommendation import Recommendation
from adjudge.decisions.recommend import recommend
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought


def said_about(pool: Predictions, labels: Labels | None = None) -> dict[str, str]:
    advice = adjudge.rank(pool, labels).recommendation
    assert advice is not None
    return dict(advice.words)


def test_two_that_tie_agree_with_no_other_models() -> None:
    """Probabilities of one of them tell nothing without labels, either."""
    pool, _ = example_pool(models=2, samples=200)
    assert pool.probabilities is not None
    lines = said_about(pool)
    assert "the other models" not in lines[""]
    half = np.where(np.arange(2)[:, None, None] == 0, pool.probabilities, np.nan)
    lines = said_about(replace(pool, probabilities=half))
    assert lines[""].startswith("Do not decide yet: without labels, nothing says which of model ")
    assert lines["Likely"].startswith("nothing: ")


def test_without_labels_nothing_tells_two_models_apart() -> None:
    pool, _ = example_pool(models=2, samples=200)
    pool = replace(pool, probabilities=None)
    lines = said_about(pool)
    assert lines[""].startswith("Do not decide yet: without labels, nothing says which of model ")
    assert lines["Likely"] == "nothing: where two models differ, each contradicts the other."
    assert lines["Next"] == "40 labels, most of them where the two differ, then `adjudge compare`."
    silent = np.where(np.arange(200) < np.array([[1], [30]]), -2, pool.values)
    lines = said_about(replace(pool, values=silent, abstain=("none",)))
    assert lines["Likely"].endswith("model 0 comes first since model 1 abstains more often.")


def test_where_nobody_can_label_any_sample_no_label_is_asked_for() -> None:
    pool, _ = example_pool(models=2, samples=20)
    pool = replace(pool, probabilities=None)
    assert said_about(pool, Labels.complete(np.full(20, np.nan)))["Next"] == "no sample is left that can be labeled."


def test_the_last_samples_end_it() -> None:
    pool, truth = example_pool(models=5, samples=60, seed=1)
    labels = bought(Random(), pool, truth * 1.0, 58, 0)
    step = recommend(pool, labels, Pooled().rank(pool, labels), margin=1e-6).next
    assert {step.labels_likely, step.labels_guaranteed} <= {None, 1, 2}


def test_models_that_are_judged_where_they_differ_are_not_called_unjudged() -> None:
    """After labels for finding the best, labels for comparing two: no accuracy is known, and yet both are judged."""
    pool, truth = example_pool(models=2, samples=200)
    first = bought(Pooled(), pool, truth * 1.0, 20, 0)
    log = adjudge.select(pool, 20, labels=first, models=("model 0", "model 1")).answer_all(truth * 1.0)
    ranking = adjudge.rank(pool, log)
    assert np.isnan(ranking.estimate.value).all()
    assert ranking.recommendation is not None
    assert "Not judged" not in dict(ranking.recommendation.words)


def advised(pool: Predictions, labels: Labels) -> Recommendation:
    advice = adjudge.rank(pool, labels).recommendation
    assert advice is not None
    return advice


def test_labels_that_wait_are_said_first() -> None:
    pool, truth = example_pool(models=4, samples=300)
    log = bought(Random(), pool, truth, 40, 0)
    blank = replace(log, answered=np.arange(40) != 10)
    advice = advised(pool, blank)
    assert "(29 of 39 labels do not count yet: a sample before them has none)" in advice.words[0][1]
    late = replace(log, answered=np.arange(40) != 38)
    assert "count yet" not in advised(pool, late).words[0][1]


def test_a_budget_that_is_only_a_part_is_said() -> None:
    pool, truth = example_pool(models=4, samples=300)
    advice = advised(pool, bought(Random(), pool, truth, 20, 0))
    wanted, budget = advice.next.labels_likely, advice.budget(20) or 0
    assert wanted is not None
    assert wanted > budget > 0
    assert dict(advice.words)["Next"].endswith(f"Get {budget} of them first.")


def test_what_is_likely_is_never_worse_than_what_is_guaranteed() -> None:
    """Two models that differ on two samples in five cannot be further apart, whatever the consensus says."""
    rng, lower = np.random.default_rng(0), 0
    for seed in range(6):
        truth = rng.integers(2, size=200)
        values = np.stack([truth, np.where(np.arange(200) < 80, 1 - truth, truth)])
        values[0, 40:60] = 1 - truth[40:60]
        pool = Predictions(values, ("b", "a"), range(200), ("x", "y"))
        ranking = adjudge.rank(pool, bought(Random(), pool, truth * 1.0, 3, seed))
        advice = ranking.recommendation
        assert advice is not None
        if advice.likely_loss is not None and advice.guaranteed_loss is not None and ranking.likely is not None:
            assert advice.likely_loss <= advice.guaranteed_loss
            lower += advice.likely_loss < ranking.likely.loss_bound[ranking.order[0]]
    assert lower
