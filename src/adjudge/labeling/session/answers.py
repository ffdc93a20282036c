"""The answers to a sample where each sample has answers of its own, as in questions to language models."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.predictions import Predictions
from adjudge.labeling.session.additions import numbers_at


@dataclass(frozen=True)
class GivenAnswer:
    """An answer to a sample, and how many models gave it."""

    text: str
    models: int
    number: int  # its place among the answers to the sample, in whose order grades are kept


def answers_to(pool: Predictions, sample: int) -> list[GivenAnswer]:
    """The answers to a sample of a pool of classes, or of one to be graded; the most frequent first."""
    said = pool.values[:, sample]
    if pool.grades is not None:
        codes = numbers_at(pool, sample)
        texts = pool.grades.texts.take(codes).to_pylist()
    else:
        assert pool.classes is not None
        codes = np.unique(said[said >= 0])
        texts = [pool.classes[code] for code in codes.tolist()]
    counts = [int((said == code).sum()) for code in codes.tolist()]
    found = [GivenAnswer(text, count, number) for number, (text, count) in enumerate(zip(texts, counts, strict=True))]
    return sorted(found, key=lambda each: -each.models)
