"""The default method on pools where the answer is known, and in odd situations."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge import api
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import hand_out
from adjudge.core.strata import DISPUTED, UNANIMOUS, disputed
from adjudge.errors import MethodError
from adjudge.methods.pooled.acquisition import information_gain_best, information_gain_parameters
from adjudge.methods.pooled.expected_accuracy import consensus_accuracy
from adjudge.methods.pooled.pooled import Pooled
from adjudge.methods.pooled.posterior import fit_posterior
from adjudge.simulation import contract as checks
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import chance_of_best, known_labels
from tests.support.repeated import repeated


@pytest.mark.parametrize("method", [Pooled(chosen=0), Pooled("estimate")])
def test_weights_are_those_of_the_draws(method: Pooled) -> None:
    """A draw times its weight counts the open samples in dispute, whatever is counted of them."""
    pool, truth = example_pool(samples=200)
    given = known_labels(truth, list(range(60)))
    inside = disputed(pool).copy()
    inside[:60] = False
    made = (method.start(pool, given, None, seed)(given) for seed in range(2000))
    picks = [pick for pick in made if pick is not None]
    assert {pick.stratum for pick in picks} == {DISPUTED}
    assert all(inside[pick.sample] and pick.weight <= pick.max_weight * (1 + 1e-9) for pick in picks)
    for counted in (np.ones(200), truth == 0, pool.values[0] == truth):
        estimates = np.array([pick.weight * counted[pick.sample] for pick in picks])
        error = estimates.std() / np.sqrt(len(picks))
        assert abs(estimates.mean() - counted[inside].mean()) < 4 * error


def test_to_estimate_samples_with_more_disagreement_are_drawn_more_often() -> None:
    """Six models, one against five or three against three: 10 and 18 pairs disagree."""
    split = np.repeat([[1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0]], 50, axis=0).T
    pool = Predictions(split, tuple("abcdef"), range(100), ("no", "yes"))
    log = Labels.empty(100)
    picks = [Pooled("estimate").start(pool, log, None, seed)(log) for seed in range(1000)]
    drawn = np.array([pick.weight for pick in picks if pick is not None and pick.sample >= 50])
    chance = 0.4 + 0.6 * 18 / 14  # as a multiple of equal chances
    assert drawn == pytest.approx(1 / chance)
    assert len(drawn) / 1000 == pytest.approx(chance / 2, abs=0.05)


def checked(pool: Predictions) -> FloatArray:
    """How often each sample is the first one to be checked, and that its weight says so."""
    log = Labels.empty(len(pool.samples))
    picks = [
        Pooled("estimate").start(pool, log.add(Pick(0), 1), None, seed)(log.add(Pick(0), 1)) for seed in range(2000)
    ]
    often = np.bincount([pick.sample for pick in picks if pick is not None], minlength=len(pool.samples)) / 2000
    for pick in picks:
        assert pick is not None
        assert pick.stratum == UNANIMOUS
        assert pick.weight <= 2.5
        assert often[pick.sample] == pytest.approx(1 / (pick.weight * 8), abs=0.04)
    return often


def test_checks_go_where_models_that_agree_are_in_doubt() -> None:
    """Two samples in dispute, both over cats; of the other eight, four are cats."""
    values = np.array([[1, 1, *[1] * 4, *[0] * 4], [2, 2, *[1] * 4, *[0] * 4]])
    pool = Predictions(values, ("a", "b"), range(10), ("dog", "cat", "owl"))
    assert checked(pool)[2:] == pytest.approx(np.repeat([0.2, 0.05], 4), abs=0.04)  # no dog is in dispute
    chance = np.where(np.arange(10) == 9, 0.5, 0.96)[:, None]
    sure = np.where(values[:, :, None] == np.arange(3), chance, (1 - chance) / 2)
    silent = np.where(np.arange(2)[:, None, None] == 0, np.nan, sure)  # a model that gives no probability has no doubt
    for given in (sure, silent):
        often = checked(replace(pool, probabilities=given))
        assert often[9] == pytest.approx(0.05 + 0.6 * 0.5**0.5 / (0.5**0.5 + 7 * 0.2), abs=0.04)
        assert often[2] == pytest.approx(0.05 + 0.6 * 0.2 / (0.5**0.5 + 7 * 0.2), abs=0.03)


@pytest.mark.parametrize("goal", ["best", "estimate"])
def test_codes_may_fill_their_type(goal: str) -> None:
    values = np.array([[127, 127, 0, 5], [127, 127, 0, 6]], dtype=np.int8)
    pool = Predictions(values, ("a", "b"), range(4), tuple(map(str, range(128))))
    assert len(bought(Pooled(goal), pool, np.array([127.0, 127, 0, 5]), 4, 0)) == 4


@pytest.mark.slow
@repeated(300, checks.BIAS_RUNS)
def test_draws_take_over_and_leave_nothing_out(repeats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two chosen labels instead of sixteen the contract can look at the draws after eight labels.

    Draws are unbiased whatever the consensus says, so it need not be a good one: one prior of each kind is fitted in
    place of nine, which takes a fraction of the time.
    """
    monkeypatch.setattr("adjudge.methods.pooled.priors.EFFECTIVE_MODELS", (4.0,))
    monkeypatch.setattr("adjudge.methods.pooled.priors.LOG_ODDS_SCALES", (4.0,))
    monkeypatch.setattr(checks, "BIAS_RUNS", repeats)
    checks.check_selector(lambda: Pooled(chosen=2))


