import numpy as np
import pytest

from adjudge.core.arrays import FloatArray
from adjudge.inference.betting import BISECTIONS, EProcess, e_process
from adjudge.inference.stratified_betting import stratified_bound
from adjudge.inference.weighted import pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought


def two_strata(rows: int, seed: int) -> tuple[EProcess, EProcess]:
    pool, truth = example_pool(models=4, samples=1500, seed=4)
    mean = pool_mean(pool, bought(StratifiedDraws(), pool, truth, rows, seed), ZeroOne())
    one, other = (e_process(mean, part, mean.known.losses, np.arange(4)) for part in mean.strata)
    return one, other


@pytest.mark.parametrize("rows", [10, 40, 120, 600])
def test_ends_of_a_sum_are_those_of_all_pairs_of_candidates(rows: int) -> None:
    threshold, processes = np.log(40), two_strata(rows, seed=0)
    low, high = (stratified_bound(*processes, side, threshold) for side in (1, -1))
    steps = np.concatenate([[0.0], np.geomspace(1e-5, 1e-2, 40), np.linspace(0.01, 1, 500)[1:]])
    for side, end in ((1, low), (-1, high)):
        total, wealth = [], []
        for process in processes:
            near, far = process.possible(side)
            candidates = near + (far - near) * steps[:, None]
            total.append(process.draws.size * candidates)
            wealth.append(np.array([process.log_wealth(each, side) for each in candidates]))
        for model in range(4):
            sums = np.add.outer(*(each[:, model] for each in total))
            left = sums[np.add.outer(*(each[:, model] for each in wealth)) < threshold]
            assert end[model] == pytest.approx(side * (side * left).min(), abs=0.01 * (high - low)[model])


def bound_at_the_end(process: EProcess, side: int, threshold: float) -> FloatArray:
    """As `bound`, but by the wealth after the last draw, which is what bets on two strata together have."""
    out, far = process.possible(side)
    for _ in range(BISECTIONS):
        rejected = process.log_wealth((out + far) / 2, side) >= threshold
        out, far = np.where(rejected, (out + far) / 2, out), np.where(rejected, far, (out + far) / 2)
    return np.asarray(process.draws.size * out)


def test_bets_on_both_parts_tell_more_than_bets_on_each() -> None:
    threshold, processes = np.log(40), two_strata(100, seed=0)
    low, high = (stratified_bound(*processes, side, threshold) for side in (1, -1))
    apart = [[bound_at_the_end(each, side, threshold + np.log(2)) for side in (1, -1)] for each in processes]
    assert (high - low < 0.97 * sum(most - least for least, most in apart)).all()


def test_a_candidate_that_was_rejected_once_stays_rejected() -> None:
    for process in two_strata(100, seed=0):
        for side in (1, -1):
            kept, last = process.bound(side, np.log(40)), bound_at_the_end(process, side, np.log(40))
            assert (side * (kept - last) >= -1e-3).all()
            near, far = process.possible(side)
            middle = (near + far) / 2
            path = process.log_wealth_path(middle, side)
            assert process.peak_log_wealth(middle, side) == pytest.approx(np.maximum(path.max(axis=1), 0))
            assert path[:, -1] == pytest.approx(process.log_wealth(middle, side))
