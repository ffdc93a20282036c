"""What each model would lose if the pool were right about the truth: a control variate for drawn labels."""

from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.consensus import truth_chances
from adjudge.core.frames import AGREED
from adjudge.core.labels import Labels
from adjudge.core.losses import Loss, ZeroOne
from adjudge.core.predictions import Predictions
from adjudge.core.votes import kernel
from adjudge.estimators.contrasts import Rows, refit_lengths
from adjudge.estimators.draws import Draws
from adjudge.estimators.parts import Part

CELLS = 2 * 10**8  # samples x classes above which no chances are held
MOST_KEPT = 8  # tables for a pool


@dataclass(frozen=True, eq=False)
class Table:
    """Expected losses, and their sums over the frames that were asked for."""

    losses: FloatArray  # (samples, classes): of saying a class about a sample
    totals: dict[int, FloatArray]  # (models,) for each frame


_KEPT: "WeakKeyDictionary[Predictions, dict[Any, Table]]" = WeakKeyDictionary()


def with_proxy(predictions: Predictions, labels: Labels, loss: Loss, parts: list[Part]) -> list[Part]:
    """The parts with a control for each draw; and with a guess by proxy where nothing was drawn.

    For row t the proxy looks only at labels of rows before it: it is fitted anew when the log has 5, 10, 20, ... rows.
    Where all models agree they share one error, which plain draws count best.
    """
    if predictions.classes is not None and predictions.values.shape[1] * len(predictions.classes) > CELLS:
        return parts
    return [_helped(predictions, labels, loss, part) for part in parts]


def _helped(predictions: Predictions, labels: Labels, loss: Loss, part: Part) -> Part:
    if not part.drawn:
        if not part.draws.size:
            return part
        total, rows = _expected(predictions, labels, labels, loss, part.draws)
        rest = total - rows @ part.draws.inside
        return replace(part, guess=np.clip(rest / np.maximum(part.rest_said, 1), 0.0, 1.0))
    if part.draws.frame == AGREED:
        return part
    draws, control = part.draws, np.zeros_like(part.rows.value)
    for length, block in refit_lengths(draws):
        total, rows = _expected(predictions, labels, labels.head(length), loss, draws)
        known = rows[:, : draws.start] @ draws.inside[: draws.start]
        sum_open = (total - known)[:, None] - draws.before(rows)
        each = (sum_open - draws.rest * draws.weight * rows[:, draws.rows]) / draws.size
        control[:, block] = each[:, block]
    with np.errstate(invalid="ignore", divide="ignore"):
        return replace(part, rows=Rows(part.rows.value, control / part.scale[:, None]))


def _expected(
    predictions: Predictions, labels: Labels, seen: Labels, loss: Loss, draws: Draws
) -> tuple[FloatArray, FloatArray]:
    """Expected losses as of an earlier log: (models,) summed over the part, (models, rows) on all rows of the log."""
    values, sample = predictions.values, labels.sample
    if predictions.classes is None:
        middle = np.nanmedian(values, axis=0)
        inside = slice(None) if draws.members is None else draws.members
        each = [np.nan_to_num(loss(row[None], middle)[0]) for row in values]
        return np.array([row[inside].sum() for row in each]), np.array([row[sample] for row in each])
    table = _table(predictions, seen, loss)
    if draws.frame not in table.totals:
        members = np.ones(values.shape[1], dtype=np.bool_) if draws.members is None else draws.members
        table.totals[draws.frame] = _totals(values, table.losses, members)
    said = values[:, sample]
    rows = np.where(said >= 0, table.losses[sample[None, :], np.maximum(said, 0)], 0.0)
    return table.totals[draws.frame], rows


def _table(predictions: Predictions, seen: Labels, loss: Loss) -> Table:
    """What each class would cost on each sample; kept, since a log that grows asks for the same again."""
    assert predictions.classes is not None
    key = (seen.sample.tobytes(), seen.value.tobytes(), seen.header.models, loss)
    kept = _KEPT.setdefault(predictions, {})
    if key not in kept:
        chances, classes = truth_chances(predictions, seen), len(predictions.classes)
        if isinstance(loss, ZeroOne):
            losses = 1.0 - chances
        else:
            said, truth = np.repeat(np.arange(classes)[:, None], classes, axis=1), np.arange(classes)
            losses = chances @ loss(said, truth).T
        while len(kept) >= MOST_KEPT:
            del kept[next(iter(kept))]
        kept[key] = Table(losses, {})
    return kept[key]


@kernel
def _totals(values: Array, losses: Array, inside: Array) -> Array:
    """(models,): sums of the expected losses of what each model said about the samples inside."""
    models, samples = values.shape
    totals = np.zeros(models)
    for model in range(models):
        total = 0.0
        for sample in range(samples):
            if inside[sample] and values[model, sample] >= 0:
                total += losses[sample, values[model, sample]]
        totals[model] = total
    return totals
