"""What CES costs: 100 labels for one model of 84 units on 10,000 samples, against recounting for each group.

Times are CPU seconds of this process, best of three; start it with OMP_NUM_THREADS=1 to count one thread. The authors
count all chosen samples anew for every group that is tried; here a group only changes the counts that it touches.
"""

import numpy as np
from timed import seconds

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.papers.ces import CES

SAMPLES, UNITS, LABELS, SECTIONS = 10_000, 84, 100, 20
LIMIT = 0.1  # seconds


def recounted(features: FloatArray, tries: int) -> list[int]:
    """The authors' way: for each group and each unit, compare all chosen outputs with the edges of all sections."""
    rng = np.random.default_rng(0)
    edges = np.linspace(features.min(axis=0), features.max(axis=0), SECTIONS + 1)
    pool = _shares(features, edges)
    chosen: list[int] = rng.permutation(len(features))[:30].tolist()
    while len(chosen) < LABELS:
        best, lowest = chosen, np.inf
        for _ in range(tries):
            group = [*chosen, *rng.permutation(len(features))[:5].tolist()]
            entropy = -np.mean(np.sum(pool * np.log(np.clip(_shares(features[group], edges), 1e-10, 1)), axis=0))
            if entropy < lowest:
                best, lowest = group, float(entropy)
        chosen = best
    return chosen


def _shares(outputs: FloatArray, edges: FloatArray) -> FloatArray:
    """(sections, units)."""
    return np.stack(
        [
            [
                np.sum((outputs[:, unit] >= edges[part, unit]) & (outputs[:, unit] < edges[part + 1, unit]))
                for unit in range(outputs.shape[1])
            ]
            for part in range(SECTIONS)
        ]
    ) / len(outputs)


def main() -> None:
    features = np.maximum(np.random.default_rng(0).normal(size=(SAMPLES, UNITS)), 0)  # like outputs of rectified units
    pool = Predictions(np.zeros((1, SAMPLES), dtype=np.int8), ("a",), range(SAMPLES), ("x", "y"))
    print(f"{LABELS} labels, {UNITS} units x {SAMPLES:,} samples")
    few = 3  # groups; the cost is proportional to them
    recount = seconds(lambda: recounted(features, few), 1) / few
    for variant, tries in (("paper", 300), ("reversed-kl", 30)):

        def run(variant: str = variant) -> None:
            CES(features, variant=variant).start(pool, Labels.empty(SAMPLES), LABELS, 0)

        run()  # compiles
        spent, reference = seconds(run), recount * tries
        print(
            f"variant {variant:6s} {spent:7.4f} s (at most {LIMIT}); recounting {tries} groups: "
            f"{reference:.1f} s, {reference / spent:,.0f} times as much"
        )
        assert spent <= LIMIT, "CES is too slow"


if __name__ == "__main__":
    main()
