"""What the shared kernels cost, as ratios to a plain numpy reference in the same run.

Run with `make bench`. Times are CPU seconds of this process, best of three.
"""

from dataclasses import replace

import numpy as np
from timed import seconds

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import vote_agreement
from adjudge.decisions.screening import screen
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.baselines.random import Random
from adjudge.methods.patterns import patterns
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import budget, steps


def plain_agreement(values: Array, classes: int) -> FloatArray:
    """One-hot votes with numpy: the reference."""
    counts = np.stack([(values == code).sum(axis=0) for code in range(classes)])
    winners = counts == counts.max(axis=0)
    return np.asarray(np.take_along_axis(winners / winners.sum(axis=0), values.astype(np.int64), axis=0).mean(axis=1))


def main() -> None:
    models, samples, classes = 100, 200_000, 10
    pool, truth = example_pool(models, samples, classes)
    values = pool.values.astype(np.int8)
    pool = Predictions(values, pool.models, range(samples), pool.classes)
    empty = Labels.empty(samples)
    reference = seconds(lambda: plain_agreement(values, classes))
    print(f"{models} models x {samples:,} samples x {classes} classes")
    print(f"{'agreement, plain numpy':34s} {reference:7.3f} s   1.00")
    for name, work in {
        "agreement": lambda: vote_agreement(replace(pool), empty),  # a new pool, about which nothing is kept
        "grouping equal samples": lambda: patterns(pool),
        "grouping, np.unique": lambda: np.unique(values, axis=1),
        "screening": lambda: screen(pool),
    }.items():
        spent = seconds(work)
        print(f"{name:34s} {spent:7.3f} s  {spent / reference:5.2f}")

    def run() -> None:
        picker = Random().start(pool, empty, 100, 0)
        for labels in steps(picker, lambda sample: int(truth[sample]), budget(100), empty):
            if len(labels):
                Drawn().rank(pool, labels)

    print(f"{'one label: draw, rank, interval':34s} {seconds(run) / 100:7.5f} s")


if __name__ == "__main__":
    main()
