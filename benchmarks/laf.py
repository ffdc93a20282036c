"""What LaF costs, as a ratio to plain numpy in the same run; `large` runs the largest pool instead.

Times are CPU seconds of this process on one thread, best of three.
"""

import sys
from functools import partial

import numpy as np
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits
from timed import pool_of, rank_largest, seconds

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.ranking import Ranker
from adjudge.methods.baselines.majority import Majority
from adjudge.methods.papers.laf import LaF


def plain_laf(values: Array, classes: int) -> FloatArray:
    """The authors' variant with arrays of models x samples: the reference."""
    values = values[:, (values != values[0]).any(axis=0)]
    models, samples = values.shape
    counts = np.stack([(values == code).sum(axis=0) for code in range(classes)])
    vote = counts.argmax(axis=0)
    start = np.concatenate([(values == vote).mean(axis=1), (values == vote).mean(axis=0)])
    doubt, codes = np.log(classes - 1), values.astype(np.int64)

    def expect(point: FloatArray) -> FloatArray:
        odds = np.outer(point[:models], np.exp(point[models:])) + doubt
        score = np.stack([np.where(values == code, odds, 0).sum(axis=0) for code in range(classes)])
        chance = np.exp(score - score.max(axis=0))
        return np.asarray(np.take_along_axis(chance / chance.sum(axis=0), codes, axis=0))

    def cost(point: FloatArray, belief: FloatArray) -> tuple[float, FloatArray]:
        ease, away = np.exp(point[models:]), point - start
        both = np.outer(point[:models], ease)
        tail = np.exp(-np.abs(both))
        residual = belief - np.where(both >= 0, 1, tail) / (1 + tail)
        value = (belief * both - np.maximum(both, 0) - np.log1p(tail) - (1 - belief) * doubt).sum()
        value -= samples * np.log(classes) + (away @ away + point.size * np.log(2 * np.pi)) / 2
        return -value, away - np.concatenate([residual @ ease, ease * (point[:models] @ residual)])

    point, belief = start, expect(start)
    last = cost(point, belief)[0]
    while True:
        found = minimize(cost, point, (belief,), "CG", True, tol=0.01, options={"maxiter": 25})
        point, now = found.x, float(found.fun)
        if not abs(now - last) > 1e-5 * abs(last):
            return np.asarray(point[:models])
        last, belief = now, expect(point)


def main(models: int = 30, samples: int = 10_000, classes: int = 10) -> None:
    pool, empty = pool_of(models, samples, classes), Labels.empty(samples)
    print(f"{models} models x {samples:,} samples x {classes} classes")
    reference = seconds(lambda: plain_laf(pool.values, classes))
    print(f"{'laf, plain numpy':24s} {reference:7.3f} s   1.00")
    methods: dict[str, Ranker] = {"laf": LaF(), "laf, paper": LaF("paper"), "majority": Majority()}
    for name, method in methods.items():
        method.rank(pool, empty)  # compiles, and warms the caches
        spent = seconds(partial(method.rank, pool, empty))
        print(f"{name:24s} {spent:7.3f} s  {spent / reference:5.2f}")


if __name__ == "__main__":
    with threadpool_limits(1):
        rank_largest("laf", LaF()) if sys.argv[1:] == ["large"] else main()