def test_a_few_samples_that_part_the_contenders_are_settled_one_by_one() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=600)
    good = np.where(rng.random(600) < 0.9, truth, (truth + 1) % 3)
    near, poor = good.copy(), np.where(rng.random((3, 600)) < 0.5, truth, (truth + 2) % 3)
    part = rng.choice(600, size=40, replace=False)
    near[part] = np.where(good[part] == truth[part], (truth[part] + 1) % 3, truth[part])
    near[part[:20]], good[part[:20]] = good[part[:20]], near[part[:20]]
    pool = Predictions(np.vstack([good, near, poor]), tuple("abcde"), range(600), ("x", "y", "z"))
    log = bought(Pooled(), pool, truth.astype(float), 80, 0)
    in_dispute = log.stratum == DISPUTED
    assert np.isnan(log.weight[in_dispute]).sum() > Pooled()._chosen(int(in_dispute.sum()))


@pytest.mark.parametrize(("samples", "few"), [(0, False), (100, True), (200, False)])
def test_few_samples_may_be_settled_one_by_one(samples: int, few: bool) -> None:
    score = np.zeros(500)
    score[:samples] = 0.01
    assert Pooled()._few(score) == few


def test_the_first_labels_are_chosen_and_their_share_falls() -> None:
    pool, truth = example_pool(models=8, samples=400, classes=4, seed=5)
    log = bought(Pooled(), pool, truth.astype(float), 100, 0)
    chosen = np.isnan(log.weight)[log.stratum == DISPUTED]
    assert 10 <= chosen[:12].sum() <= 11
    assert 0.3 < chosen[20:40].mean() < 0.6
    assert chosen[60:].mean() < 0.25
    assert log.max_weight[~np.isnan(log.weight)].max() <= 3 + 1e-9


@pytest.mark.slow
def test_draws_go_where_the_best_models_contradict_each_other() -> None:
    """Two of ten models are good; the other eight contradict everybody nearly everywhere. Too many to settle all."""
    rng = np.random.default_rng(2)
    truth = rng.integers(4, size=3000)
    skill = np.array([0.9, 0.88, *[0.3] * 8])[:, None]
    values = np.where(rng.random((10, 3000)) < skill, truth, rng.integers(4, size=(10, 3000)))
    pool = Predictions(values, tuple("abcdefghij"), range(3000), tuple("wxyz"))
    log = bought(Pooled(), pool, truth.astype(float), 120, 0)
    drawn = log.sample[~np.isnan(log.weight) & (np.arange(120) > 40)]
    apart = values[0] != values[1]
    assert apart.mean() < 0.2
    assert apart[drawn].mean() > 0.5


def test_no_fewer_than_no_labels_can_be_chosen() -> None:
    with pytest.raises(MethodError, match="`chosen` is -1; give 0 or more"):
        Pooled(chosen=-1)


@pytest.mark.parametrize(("goal", "checks"), [("best", 4), ("rank", 4), ("estimate", 11)])
def test_some_labels_check_what_all_models_agree_on(goal: str, checks: int) -> None:
    pool, truth = example_pool(models=3, samples=200)
    log = bought(Pooled(goal), pool, truth.astype(float), 40, 0)
    assert np.count_nonzero(log.stratum == UNANIMOUS) == checks


def test_samples_picked_together_ask_different_things() -> None:
    """Samples that the models answered alike would all tell most, if the first of them did not count."""
    pool, _ = example_pool(models=4, samples=800)
    pool = replace(pool, probabilities=None)
    log = hand_out(Pooled().start(pool, Labels.empty(800), 12, 0), Labels.empty(800), 12)
    patterns = {pool.values[:, sample].tobytes() for sample in log.sample}
    assert len(patterns) > 5


@pytest.mark.parametrize(("goal", "turn"), [("best", 0), ("best", 1), ("best", 3), ("rank", 1), ("rank", 3)])
def test_the_chosen_sample_tells_most_about_what_its_turn_asks(goal: str, turn: int) -> None:
    pool, truth = example_pool(models=8, samples=400, classes=4, seed=5)
    log = known_labels(truth, np.flatnonzero(disputed(pool))[:turn].tolist())
    pick = Pooled(goal).start(pool, log, None, 0)(log)
    posterior = fit_posterior(pool, log)
    best, weights = information_gain_best(posterior), information_gain_parameters(posterior)
    tells = weights if turn == 1 else best
    tells[np.isin(posterior.pattern, log.sample)] = 0  # with probabilities, each sample is a pattern of its own
    assert pick is not None
    assert np.isnan(pick.weight)
    assert pick.sample == posterior.pattern[tells.argmax()]


