"""CES as in the authors' programs: against one that counts anew, interval by interval, for every group."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.methods.papers.ces import CES
from adjudge.simulation.contract import example_pool
from tests.support.pools import random_group, whole_plan

POOL, _ = example_pool(samples=400)
FEATURES = np.maximum(np.random.default_rng(0).normal(size=(400, 6)), 0)  # rectified: half of the values are 0
plan = partial(whole_plan, pool=POOL)


def shares(outputs: FloatArray, points: FloatArray) -> FloatArray:
    """The share of outputs strictly between each two points."""
    inside = [np.sum((outputs > low) & (outputs < high)) for low, high in pairwise(points)]
    return np.array(inside) / len(outputs)


def objective(chosen: IntArray, sections: int, variant: str) -> float:
    total = 0.0
    for unit in FEATURES.T:
        points = np.linspace(unit.min(), unit.max(), sections + 1)
        pool, ours = shares(unit, points), shares(unit[chosen], points)
        if variant == "authors":
            total += float(ours @ (np.log(np.maximum(ours, 1e-10)) - np.log(np.maximum(pool, 1e-10))))
        else:
            expected = np.where(pool < 0.5 / len(chosen), 0, pool)
            total -= float(expected @ np.log(np.maximum(ours, 1e-10)))
    return total


def recounted(sections: int, variant: str, end: int) -> tuple[list[int], int]:
    """The program with the same random numbers, and how often no group improved the objective."""
    rng = np.random.default_rng([0, 0])
    chosen: list[int] = rng.choice(400, 30, replace=False).tolist()
    fallbacks = 0
    while len(chosen) < end:
        open_samples = np.setdiff1d(np.arange(400), chosen)
        groups = [random_group(open_samples, chances) for chances in rng.random((30, min(5, end - len(chosen))))]
        values = [objective(np.array([*chosen, *group]), sections, variant) for group in groups]
        best = groups[int(np.argmin(values))]
        if min(values) >= objective(np.array(chosen), sections, variant):
            fallbacks += 1
            best = open_samples[rng.choice(len(open_samples), len(best), replace=False)].tolist()
        chosen += best
    return chosen, fallbacks


@pytest.mark.parametrize(("variant", "sections"), [("authors", 19), ("authors", 4), ("authors-cross-entropy", 9)])
def test_the_plan_is_that_of_the_programs(variant: str, sections: int) -> None:
    expected, fallbacks = recounted(sections, variant, 153)
    assert plan(CES(FEATURES, variant=variant, sections=sections), 153).sample.tolist() == expected
    assert (sections == 19) == (fallbacks == 0)  # both ways out of a round are taken


def test_nineteen_sections_unless_told() -> None:
    told = plan(CES(FEATURES, variant="authors", sections=19), 80).sample.tolist()
    assert plan(CES(FEATURES, variant="authors"), 80).sample.tolist() == told
