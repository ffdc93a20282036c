"""Small pools, plans and logs that several tests build on."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector, hand_out
from adjudge.methods.pooled.expected_accuracy import expected_accuracy
from adjudge.methods.pooled.posterior import likely

if TYPE_CHECKING:
    from adjudge.labeling.session.session import Session

TASKS = Path(os.environ.get("ADJUDGE_TASKS", Path(__file__).parents[3] / "shared" / "tasks"))
Task = Callable[[str], Path]
Begin = Callable[..., "Session"]


def pool_of(rows: list[list[int]] | Array, classes: int = 3) -> Predictions:
    """A pool of class codes, with made-up names."""
    values = np.asarray(rows)
    names = tuple(f"m{number}" for number in range(len(values)))
    return Predictions(values, names, range(values.shape[1]), tuple(f"c{number}" for number in range(classes)))


def shuffled(pool: Predictions, labels: Labels) -> tuple[Predictions, Labels, IntArray]:
    """Models, samples and classes in another order, the same labels there, and which model each one was."""
    assert pool.classes is not None
    rng, (models, samples), classes = np.random.default_rng(0), pool.values.shape, len(pool.classes)
    seat, place, code = rng.permutation(models), rng.permutation(samples), rng.permutation(classes)
    other = pool_of(code[pool.values][seat][:, place], classes)
    return other, Labels.known(samples, np.argsort(place)[labels.sample], code[labels.value.astype(np.int64)]), seat


def handed_out(selector: Selector, pool: Predictions, rows: int | None = None, seed: int = 0) -> Labels:
    """The plan of a selector that is left to itself, up to a number of rows."""
    none = Labels.empty(len(pool.samples))
    return hand_out(selector.start(pool, none, rows, seed), none, rows or none.pool)


def whole_plan(
    selector: Selector, budget: int | None, given: Labels | None = None, *, pool: Predictions, seed: int = 0
) -> Labels:
    """The plan of a selector for a budget, until it ends by itself."""
    log = Labels.empty(len(pool.samples)) if given is None else given
    return hand_out(selector.start(pool, log, budget, seed), log, log.pool)


def known_labels(truth: IntArray, samples: list[int]) -> Labels:
    """Labels of some samples, which were chosen and not drawn."""
    return Labels.known(len(truth), samples, truth[samples])


def uniform_log(truth: Array, sample: IntArray) -> Labels:
    """Samples that were drawn with equal chances, in this order, and answered by the truth."""
    log = Labels.known(len(truth), sample, truth[sample])
    return replace(log, weight=np.ones(len(log)), seen=np.arange(len(log)))


def chance_of_best(pool: Predictions, labels: Labels) -> FloatArray:
    """What the consensus says about a log that may hold chosen labels only."""
    expected = np.nan_to_num(expected_accuracy(pool, labels), nan=-1.0)
    return likely(pool, labels, np.argsort(-expected, kind="stable")).chance_of_best


def random_group(open_samples: IntArray, chances: FloatArray) -> list[int]:
    """A set of samples from random numbers, as Floyd draws it."""
    places: list[int] = []
    for chance in chances:
        last = len(open_samples) - len(chances) + len(places)
        place = int(chance * (last + 1))
        places.append(last if place in places else place)
    return [int(sample) for sample in open_samples[places]]