def test_labels_since_the_fit_count_for_accuracies() -> None:
    """Where everything is labeled, all draws of the consensus know how far the models are apart."""
    pool, truth = example_pool(samples=39)
    posterior = fit_posterior(pool, known_labels(truth, list(range(39))))
    apart = posterior.accuracy - (pool.values == truth).mean(axis=1)[:, None]
    assert np.allclose(apart, apart[0])


def test_draws_are_centered_where_predictions_are_missing() -> None:
    pool, truth = example_pool(models=4, samples=200)
    values = np.array(pool.values)
    values[0, :80] = -1
    pool, labels = replace(pool, values=values, probabilities=None), known_labels(truth, list(range(70, 85)))
    assert np.allclose(fit_posterior(pool, labels).accuracy.mean(axis=1), consensus_accuracy(pool, labels))


def test_samples_that_wait_count_whichever_label_comes_first() -> None:
    """Of three samples that were handed out together, only the last has its label."""
    pool, truth = example_pool(models=8, samples=400, classes=4, seed=5)
    log = hand_out(Pooled().start(pool, Labels.empty(400), 3, 0), Labels.empty(400), 3)
    later = replace(log, value=np.array([np.nan, np.nan, truth[log.sample[2]]]), answered=np.arange(3) == 2)
    posterior = fit_posterior(pool, later)
    assert posterior.rows == 3
    assert np.ptp(posterior.log_likelihood) > 0.1


def test_a_posterior_that_was_updated_is_the_one_fitted_anew() -> None:
    pool, truth = example_pool(models=8, samples=400, classes=4, seed=5)
    whole = bought(Pooled(), pool, truth, 50, 0)
    logs = [whole.head(rows) for rows in range(40, 51)]
    kept = [chance_of_best(pool, log) for log in logs]
    anew = [chance_of_best(replace(pool), log) for log in logs]
    assert all(np.allclose(one, other) for one, other in zip(kept, anew, strict=True))


@pytest.mark.parametrize("inside", [slice(0, 100), slice(300, 400)])
def test_a_part_of_a_pool_is_as_uncertain_as_if_it_were_alone(inside: slice) -> None:
    pool, truth = example_pool(models=5, samples=400)
    values = np.full_like(pool.values, -1)
    values[:, inside] = pool.values[:, inside]
    part = replace(pool, values=values, probabilities=None, whole=pool)
    alone = Predictions(pool.values[:, inside], pool.models, range(100), pool.classes)
    samples = list(range(400))[inside][:10]
    one = fit_posterior(part, known_labels(truth, samples))
    other = fit_posterior(alone, Labels.known(100, list(range(10)), truth[samples]))
    assert np.allclose(one.accuracy.std(axis=1), other.accuracy.std(axis=1))


@pytest.mark.slow
def test_a_model_that_joins_later_is_ranked_by_the_old_labels() -> None:
    pool, truth = example_pool(models=4, samples=200)
    first = replace(pool, values=pool.values[:3], models=pool.models[:3], probabilities=None)
    actual, held = (pool.values == truth).mean(axis=1), []
    for seed in range(20):
        ranking = api.rank(pool, api.select(first, 40, "pooled", seed=seed).answer_all(truth.astype(float)), "pooled")
        held.append((ranking.estimate.low <= actual) & (actual <= ranking.estimate.high))
        assert ranking.rank[3] == 1
    assert np.mean(held) > 0.9


def test_numbers_are_drawn_with_known_chances_and_ranked_by_their_draws() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(100)
    pool = Predictions(truth + rng.normal(0, [[0.01], [0.2]], (2, 100)), ("good", "bad"), range(100), None)
    log = bought(Pooled(), pool, truth, 30, 0)
    assert np.isfinite(log.weight).all()
    assert (log.weight < 1).any()  # where the two differ most
    assert Pooled().rank(pool, log).rank.tolist() == [1, 2]


def test_an_unknown_goal_is_refused() -> None:
    with pytest.raises(MethodError, match="'first' is unknown; give one of best, rank, estimate"):
        Pooled("first")


def test_samples_that_wait_for_a_label_do_not_count_in_the_ranking() -> None:
    pool, truth = example_pool(models=4, samples=200)
    log = bought(Pooled(), pool, truth.astype(float), 10, 0)
    waiting = hand_out(Pooled().start(pool, log, 20, 1), log, 20)
    before, after = (Pooled().rank(pool, each).rows() for each in (log, waiting))
    assert before == after


def test_an_interval_never_has_width_zero_before_the_end() -> None:
    pool, truth = example_pool(models=4, samples=200)
    for rows in (5, 10, 20):
        ranking = Pooled().rank(pool, bought(Pooled(), pool, truth.astype(float), rows, 0))
        assert (ranking.estimate.high - ranking.estimate.low > 0.05).all()
