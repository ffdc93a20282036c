"""The cheapest model that is good enough: likely, guaranteed, by cost and by latency; nothing without a price."""

from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge import Predictions, read_prices
from adjudge.core.labels import Labels
from adjudge.core.recommendation import Recommendation
from adjudge.decisions.prices import Regrets, mean_prices
from adjudge.decisions.rank import RankOptions, rank_checked
from adjudge.errors import AdjudgeError
from adjudge.losses.loss import ZeroOne
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.commands import as_json
from tests.support.pools import pool_of, uniform_log
from tests.support.repeated import repeated


def priced(pool: Predictions, **prices: list[float]) -> Predictions:
    for name, each in prices.items():
        pool = pool.with_auxiliary(name, np.broadcast_to(np.array(each)[:, None], pool.values.shape))
    return pool


def advice_for(pool: Predictions, labels: Labels, margin: float | None = None) -> Recommendation:
    found = rank_checked(pool, labels, RankOptions(margin=margin)).recommendation
    assert found is not None
    return found


def close_pool(accuracies: list[float], samples: int = 400, seed: int = 0) -> tuple[Predictions, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, samples)
    values = [np.where(rng.random(samples) < each, truth, rng.integers(0, 3, samples)) for each in accuracies]
    return pool_of(np.array(values)), truth.astype(np.float64)


def test_the_cheapest_within_the_margin_once_all_is_labeled() -> None:
    pool, truth = close_pool([0.9, 0.88, 0.6, 0.3])
    pool = priced(pool, cost=[1.0, 0.1, 0.01, 0.001], latency=[1.0, 2.0, 0.5, 3.0])
    log = uniform_log(truth, np.arange(400))
    exact = [float((row == truth).mean()) for row in pool.values]
    advice = advice_for(pool, log, margin=exact[0] - exact[1] + 0.001)
    cost, latency = advice.cheapest
    assert (cost.by, cost.model, cost.price, cost.leader_price) == ("cost", "m1", 0.1, 1.0)
    assert cost.guaranteed_loss == pytest.approx(exact[0] - exact[1])
    assert cost.likely_loss is None
    assert latency.model == "m0"
    lines = dict(advice.words)
    assert lines["Cheapest"].startswith("m1, 0.1 a sample (m0: 1, 10 times as much), is ")
    assert lines["Cheapest"].endswith(" points worse than the best, exactly.")
    assert lines["Fastest"].startswith("m0 too: no model that is faster is within ")


def test_what_is_likely_and_what_is_guaranteed_are_told_apart() -> None:
    pool, truth = example_pool(models=4, samples=300, seed=1)
    free = rank_checked(pool, bought(Pooled(), pool, truth * 1.0, 40, 0), RankOptions())
    labels = bought(Pooled(), pool, truth * 1.0, 40, 0)
    assert free.likely is not None
    places = [int(each) for each in free.order]
    cost = [0.0] * 4
    for rank, place in enumerate(places):
        cost[place] = 4.0 - rank
    pool = priced(pool, cost=cost)
    margin = float(free.likely.loss_bound[places[1]]) + 1e-6
    [found] = advice_for(pool, labels, margin).cheapest
    assert found.model == pool.models[places[1]]
    assert found.likely_loss == pytest.approx(free.likely.loss_bound[places[1]])
    assert found.guaranteed_loss is not None
    assert found.likely_loss is not None
    assert found.guaranteed_loss > found.likely_loss
    line = dict(advice_for(pool, labels, margin).words)["Cheapest"]
    assert "95% sure that it is at most" in line
    assert "Guaranteed: at most" in line


