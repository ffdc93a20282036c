"""The sequential confidence set for the best model: its bets, by enumerating every way in which draws can fall out."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import SKIP, Labels, Pick, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import still_open
from adjudge.core.strata import DISPUTED, UNANIMOUS, disputed
from adjudge.inference.confidence_set import guaranteed, log_wealth_of_best, log_wealth_paths, surely_worse
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.stratum import ExpectedLosses
from adjudge.inference.weighted import pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.random import Random
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import pool_of

Chances = Callable[[Labels, IntArray], FloatArray]  # of the open samples, in any way that depends on earlier labels
SAMPLES = 5


def uniform(labels: Labels, among: IntArray) -> FloatArray:
    return np.full(len(among), 1 / len(among))


def weighted(labels: Labels, among: IntArray) -> FloatArray:
    """Chances that depend on all that was drawn and seen, from a seventh of the uniform chance on."""
    score = 1 + (among * 3 + int(labels.codes.sum()) + len(labels)) % 7
    return np.asarray(score / score.sum())


def beliefs(labels: Labels) -> FloatArray:
    """(samples, classes): what somebody expects after these labels, often wrongly."""
    hits = np.random.default_rng([int(labels.codes[labels.codes >= 0].sum()), len(labels)])
    return np.asarray(hits.dirichlet(np.full(3, 0.3), size=labels.pool))


def with_beliefs(mean: PoolMean, labels: Labels) -> PoolMean:
    """The mean with expected losses that are known before each draw."""
    first, pool = mean.strata[0], mean.predictions
    draws, rest, drawn = first.draws, [], []
    for row, seen in zip(draws.rows, draws.seen, strict=True):
        earlier = labels.head(seen)
        expected = np.where(pool.values >= 0, 1 - np.take_along_axis(beliefs(earlier), pool.values.T, axis=1).T, 0.0)
        members = np.ones(labels.pool, dtype=bool) if draws.members is None else draws.members
        rest.append(expected[:, np.intersect1d(still_open(earlier), np.flatnonzero(members))].sum(axis=1))
        drawn.append(expected[:, labels.sample[row]])
    if not rest:
        return mean
    informed = replace(first, expected=ExpectedLosses(np.transpose(rest), np.transpose(drawn)))
    return replace(mean, strata=[informed, *mean.strata[1:]])


class Game:
    """All ways in which the labels of a small pool can be drawn, and the wealth of the bets on each."""

    def __init__(self, pool: Predictions, truth: FloatArray, chances: Chances, *, strata: bool, chosen: bool) -> None:
        self.pool, self.truth, self.chances, self.strata, self.chosen = pool, truth, chances, strata, chosen
        wrong = (pool.values != truth) & (pool.values >= 0) & ~np.isnan(truth)
        lacking = ((pool.values < 0) & ~np.isnan(truth)).sum(axis=1)
        # those that may be best, since a missing prediction may be right or wrong
        self.best = np.flatnonzero(wrong.sum(axis=1) <= (wrong.sum(axis=1) + lacking).min())
        self.nodes = 0

    def answered(self, labels: Labels, pick: Pick) -> Labels:
        value = self.truth[pick.sample]
        return labels.add(pick, SKIP if np.isnan(value) else value)

    def turns(self, labels: Labels) -> Iterator[tuple[float, Labels]]:
        """Each log that the next draw may lead to, with its chance; a chosen label may come first."""
        if self.chosen and len(labels) == 2:
            labels = self.answered(labels, Pick(int(still_open(labels)[0]), seen=len(labels)))
        rest, stratum = still_open(labels), 0
        if self.strata:
            in_dispute = disputed(self.pool, labels.header.models)
            stratum = UNANIMOUS if len(labels) == 1 else DISPUTED
            rest = rest[in_dispute[rest] == (stratum == DISPUTED)]
        if stratum != UNANIMOUS and len(rest) < 2:  # the last sample is no bet: then all is known
            return
        chance = self.chances(labels, rest)
        for sample, each in zip(rest.tolist(), chance.tolist(), strict=True):
            weight = [1 / (len(rest) * every) for every in (each, chance.min())]
            yield each, self.answered(labels, Pick(sample, weight[0], len(labels), stratum, weight[1]))

    def mean(self, labels: Labels) -> PoolMean:
        return with_beliefs(pool_mean(self.pool, labels, ZeroOne()), labels)

    def play(self, labels: Labels, before: FloatArray) -> None:
        """No draw may be expected to make the best model's wealth grow, and none may change what was won before."""
        turns = list(self.turns(labels))
        after = np.zeros(len(self.pool.models))
        for chance, longer in turns:
            path = log_wealth_paths(self.mean(longer))
            assert path[:, : before.shape[1]] == pytest.approx(before, abs=1e-12)
            after += chance * np.exp(path[:, -1] if path.shape[1] else 0.0)
            self.play(longer, path)
        # the wealth is told from the first label on, so after a skip as the first draw it is not known yet
        if turns and (before.shape[1] or not np.isnan(self.truth).any()):
            self.nodes += 1
            now = np.exp(before[:, -1]) if before.shape[1] else np.ones(len(after))
            assert (after <= now + 1e-9)[self.best].all()


