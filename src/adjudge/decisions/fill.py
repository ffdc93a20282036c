"""Answers into a plan: labels by sample id."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.core.index import as_index, ids_at, listed
from adjudge.core.labels import Labels, Names
from adjudge.decisions.checks import check_pool
from adjudge.errors import InputError, LabelsError
from adjudge.io.given import PredictionsLike, given_predictions
from adjudge.io.labels.values import as_written, parse_labels


def fill(plan: Labels, predictions: PredictionsLike, answers: Mapping[Any, object]) -> Labels:
    """The plan with answers by sample id: a class name, a number, or SKIP; what has no answer stays pending.

    Answers about other samples are ignored, so that all that is known can be given.

    Examples
    --------
    >>> from adjudge import SKIP, from_frame, select
    >>> pool = from_frame({"id": ["a", "b"], "net": ["cat", "dog"], "tree": ["cat", "cat"]})
    >>> fill(select(pool, 2), pool, {"a": "cat", "b": SKIP})
    Labels(2 of 2 samples: 1 labeled, 1 skipped)
    """
    check_pool(predictions := given_predictions(predictions))
    if not hasattr(answers, "items"):
        kind = type(answers).__name__
        raise InputError(f"answers is a {kind}, which names no samples; give a dict or a Series of labels by sample id")
    if predictions.grades is not None:
        raise LabelsError("the labels of this pool are grades, one for each answer; give them with `fill_grades`")
    names = ids_at(predictions.samples, plan.sample)
    answers = {str(name).strip(): answer for name, answer in answers.items()}  # 7 and "7" are the same, as in files
    rows = np.array([row for row, name in enumerate(names) if name.strip() in answers], dtype=np.int64)
    if answers and not len(rows):
        raise LabelsError(
            f"no answer is about a sample of the plan, {next(iter(answers))!r} for one; answer the samples that were "
            "handed out"
        )
    given = [names[row] for row in rows]
    parsed = parse_labels(as_written(answers[name.strip()] for name in given), predictions, as_index(given))
    parsed.warn("the answers")
    known = len(predictions.classes or ())
    blank = [name for name, said in zip(given, parsed.answered, strict=True) if not said]
    new = [name for name, number in zip(given, parsed.value, strict=True) if number >= known] if parsed.new else []
    if blank or new:
        faults = [f"blank for {listed(blank, 5)}"] * bool(blank)
        faults += [
            f"not among the classes for {listed(new, 5)} ({listed(parsed.new, 5)}: `with_classes` adds them)"
        ] * bool(new)
        raise LabelsError(
            f"answers are {' and '.join(faults)}; leave a sample out to keep it pending, or answer SKIP if nobody "
            "can tell"
        )
    value, answered = plan.value.copy(), plan.answered.copy()
    value[rows], answered[rows] = parsed.value, True
    return replace(plan, value=value, answered=answered, names=Names.of(predictions))
