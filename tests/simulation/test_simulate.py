import gc

import numpy as np
import pytest

from adjudge import evaluation
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, InputError, MethodError
from adjudge.losses.numbers import Squared
from adjudge.methods.pooled import posterior
from adjudge.simulation.contract import example_pool
from adjudge.simulation.engine import results
from adjudge.simulation.simulate import simulate, spread
from adjudge.simulation.single_model import simulate_single_model

Pool = tuple[Predictions, FloatArray]


def test_a_run_can_be_followed_by_hand(small_pool: Pool) -> None:
    """Each label of one seed, worked out without the loop."""
    pool, truth = small_pool
    result = simulate(pool, truth, "random", budget=30, seeds=1, seed=11)
    actual = (pool.values == truth).mean(axis=1)
    assert result.truth == pytest.approx(actual)
    taken: list[int] = []
    for step in range(30):
        still_open = [sample for sample in range(60) if sample not in taken]
        taken.append(still_open[np.random.default_rng([11, step]).integers(len(still_open))])
        accuracy = (pool.values[:, taken] == truth[taken]).mean(axis=1)
        first = np.isclose(accuracy, accuracy.max())
        assert result.curves["regret"][0, step + 1] == pytest.approx((actual.max() - actual[first]).mean())
        assert result.curves["spearman"][0, step + 1] == pytest.approx(evaluation.spearman(accuracy.round(9), actual))


def test_before_the_first_label_all_models_are_tied(small_pool: Pool) -> None:
    pool, truth = small_pool
    result = simulate(pool, truth, "random", budget=5, seeds=3)
    assert result.curves["regret"][:, 0] == pytest.approx(result.truth.max() - result.truth.mean())
    assert (result.curves["spearman"][:, 0] == 0).all()
    assert np.isnan(result.curves["coverage"][:, 0]).all()
    assert result.at_budgets()["coverage"]["0"] == {"mean": None, "std": None}


def test_a_complete_budget_ends_at_the_truth(small_pool: Pool) -> None:
    pool, truth = small_pool
    at_end = simulate(pool, truth, "random", budget=60, seeds=2).at_budgets()
    assert at_end["regret"]["60"]["mean"] == 0
    assert at_end["spearman"]["60"]["mean"] == pytest.approx(1)
    assert at_end["coverage"]["60"]["mean"] == 1
    assert at_end["width"]["60"]["mean"] == pytest.approx(0)


def test_a_ranker_alone_buys_nothing(small_pool: Pool) -> None:
    pool, truth = small_pool
    result = simulate(pool, truth, "agreement", budget=20, seeds=2)
    assert (result.curves["spearman"] == result.curves["spearman"][0, 0]).all()
    assert result.ranker == "agreement"
    assert result.totals()["cumulative_regret"]["mean"] == pytest.approx(20 * result.curves["regret"][0, 0])


def test_another_ranker_can_be_named(small_pool: Pool) -> None:
    pool, truth = small_pool
    clamped = simulate(pool, truth, "random", budget=60, seeds=1, ranker="agreement")
    assert clamped.curves["spearman"][0, -1] == pytest.approx(1)  # every vote is replaced by its label


def test_budgets_and_jaccard_that_are_reported(small_pool: Pool) -> None:
    pool, truth = small_pool
    result = simulate(pool, truth, "random", budget=35, seeds=1)
    assert result.budgets == (0, 10, 20, 35)
    assert {"jaccard_1", "jaccard_3", "jaccard_5"} <= set(result.curves)
    assert "jaccard_10" not in result.curves


