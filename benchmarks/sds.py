"""What scoring all samples with SDS costs, as ratios in one run.

Against a plain numpy pass (votes by bincount and one comparison), and against a loop over samples and models as
Algorithm 1 of the paper is written, on arrays. Run with `python benchmarks/sds.py`. CPU seconds, best of three.
"""

import numpy as np
from timed import seconds

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.predictions import Predictions
from adjudge.methods.papers.sds import SDS
from adjudge.simulation.contract import example_pool

MOST, LEAST = 3.0, 100.0  # at most so many plain passes; at least so many times less than the loop


def pool_of(models: int, samples: int, classes: int) -> Predictions:
    pool, _ = example_pool(models, samples, classes)
    return Predictions(pool.values.astype(np.int8), pool.models, range(samples), pool.classes)


def plain_pass(values: Array, classes: int) -> Array:
    """The vote of each sample by one bincount, and who agrees with it."""
    samples = values.shape[1]
    place = values + np.arange(samples) * classes
    votes = np.bincount(place.ravel(), minlength=samples * classes).reshape(samples, classes).argmax(axis=1)
    return np.asarray(values == votes)


def as_in_algorithm_1(predicted: Array, classes: int, group: float = 0.27) -> FloatArray:
    """Lines 11 to 34 as they are written, on arrays; ties go to the lowest class."""
    models, samples = predicted.shape
    vote, score, found = np.zeros(samples, dtype=int), np.zeros(models, dtype=int), np.zeros(samples)
    frequency = np.zeros(classes, dtype=int)
    for sample in range(samples):
        for code in range(classes):
            frequency[code] = np.sum(predicted[:, sample] == code)
        vote[sample] = np.argmax(frequency)
    for model in range(models):
        for sample in range(samples):
            if predicted[model][sample] == vote[sample]:
                score[model] += 1
    order = np.argsort(-score, kind="stable")
    size = max(1, int(group * models))
    top, bottom = set(order[:size].tolist()), set(order[-size:].tolist())
    for sample in range(samples):
        discrimination = 0
        for model in range(models):
            if model in top and predicted[model][sample] == vote[sample]:
                discrimination += 1
            elif model in bottom and predicted[model][sample] == vote[sample]:
                discrimination -= 1
        found[sample] = discrimination / size
    return found


def cold(pool: Predictions) -> FloatArray:
    """Without the votes that a second call would find counted."""
    return SDS().discrimination(Predictions(pool.values, pool.models, pool.samples, pool.classes))


def main() -> None:
    large, small = pool_of(100, 50_000, 10), pool_of(30, 10_000, 10)
    cold(large)  # compiles
    reference, scoring = seconds(lambda: plain_pass(large.values, 10)), seconds(lambda: cold(large))
    again = seconds(lambda: SDS().discrimination(large, 1))
    print("100 models x 50,000 samples x 10 classes")
    print(f"  plain numpy pass        {reference:8.4f} s")
    print(f"  SDS, first call         {scoring:8.4f} s  {scoring / reference:6.2f} x (at most {MOST:g})")
    print(f"  SDS, votes known        {again:8.4f} s  {again / reference:6.2f} x")
    values = small.values
    loop, fast = seconds(lambda: as_in_algorithm_1(values, 10), times=1), seconds(lambda: cold(small))
    print("30 models x 10,000 samples x 10 classes")
    print(f"  loop as in Algorithm 1  {loop:8.4f} s")
    print(f"  SDS, first call         {fast:8.4f} s  {loop / fast:6.0f} times less (at least {LEAST:g})")
    same = np.mean(np.isclose(as_in_algorithm_1(values, 10), SDS().discrimination(small)))
    print(f"  equal discriminations   {same:8.2%}   (tied votes are broken in another way)")


if __name__ == "__main__":
    main()