def small_pool(seed: int, *, gaps: bool, skips: bool) -> tuple[Predictions, FloatArray]:
    rng = np.random.default_rng(seed)
    values = rng.integers(3, size=(3, SAMPLES))
    values[:, -1] = values[0, -1]  # one sample on which all agree
    truth = rng.integers(3, size=SAMPLES).astype(float)
    if gaps:
        values[1, seed % 4], values[2, (seed + 1) % 4] = -1, -1
    if skips:
        truth[[(seed + 2) % 4, -1]] = np.nan
    return pool_of(values), truth


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("chances", "more"),
    [
        (uniform, ()),
        (weighted, ()),
        (weighted, ("chosen",)),
        (weighted, ("strata",)),
        (uniform, ("gaps",)),
        (weighted, ("gaps", "strata")),
        (weighted, ("skips",)),
        (uniform, ("skips", "gaps")),
        (weighted, ("skips", "gaps", "chosen")),
    ],
)
def test_no_draw_is_expected_to_make_the_best_model_look_worse(
    chances: Chances, more: tuple[str, ...], seed: int
) -> None:
    pool, truth = small_pool(seed, gaps="gaps" in more, skips="skips" in more)
    game = Game(pool, truth, chances, strata="strata" in more, chosen="chosen" in more)
    start = Labels.empty(SAMPLES)
    if "skips" in more:  # that there are skips is known from the start
        start = start.add(Pick(SAMPLES - 1), SKIP)
    game.play(start, np.zeros((3, 0)))
    assert game.nodes >= 3


FEWER = [[1, 1, 0, 0, 0], [1, 0, -1, -1, -1], [2, 2, 1, 1, 0]]  # the first has the larger sum, not the larger mean
LATER = [[0, 0, 1, 1, 1], [1, 1, 0, 1, 1], [1, 1, 1, 0, 0]]  # the last is good only where the first two agree


@pytest.mark.parametrize("chances", [uniform, weighted])
@pytest.mark.parametrize(
    ("values", "skips", "models", "best"),
    [(FEWER, 0, (), [0, 1]), (FEWER, 1, (), [0, 1]), (LATER, 0, ("m0", "m1"), [0, 2])],
)
def test_what_the_sums_over_the_drawn_stratum_leave_out_is_not_held_against_the_best(
    values: list[list[int]], skips: int, models: tuple[str, ...], best: list[int], chances: Chances
) -> None:
    truth = np.zeros(SAMPLES)
    start = Labels.empty(SAMPLES, RunHeader(models=models))
    if skips:
        truth[-1], start = np.nan, start.add(Pick(SAMPLES - 1), SKIP)
    game = Game(pool_of(values), truth, chances, strata=bool(models), chosen=False)
    assert game.best.tolist() == best
    game.play(start, np.zeros((3, 0)))
    assert game.nodes >= 3


def test_a_model_that_is_surely_worse_than_the_first_is_ruled_out() -> None:
    """All samples on which the two differ are labeled, so no draw has to show it."""
    pool, truth = example_pool(models=4, samples=200, seed=4)
    labels = bought(Random(), pool, truth * 1.0, 20, 1)
    few, values = labels.sample[:3], pool.values.copy()
    values[0, few] = truth[few]
    values[1] = values[0]
    values[1, few] = (truth[few] + 1) % 3
    mean = pool_mean(replace(pool, values=values, probabilities=None), labels, ZeroOne())
    assert surely_worse(mean, 0).tolist()[:2] == [False, True]
    assert not guaranteed(mean, 0, log_wealth_of_best(mean), 0.95, 1.0).may_be_best[1]
    nobody = guaranteed(mean, 0, np.zeros(4), 0.95, 1.0).may_be_best
    assert nobody.tolist()[:2] == [True, False]
