from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector, draw_by_score
from adjudge.inference.intervals import mover_interval, normal_quantile
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.peers.vma import VMA
from adjudge.methods.pooled.assisted import Assisted
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import uniform_log


@pytest.mark.parametrize("rare", [0.03, 0.06])
def test_intervals_know_that_rare_mistakes_may_be_where_few_draws_fall(rare: float) -> None:
    """Three draws in five go to a seventh of the samples; mistakes elsewhere are rare, and weigh two and a half."""
    rng, often = np.random.default_rng(0), np.arange(2000) < 300
    truth = rng.integers(2, size=2000)
    wrong = rng.random((6, 2000)) < np.where(often, 0.45, rare)
    pool = Predictions(np.where(wrong, 1 - truth, truth), tuple("abcdef"), range(2000), ("no", "yes"))
    actual, held = 1 - wrong.mean(axis=1), []
    for seed in range(100):
        log, rest = Labels.empty(2000), np.arange(2000)
        for row in range(60):
            pick = draw_by_score(rest, often[rest].astype(float), 0.4, row, np.random.default_rng([seed, row]))
            log, rest = log.add(pick, int(truth[pick.sample])), rest[rest != pick.sample]
        found = Drawn().rank(pool, log).estimate
        held.append((found.low <= actual) & (actual <= found.high))
    assert np.mean(held) > 0.92  # without that knowledge: .83 and .73


@pytest.mark.parametrize("selector", [VMA(), Pooled(goal="estimate")])
@pytest.mark.parametrize("ranker", [Drawn(), Assisted()])
@pytest.mark.parametrize("right", [True, False])
def test_a_model_that_is_always_or_never_right_may_be_so(selector: Selector, ranker: Drawn, right: bool) -> None:
    """Weights of draws vary, so the estimate is only near the extreme even where all draws say the same."""
    pool, truth = example_pool(models=5, samples=300)
    values, extreme = np.array(pool.values), truth if right else np.full(300, 3)  # the last class is never right
    values[:, ::3], values[0] = extreme[::3], extreme
    pool = replace(pool, values=values, classes=tuple("abcd"), probabilities=None)
    for seed in range(25):
        found = ranker.rank(pool, bought(selector, pool, truth, 40, seed)).estimate
        assert found.low[0] <= right <= found.high[0]  # once missed in a third of the runs


@pytest.mark.parametrize(("size", "labels"), [(1000, 500), (1000, 800), (200, 100), (60, 40)])
def test_half_of_a_pool_without_a_mistake_does_not_rule_out_a_few(size: int, labels: int) -> None:
    """Over all that a uniform draw can show, whatever the number of mistakes in the pool."""
    pool = Predictions(np.zeros((1, size), dtype=int), ("net",), range(size), ("no", "yes"))
    found = np.arange(min(labels, 40) + 1)
    logs = [uniform_log(np.arange(size) < wrong, np.arange(labels)) for wrong in found]
    estimates = [Drawn().rank(pool, log).estimate for log in logs]
    low, high = (1 - np.array([getattr(each, end)[0] for each in estimates]) for end in ("high", "low"))
    for wrong in range(1, 15):
        chance = stats.hypergeom.pmf(found, size, wrong, labels)
        assert chance[(low <= wrong / size + 1e-9) & (wrong / size <= high + 1e-9)].sum() > 0.91


@pytest.mark.parametrize(
    ("sizes", "drawn"), [((200, 100), (160, 80)), ((1000, 20), (500, 10)), ((200, 100), (100, 60))]
)
def test_half_of_each_stratum_without_a_mistake_does_not_rule_out_a_few(
    sizes: tuple[int, int], drawn: tuple[int, int]
) -> None:
    """Over all that draws from two strata can show, whatever the number of mistakes in either."""
    weight = np.repeat(np.array(sizes) / drawn * sum(drawn) / sum(sizes), drawn)
    found = np.array(list(np.ndindex(21, 11)))
    losses = np.hstack([np.arange(number) < seen[:, None] for number, seen in zip(drawn, found.T, strict=True)])
    low, high = mover_interval(losses.astype(float), weight, sum(sizes), normal_quantile(0.95))
    for wrong in np.ndindex(15, 6):
        chance = np.prod(stats.hypergeom.pmf(found, sizes, wrong, drawn), axis=1)
        actual = sum(wrong) / sum(sizes)
        assert chance[(low <= actual + 1e-9) & (actual <= high + 1e-9)].sum() > 0.92  # once .80, .87 and .93
