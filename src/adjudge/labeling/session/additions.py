"""What people add to a pool by labeling it: classes, merged answers, grades."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import IntArray, locked
from adjudge.core.predictions import Predictions
from adjudge.io.predictions.normalize import with_merges


@dataclass(frozen=True)
class Additions:
    """What labels add to the pool that a project began with; small, since it goes from process to process."""

    classes: tuple[str, ...] = ()  # that no model named
    merges: tuple[tuple[str, str], ...] = ()  # an answer, and the one that it is taken for
    grades: tuple[tuple[int, float], ...] = ()  # the number of an answer, and its grade

    def to(self, pool: Predictions) -> Predictions:
        """The pool with all of it."""
        pool = with_merges(pool, dict(self.merges))
        if self.classes:
            pool = pool.with_classes(self.classes)
        if self.grades and pool.grades is not None:
            numbers, grades = zip(*self.grades, strict=True)
            given = pool.grades.given.copy()
            given[list(numbers)] = grades
            pool = replace(pool, grades=replace(pool.grades, given=locked(given)))
        return pool


def numbers_at(pool: Predictions, sample: int) -> IntArray:
    """The numbers of the answers to a sample of a pool to be graded; grades are kept in this order."""
    said = pool.values[:, sample]
    return np.unique(said[~np.isnan(said)]).astype(np.int64)


def numbered_grades(
    pool: Predictions, samples: Sequence[int], labels: Sequence[str | None]
) -> tuple[tuple[int, float], ...]:
    """The grades of some samples, by the numbers of the answers; None: a sample without."""
    found: list[tuple[int, float]] = []
    for sample, label in zip(samples, labels, strict=True):
        if label is not None:
            found += zip(numbers_at(pool, sample).tolist(), map(float, json.loads(label)), strict=True)
    return tuple(found)


def label_text(pool: Predictions, given: Predictions, sample: int, value: float) -> str:
    """A label of another pool with the same answers, as the log of this one keeps it."""
    if pool.grades is None or given.grades is None:
        return given.text_of(value)
    numbers = numbers_at(given, sample)
    grades = given.grades.given[numbers].tolist()
    grade = dict(zip(given.grades.texts.take(numbers).to_pylist(), grades, strict=True))
    return json.dumps([grade[text] for text in pool.grades.texts.take(numbers_at(pool, sample)).to_pylist()])


def graded_answers(pool: Predictions, sample: int, label: str) -> dict[str, float]:
    """The answers to a sample, with the grades that the log keeps."""
    assert pool.grades is not None
    texts = pool.grades.texts.take(numbers_at(pool, sample)).to_pylist()
    return dict(zip(texts, json.loads(label), strict=True))
