"""What a step of `pooled` costs, averaged over a run of 100 labels, beside one plain pass over the votes.

Run with `python benchmarks/pooled.py`. CPU seconds of one thread (more would only wait); the first
step, which sorts the pool by its patterns, is apart.
"""

from dataclasses import replace
from itertools import product
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from adjudge.core.labels import Labels, Pick
from adjudge.registry import selector
from adjudge.simulation.contract import example_pool

LABELS = 100
SIZES = ((30, 10_000, 10, 0.05), (100, 50_000, 10, 0.3))  # models, samples, classes, CPU seconds that a step may take


def main() -> None:
    example, known = example_pool(4, 50, 10)
    selector("pooled").start(example, Labels.empty(50), None, 0)(Labels.empty(50).add(Pick(0, 1.0), int(known[0])))
    for (models, samples, classes, limit), soft in product(SIZES, (False, True)):
        pool, truth = example_pool(models, samples, classes)
        pool = pool if soft else replace(pool, probabilities=None)
        start = process_time()
        np.stack([(pool.values == code).sum(axis=0) for code in range(classes)])
        plain = process_time() - start
        picker, labels = selector("pooled").start(pool, Labels.empty(samples), LABELS, 0), Labels.empty(samples)
        spent = []
        for _ in range(LABELS):
            start = process_time()
            pick = picker(labels)
            spent.append(process_time() - start)
            assert pick is not None
            labels = labels.add(pick, int(truth[pick.sample]))
        step = float(np.mean(spent))
        size = f"{models} x {samples:,} x {classes}{' with probabilities' if soft else ''}"
        print(f"{size:40s} first {spent[0]:6.2f}   step {step:6.3f}   {step / plain:5.1f} plain passes of {plain:.3f}")
        if step > limit:
            raise SystemExit(f"a step took {step:.3f} CPU seconds; {limit} were promised")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
