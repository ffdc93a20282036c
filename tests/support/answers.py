"""A pool of open answers: each sample has answers of its own, some with a unit and some without."""

import numpy as np
import pyarrow as pa

from adjudge.core.normalization import Normalization
from adjudge.core.predictions import Predictions

MODELS = ("ada", "bob", "cyd", "dot", "eve")
UNIT = "apples"


def right_answer(sample: int) -> str:
    return str(100 + sample)


def open_pool(samples: int = 40, *, normalized: bool = True) -> Predictions:
    """Five models, of which the last writes units; worse ones give wrong answers of their own more often."""
    rng = np.random.default_rng(0)
    skill = (0.95, 0.8, 0.6, 0.4, 0.9)
    rows = []
    for model, share in enumerate(skill):
        right = rng.random(samples) < share
        said = [right_answer(at) if good else str(1000 + 100 * model + at) for at, good in enumerate(right)]
        rows.append([f"{text} {UNIT}" for text in said] if model == 4 else said)
    classes = tuple(sorted({text for row in rows for text in row}))
    values = np.array([[classes.index(text) for text in row] for row in rows], dtype=np.int16)
    by = Normalization(("space", "punctuation", "numbers")) if normalized else None
    names = [f"q{at}" for at in range(samples)]
    questions = pa.table({"question": [f"How many apples are in basket {at}?" for at in range(samples)]})
    return Predictions(values, MODELS, names, classes, columns=questions, normalization=by)
