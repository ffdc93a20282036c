"""What each model would lose if the pool were right about the truth: a control variate for drawn labels."""

from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels
from adjudge.core.losses import Loss, ZeroOne
from adjudge.core.predictions import Predictions
from adjudge.core.strata import UNANIMOUS
from adjudge.inference.draws import Draws
from adjudge.inference.influence import InfluenceValues, refit_lengths
from adjudge.inference.stratum import StratumMean
from adjudge.methods.pooled.consensus import truth_chances

CELLS = 2 * 10**8  # samples x classes above which no chances are held
MOST_KEPT = 1 << 28  # bytes of tables, of all pools together


@dataclass(frozen=True, eq=False)
class Table:
    """Expected losses, and their sums over the strata that were asked for."""

    losses: FloatArray  # (samples, classes): of saying a class; or (samples, models), 0 where a model said nothing
    by_class: bool
    totals: dict[int, FloatArray] = field(default_factory=dict)  # (models,) for each stratum


_KEPT: "WeakKeyDictionary[Predictions, dict[Any, Table]]" = WeakKeyDictionary()


def with_proxy(predictions: Predictions, labels: Labels, loss: Loss, parts: list[StratumMean]) -> list[StratumMean]:
    """The parts with a control for each draw; and with a guess by proxy where nothing was drawn.

    For row t the proxy looks only at labels of rows before it: it is fitted anew when the log has 5, 10, 20, ... rows.
    Where all models agree they share one error, which plain draws count best.
    """
    if predictions.classes is not None and predictions.values.shape[1] * len(predictions.classes) > CELLS:
        return parts
    return [_helped(predictions, labels, loss, part) for part in parts]


def _helped(predictions: Predictions, labels: Labels, loss: Loss, part: StratumMean) -> StratumMean:
    if not part.drawn:
        if not part.draws.size:
            return part
        total, rows = _expected(predictions, labels, labels, loss, part.draws)
        rest = total - rows @ part.draws.inside
        return replace(part, guess=np.clip(rest / np.maximum(part.rest_said, 1), 0.0, 1.0))
    if part.draws.stratum == UNANIMOUS:
        return part
    draws, control = part.draws, np.zeros_like(part.influence.value)
    for length, block in refit_lengths(draws):
        total, rows = _expected(predictions, labels, labels.head(length), loss, draws)
        known = rows[:, : draws.start] @ draws.inside[: draws.start]
        sum_open = (total - known)[:, None] - draws.before(rows)
        each = (sum_open - draws.rest * draws.weight * rows[:, draws.rows]) / draws.size
        control[:, block] = each[:, block]
    with np.errstate(invalid="ignore", divide="ignore"):
        return replace(part, influence=InfluenceValues(part.influence.value, control / part.scale[:, None]))


def _expected(
    predictions: Predictions, labels: Labels, seen: Labels, loss: Loss, draws: Draws
) -> tuple[FloatArray, FloatArray]:
    """Expected losses as of an earlier log: (models,) summed over the part, (models, rows) on all rows of the log."""
    values, sample, table = predictions.values, labels.sample, _table(predictions, seen, loss)
    if draws.stratum not in table.totals:
        members = np.ones(values.shape[1], dtype=np.bool_) if draws.members is None else draws.members
        table.totals[draws.stratum] = (
            _totals(values, table.losses, members)
            if table.by_class
            else table.losses.sum(axis=0, where=members[:, None], dtype=np.float64)
        )
    if not table.by_class:
        return table.totals[draws.stratum], table.losses[sample].T
    said = values[:, sample]
    rows = np.where(said >= 0, table.losses[sample[None, :], np.maximum(said, 0)], 0.0)
    return table.totals[draws.stratum], rows


def _table(predictions: Predictions, seen: Labels, loss: Loss) -> Table:
    """What the models' answers would cost; kept while there is room, since a log that grows asks for the same again."""
    log = () if predictions.classes is None else (seen.sample.tobytes(), seen.value.tobytes())
    key = (*log, seen.header.models, loss)
    kept = _KEPT.setdefault(predictions, {})
    if key in kept:
        return kept[key]
    table = _distances(predictions, loss) if predictions.classes is None else _costs(predictions, seen, loss)
    if table.losses.nbytes <= MOST_KEPT:
        _make_room(table.losses.nbytes)
        kept[key] = table
    return table


def _distances(predictions: Predictions, loss: Loss) -> Table:
    """The middle of what the models say stands for the truth: no label changes that."""
    middle, spoken = np.full(predictions.values.shape[1], np.nan), ~np.isnan(predictions.values).all(axis=0)
    middle[spoken] = np.nanmedian(predictions.values[:, spoken], axis=0)
    return Table(np.array([np.nan_to_num(loss(row[None], middle)[0]) for row in predictions.values]).T, by_class=False)


def _costs(predictions: Predictions, seen: Labels, loss: Loss) -> Table:
    """By class, or by model where these are fewer, which takes less room."""
    assert predictions.classes is not None
    chances, classes = truth_chances(predictions, seen), len(predictions.classes)
    if isinstance(loss, ZeroOne):
        losses = 1.0 - chances
    else:
        said, truth = np.repeat(np.arange(classes)[:, None], classes, axis=1), np.arange(classes)
        losses = chances @ loss(said, truth).T
    if classes <= len(predictions.models):
        return Table(losses, by_class=True)
    every = np.arange(len(losses))
    return Table(
        np.array([np.where(row >= 0, losses[every, np.maximum(row, 0)], 0.0) for row in predictions.values]).T,
        by_class=False,
    )


def _make_room(wanted: int) -> None:
    """Forget tables, the oldest first, until so many bytes fit."""
    for kept in _KEPT.values():
        while (
            kept and wanted + sum(table.losses.nbytes for each in _KEPT.values() for table in each.values()) > MOST_KEPT
        ):
            del kept[next(iter(kept))]


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