def test_nothing_is_said_without_prices_without_labels_or_where_prices_are_equal() -> None:
    pool, truth = example_pool(models=3, samples=200, seed=1)
    labels = bought(Pooled(), pool, truth * 1.0, 20, 0)
    assert advice_for(pool, labels).prices == {}
    same = priced(pool, cost=[1.0, 1.0, 1.0])
    assert advice_for(same, labels).cheapest == ()
    several = priced(pool, cost=[1.0, 2.0, np.nan])
    advice = advice_for(several, Labels.empty(200))
    assert (set(advice.prices["cost"]), advice.cheapest) == ({pool.models[0], pool.models[1]}, ())
    assert not {"Cheapest", "Fastest"} & set(dict(advice.words))
    assert mean_prices(pool.with_auxiliary("cost", np.arange(200.0))) == {}  # what a sample costs to label, perhaps


@repeated(30, 1000)
def test_a_guarantee_about_any_model_that_is_picked_is_seldom_wrong(repeats: int) -> None:
    """All models at once: how often the bound on any loss is below the loss, along the way too."""
    wrong = 0
    for run in range(repeats):
        pool, truth = close_pool([0.8, 0.78, 0.75, 0.6], samples=120, seed=run)
        right = (pool.values == truth).mean(axis=1)
        rng, missed = np.random.default_rng([run, 1]), False
        order = rng.permutation(120)
        for count in (20, 60):
            log = uniform_log(truth, order[:count]).settled()
            regrets = Regrets(pool, log, rank_checked(pool, log, RankOptions("drawn")), ZeroOne(), None, exact=False)
            for model, true in enumerate(right.max() - right):
                bound = regrets.guaranteed(model)
                missed |= bound is not None and bound < true - 1e-9
        wrong += missed
    assert wrong <= 0.05 * repeats + 2 * np.sqrt(0.05 * 0.95 * repeats)


def test_prices_from_a_table(tmp_path: Path) -> None:
    pool, _ = close_pool([0.9, 0.8, 0.7])
    file = tmp_path / "prices.csv"
    file.write_text("model,cost,latency\nm1,0.5,2\nm0,,1\n", encoding="utf-8")
    assert mean_prices(read_prices(file, pool)) == {"latency": {"m0": 1.0, "m1": 2.0}}
    for text, says in (
        ("model,price\nm1,1\n", "no column cost or latency"),
        ("name,cost\nm1,1\n", "the column 'model' is missing"),
        ("model,cost\nm7,1\n", "there is no model 'm7'"),
        ("model,cost\nm1,1\nm1,2\n", "several rows"),
        ("model,cost\nm1,cheap\n", r"the cost 'cheap' in prices\.csv is not a number"),
        ("model,cost\nm1,-1\n", "the cost is -1, which is below zero"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(AdjudgeError, match=says):
            read_prices(file, pool)


def test_prices_beside_predictions_are_read_with_them(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_text("sample_id,model,prediction,cost\na,x,1,0.5\nb,x,1,\na,y,1,2\nb,y,0,4\n", encoding="utf-8")
    assert mean_prices(adjudge.read(file)) == {"cost": {"x": 0.5, "y": 3.0}}
    assert mean_prices(adjudge.read(file, columns=["cost"])) == {}
    file.write_text("sample_id,model,prediction,cost\na,x,1,free\na,y,1,2\n", encoding="utf-8")
    with pytest.raises(AdjudgeError, match="the cost of 'x', 'free'"):
        adjudge.read(file)


def test_a_margin_is_a_number_above_zero() -> None:
    pool, truth = close_pool([0.9, 0.8])
    with pytest.raises(AdjudgeError, match="the margin 0 is not a number above zero"):
        adjudge.rank(pool, uniform_log(truth, np.arange(30)), margin=0.0)


def test_prices_may_be_about_models_that_are_left_out(tmp_path: Path) -> None:
    file, prices = tmp_path / "pool.csv", tmp_path / "prices.csv"
    file.write_text("sample_id,a,b,c\ns,x,y,y\nt,x,x,y\n")
    prices.write_text("model,cost\na,1\nb,2\nc,3\n")
    assert len(as_json("rank", file, "--only", "a,b", "--prices", prices)["models"]) == 2
