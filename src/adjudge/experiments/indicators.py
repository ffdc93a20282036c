"""Indicators of rankings against the truth, for all repetitions and budgets of an outcome at once."""

from collections.abc import Callable

import numpy as np

from adjudge import evaluation
from adjudge.core.arrays import TIE_DIGITS, FloatArray, IntArray
from adjudge.errors import InputError
from adjudge.experiments.jobs import Outcome

Indicator = Callable[[FloatArray, FloatArray], float]  # (estimated, truth) of the models -> a number
PLAIN: dict[str, Indicator] = {
    "spearman": evaluation.spearman,
    "kendall": evaluation.kendall,
    "regret": evaluation.regret,
}
JACCARD = "jaccard_"
LOWER_IS_BETTER = ("regret",)


def cutoff(name: str) -> int | None:
    """The k of an indicator named jaccard_k, None for the others; an unknown name is refused.

    >>> cutoff("jaccard_10"), cutoff("spearman")
    (10, None)
    """
    if name in PLAIN:
        return None
    number = name.removeprefix(JACCARD)
    if not name.startswith(JACCARD) or not number.isdecimal() or int(number) < 1:
        raise InputError(f"there is no indicator {name!r}; use {', '.join(PLAIN)}, or jaccard_k such as jaccard_10")
    return int(number)


def title_of(name: str) -> str:
    """How a table calls an indicator.

    >>> title_of("jaccard_10"), title_of("spearman")
    ('Jaccard at 10', 'Spearman')
    """
    return name.capitalize() if cutoff(name) is None else f"Jaccard at {cutoff(name)}"


def applies(name: str, outcome: Outcome) -> bool:
    """Whether there are more models than an indicator looks at; the top k of k models says nothing."""
    return (cutoff(name) or 0) < len(outcome.models)


def indicator(name: str) -> Indicator:
    """The plain function of this name.

    >>> indicator("jaccard_1")(np.array([0.5, 0.9]), np.array([0.6, 0.7]))
    1.0
    """
    k = cutoff(name)
    return PLAIN[name] if k is None else lambda estimated, truth: evaluation.jaccard(estimated, truth, k)


def measured(outcome: Outcome, name: str) -> FloatArray:
    """(repetitions, budgets): an indicator of each ranking; nan where there was no ranking."""
    rankings = -outcome.ranks.reshape(-1, len(outcome.models))  # higher is better
    k = cutoff(name)
    if name == "spearman":
        found = _spearman(rankings, outcome.truth)
    elif k is not None:
        found = _jaccard(rankings, outcome.truth, k)
    else:
        measure = indicator(name)
        found = np.array([measure(row, outcome.truth) for row in rankings])
    found[np.isnan(rankings).all(axis=1)] = np.nan
    return found.reshape(outcome.ranks.shape[:2])


def _spearman(rankings: FloatArray, truth: FloatArray) -> FloatArray:
    """`evaluation.spearman` of each row."""
    (left_worse, left_better), (right_worse, right_better) = _around(rankings), _around(truth[None])
    left, right = left_worse - left_better, right_worse - right_better  # twice the distance from the mean rank
    size = (left * left).sum(axis=1) * (right * right).sum()
    return np.where(size > 0, (left * right).sum(axis=1) / np.sqrt(np.maximum(size, 1)), 0.0)


def _jaccard(rankings: FloatArray, truth: FloatArray, k: int) -> FloatArray:
    """`evaluation.jaccard` of each row."""
    left, right = _around(rankings)[1] < k, _around(truth[None])[1] < k
    return np.asarray((left & right).sum(axis=1) / (left | right).sum(axis=1))


def _around(rankings: FloatArray) -> tuple[IntArray, IntArray]:
    """(rows, models): how many models are strictly worse, and how many strictly better; nan is worst."""
    rounded = np.where(np.isnan(rankings), -np.inf, np.round(rankings, TIE_DIGITS))
    order = np.argsort(rounded, axis=1, kind="stable")
    ascending = np.take_along_axis(rounded, order, axis=1)
    models, place = rankings.shape[1], np.arange(rankings.shape[1])
    step = ascending[:, 1:] != ascending[:, :-1]
    edge = np.ones((len(rankings), 1), dtype=bool)
    first = np.maximum.accumulate(np.where(np.hstack([edge, step]), place, 0), axis=1)
    last = np.minimum.accumulate(np.where(np.hstack([step, edge]), place, models)[:, ::-1], axis=1)[:, ::-1]
    worse, better = np.empty_like(order), np.empty_like(order)
    np.put_along_axis(worse, order, first, axis=1)
    np.put_along_axis(better, order, models - 1 - last, axis=1)
    return worse, better
