"""What a step of each active method costs, as ratios to plain references in the same run.

A step of `coda` is compared with the authors' way, which integrates anew for every sample and class: timed on a few
samples, for all of them. The others are compared with one plain pass over the votes. Run with
`python benchmarks/active.py`. CPU seconds.
"""

from dataclasses import replace
from time import process_time

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector
from adjudge.registry import selector
from adjudge.simulation.contract import example_pool

MODELS, SAMPLES, CLASSES = 30, 10_000, 10
AUTHORS = 55.0  # CPU seconds of a step of the authors' program at this size
LEAST = 80.0  # so many times faster `coda` shall be
STEPS, TRIED = 10, 20


def plain_pass(values: Array) -> Array:
    """How many models said each class, on each sample."""
    return np.stack([(values == code).sum(axis=0) for code in range(CLASSES)])


def plain_step(right: FloatArray, wrong: FloatArray, said: Array) -> FloatArray:
    """(classes, models): chances of being best after each label of one sample, one integral at a time."""
    from scipy.special import betaln

    grid = np.linspace(1e-6, 1 - 1e-6, 256)[:, None]
    found = np.empty((CLASSES, MODELS))
    for code in range(CLASSES):
        agree = said == code
        one, two = right[:, code] + agree, wrong[:, code] + ~agree
        density = np.exp((one - 1) * np.log(grid) + (two - 1) * np.log1p(-grid) - betaln(one, two))
        function = np.maximum(np.cumsum(density, axis=0) * (grid[1] - grid[0]), 1e-30)
        others = np.exp(np.log(function).sum(axis=1, keepdims=True) - np.log(function))
        found[code] = (density * others).sum(axis=0)
    return found


def step_seconds(method: Selector, pool: Predictions, truth: Array) -> tuple[float, float, float]:
    """To begin, for the first sample, and for each of the next."""
    start = process_time()
    picker, labels = method.start(pool, Labels.empty(SAMPLES), STEPS, 0), Labels.empty(SAMPLES)
    spent = [process_time() - start]
    for _ in range(STEPS):
        start = process_time()
        pick = picker(labels)
        assert pick is not None
        labels = labels.add(pick, int(truth[pick.sample]))
        spent.append(process_time() - start)
    return spent[0], spent[1], float(np.mean(spent[2:]))


def main() -> None:
    made, truth = example_pool(MODELS, SAMPLES, CLASSES)
    pool = Predictions(made.values.astype(np.int8), made.models, range(SAMPLES), made.classes)
    start = process_time()
    plain_pass(pool.values)
    reference = process_time() - start
    right, wrong = np.full((MODELS, CLASSES), 2.2), np.full((MODELS, CLASSES), 2.1)
    start = process_time()
    for sample in range(TRIED):
        plain_step(right, wrong, pool.values[:, sample])
    plain = (process_time() - start) * SAMPLES / TRIED
    print(f"{MODELS} models x {SAMPLES:,} samples x {CLASSES} classes; CPU seconds")
    print(f"{'one plain pass over the votes':30s} {reference:7.4f}   1.00")
    print(f"{'a step of coda, plainly':30s} {plain:7.2f}   1.00 of plain coda")
    print(f"{'method':16s} {'begin':>8s} {'first':>8s} {'next':>8s}  next / pass")
    for name in ("vote-entropy", "model-selector", "active-testing", "vma", "coda", "coda-accuracy"):
        step_seconds(selector(name), pool, truth)  # compiles
        begin, first, later = step_seconds(selector(name), replace(pool), truth)  # nothing is kept about it
        print(f"{name:16s} {begin:8.4f} {first:8.4f} {later:8.4f}  {later / reference:8.2f}", end="")
        print(f"   plain / step {plain / later:6.0f}" if name.startswith("coda") else "")
        if name == "coda":
            slowest = max(begin + first, later)
            ahead = AUTHORS / slowest
            print(f"{'':16s} its slowest step, with all that comes before: {slowest:.2f} s, {ahead:.0f} x the authors'")
            if ahead < LEAST:
                raise SystemExit(
                    f"coda is {ahead:.0f} times as fast as the authors' program; {LEAST:.0f} were promised"
                )


if __name__ == "__main__":
    main()