def test_the_same_seeds_give_the_same_numbers_on_any_number_of_workers(
    small_pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, truth = small_pool
    one = simulate(pool, truth, "random", budget=20, seeds=6, workers=1)
    monkeypatch.setattr("adjudge.simulation.engine.WORTH_IT", 0.0)
    told: list[int] = []
    two = simulate(pool, truth, "random", budget=20, seeds=6, workers=2, progress=told.append)
    assert told == [1, 2, 3, 4, 5, 6]
    for name, curve in one.curves.items():
        np.testing.assert_array_equal(curve, two.curves[name])


def test_processes_of_our_own_look_for_garbage_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.simulation.engine.WORTH_IT", -1.0)
    here, *there = results(_threshold, range(3), workers=2)
    assert here == gc.get_threshold()
    assert {first for first, *_ in there} == {100_000}


def _threshold(_item: int) -> tuple[int, int, int]:
    return gc.get_threshold()


def test_samples_without_a_truth_are_skipped(small_pool: Pool) -> None:
    pool, truth = small_pool
    some = np.where(np.arange(60) % 3 == 0, np.nan, truth)
    with pytest.warns(AdjudgeWarning, match="the truth of 20 of 60 samples is not known"):
        result = simulate(pool, some, "random", budget=60, seeds=1)
    known = ~np.isnan(some)
    assert result.truth == pytest.approx((pool.values[:, known] == truth[known]).mean(axis=1))
    assert result.curves["width"][0, -1] == pytest.approx(0)
    assert result.curves["coverage"][0, -1] == 1


def test_numbers_are_judged_by_their_squared_error() -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(0, 1, 50)
    pool = Predictions(np.clip(truth + rng.normal(0, [[0.05], [0.3]], (2, 50)), 0, 1), ("good", "bad"), range(50), None)
    result = simulate(pool, truth, "random", budget=50, seeds=2, loss=Squared(0, 1))
    assert result.quantity == "MSE"
    assert result.truth == pytest.approx(((pool.values - truth) ** 2).mean(axis=1))
    assert (result.curves["regret"][:, -1] == 0).all()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"budget": 0}, "a budget of 0 does not fit a pool of 60 samples; give 1 to 60"),
        ({"budget": -3}, "a budget of -3"),
        ({"budget": 61}, "a budget of 61"),
        ({"budget": 5, "seeds": 0}, "0 seeds were asked for"),
    ],
)
def test_impossible_runs_are_refused(small_pool: Pool, arguments: dict[str, int], sentence: str) -> None:
    pool, truth = small_pool
    with pytest.raises(InputError, match=sentence):
        simulate(pool, truth, **arguments)  # type: ignore[arg-type]


def test_a_truth_that_does_not_fit_is_refused(small_pool: Pool) -> None:
    pool, truth = small_pool
    with pytest.raises(InputError, match="59 values for 60 samples"):
        simulate(pool, truth[1:])
    with pytest.warns(AdjudgeWarning, match="60 of 60"), pytest.raises(InputError, match="no label at all"):
        simulate(pool, np.full(60, np.nan))
    with pytest.raises(MethodError, match="no method 'randon'; did you mean 'random'"):
        simulate(pool, truth, "randon")


def test_the_spread_of_one_run_is_unknown_not_zero() -> None:
    assert spread(np.array([0.5])) == {"mean": 0.5, "std": None}
    assert spread(np.array([0.0, 1.0, np.nan])) == {"mean": 0.5, "std": pytest.approx(0.5**0.5)}


def test_css_plans_anew_for_each_number_of_labels(small_pool: Pool) -> None:
    """A point of its curve is what a run with that budget ends with."""
    pool, truth = small_pool
    whole = simulate(pool, truth, "css", budget=40, seeds=2)
    for budget in (5, 20):
        alone = simulate(pool, truth, "css", budget=budget, seeds=2)
        np.testing.assert_array_equal(whole.curves["width"][:, budget], alone.curves["width"][:, budget])
    options = {"model": pool.models[1]}
    single, other = (
        simulate_single_model(
            pool, truth, pool.models[1], simulate(pool, truth, "css", rows, 3, options=options), options=options
        )
        for rows in (20, 40)
    )
    assert single is not None
    assert other is not None
    np.testing.assert_array_equal(single.values[:, -1], other.values[:, other.budgets.index(20)])


def test_a_ranking_and_the_next_pick_share_a_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[int] = []
    fit = posterior._fitted

    def counted(predictions: Predictions, labels: Labels) -> posterior.Posterior:
        fitted.append(len(labels))
        return fit(predictions, labels)

    monkeypatch.setattr(posterior, "_fitted", counted)
    pool, truth = example_pool(models=5, samples=200)
    simulate(pool, truth.astype(float), "pooled", 15, 1, workers=1)
    assert fitted == sorted(set(fitted))
    assert len(fitted) > 10
