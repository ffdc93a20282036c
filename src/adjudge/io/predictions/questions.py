"""Warnings about pools that may be misread."""

from warnings import warn

import pyarrow as pa

from adjudge.core.index import listed, shortened
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.distinct import all_integers, like_numbers, with_points
from adjudge.io.predictions.normalize import spellings

MANY = 50  # different values, above which whole numbers may be amounts, and texts may be open answers
OPEN = 0.5  # different texts for each sample, from which on they look like open answers


def questioned(pool: Predictions, options: Options) -> Predictions:
    """The pool; with a warning if its classes may not be classes, and nobody said what they are."""
    classes, answers = pool.classes or (), options.normalize is not None or bool(pool.abstain)
    ask_about_spelling(pool, options)
    if len(classes) <= MANY or pool.declared or options.regression is not None:
        return pool
    if like_numbers(points := with_points(pa.array(classes, pa.large_string())).to_pylist()):
        shown = next(name for name, point in zip(classes, points, strict=True) if name != point)
        warn(
            f"the predictions look like numbers with a comma ({shown!r}), which are taken for "
            f"{len(classes):,} classes; add --regression to read them as numbers, or --classification if they are "
            "classes",
            AdjudgeWarning,
            stacklevel=5,
        )
    elif all_integers(classes) and not answers:
        warn(
            f"the predictions are whole numbers with {len(classes):,} different values, which are taken for "
            f"{len(classes):,} classes; add --regression if they are amounts, or --classification if they are classes",
            AdjudgeWarning,
            stacklevel=5,
        )
    elif not answers and len(classes) >= OPEN * len(pool.samples):
        warn(
            f"the models give {len(classes):,} different answers to {len(pool.samples):,} samples, which look like "
            "open answers; add --normalize auto to compare them in one spelling (or --normalize none), and --abstain "
            "for those that are none",
            AdjudgeWarning,
            stacklevel=5,
        )
    return pool


def ask_about_spelling(pool: Predictions, options: Options) -> None:
    """One class in two spellings would make models wrong that are right."""
    if pool.declared or options.normalize is not None or len(pool.classes or ()) > MANY:
        return
    _, merged = spellings(pool)
    if alike := [listed(names, separator=" and ") for names in merged.values()]:
        warn(
            f"models spell classes differently: {shortened(alike, 3, '; ')} count as different classes; add "
            "--normalize auto if they are the same, or --normalize none if not",
            AdjudgeWarning,
            stacklevel=6,
        )
