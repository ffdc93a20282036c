"""Several runs of one model: how much answers change, and whether more labels or more runs make it surer."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import isnan, nan, sqrt

import numpy as np

from adjudge.core.index import counted, named
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.decisions.amounts import points
from adjudge.decisions.checks import check_pool
from adjudge.errors import InputError, LabelsError
from adjudge.inference.intervals import check_level, normal_quantile
from adjudge.inference.run_noise import RepeatedLosses, VarianceComponents
from adjudge.inference.weighted import no_range
from adjudge.io.runs.records import runs_of_models
from adjudge.losses.loss import Loss, default_loss

UNLIKELY = 0.01  # p-value below which whole runs are said to differ


@dataclass(frozen=True)
class HalfWidths:
    """Half of the width of an interval for future data: now, and about what it would be."""

    now: float
    with_labels: float
    with_runs: float


@dataclass(frozen=True)
class RepeatedModel:
    """What several runs say about a model; nan: nothing.

    Attributes
    ----------
    changes
        On which share of samples two of its runs give different answers, on average over pairs of runs.
    value, low, high
        The mean over samples and runs, and its interval for new samples and new runs.
    lowest, highest
        The values of single runs.
    run_noise
        By how much two single runs on these samples differ in one case of twenty, by chance alone.
    run_share
        How much of the variance of the mean comes from runs, and not from samples.
    """

    name: str
    runs: int
    changes: float = nan
    value: float = nan
    low: float = nan
    high: float = nan
    lowest: float = nan
    highest: float = nan
    run_noise: float = nan
    run_share: float = nan
    half_width: HalfWidths | None = None


@dataclass(frozen=True)
class Repeats:
    """Models, the best first; `advice` answers whether to label more or to run again, `notes` say what else to know."""

    models: tuple[RepeatedModel, ...]
    samples: int
    labels: int
    level: float
    quantity: str
    more_labels: int
    more_runs: int
    advice: str
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """All of it as plain types, for JSON."""
        return asdict(self)


def repeats(
    predictions: Predictions,
    labels: Labels | None = None,
    loss: Loss | None = None,
    *,
    level: float = 0.95,
    more_labels: int = 30,
    more_runs: int = 3,
) -> Repeats:
    """Say how much answers change from run to run, and whether more labels or more runs make it surer.

    Runs of one model are told by their names, `A (epoch 1)` and `A (epoch 2)`, as `import_runs(..., epochs="all")`
    writes them. Intervals are about future data: new samples of the same kind, and new runs. They hold for labels that
    were drawn, or for a pool that is labeled to the last sample.

    Parameters
    ----------
    labels
        The labels; without them, only how often answers change is known.
    more_labels, more_runs
        What is weighed against each other: so many more labels, or so many more runs of each model.

    Examples
    --------
    >>> values = np.array([[0, 1, 0, 0, 1, 1], [0, 1, 0, 1, 1, 1], [0, 0, 1, 0, 0, 1]])
    >>> pool = Predictions(values, ("a (epoch 1)", "a (epoch 2)", "b"), range(6), ("no", "yes"))
    >>> repeats(pool).advice
    'Between two runs, a changes its answer on 17% of samples; labels would say what that does to its accuracy.'
    """
    check_pool(predictions)
    check_level(level)
    if more_labels < 1 or more_runs < 1:
        raise InputError("nothing can be weighed against nothing; give at least one more label and one more run")
    runs = runs_of_models(predictions.models)
    if max(map(len, runs.values())) < 2:
        raise InputError(
            f"no model has several runs here, only {named(list(runs))}; import them with --epochs all, or name them "
            "'A (epoch 1)', 'A (epoch 2)'"
        )
    models = tuple(RepeatedModel(name, len(own), _changes(predictions, own)) for name, own in runs.items())
    log, changes = None if labels is None else labels.settled(), _on_changes(models)
    found = Repeats(models, len(predictions.samples), 0, level, "accuracy", more_labels, more_runs, changes, ())
    if log is None or not log.usable.any():
        return found
    judged = loss or default_loss(predictions, log)
    if not judged.bounded:
        raise no_range(predictions, "run-to-run noise needs")
    _check_labels(log)
    losses = RepeatedLosses.of(_one_row_each(predictions, runs), predictions, list(runs.values()), log, judged)
    return _with_labels(found, losses, judged)


def _with_labels(found: Repeats, losses: RepeatedLosses, loss: Loss) -> Repeats:
    level, more = found.level, (found.more_labels, found.more_runs)
    rows = [_judged(model, place, losses, loss, level, more) for place, model in enumerate(found.models)]
    order = sorted(range(len(rows)), key=lambda at: (isnan(rows[at].value), -rows[at].value))
    best = tuple(rows[at] for at in order)
    return replace(
        found,
        models=best,
        labels=losses.log.labeled,
        quantity=loss.quantity,
        advice=_advice(best, order, losses, loss, level, more),
        notes=tuple(_notes(best, order, losses, loss)),
    )


def _one_row_each(predictions: Predictions, runs: dict[str, list[int]]) -> Predictions:
    """A pool with a row for each model: what its first run says, missing where one of its runs is."""
    missing = MISSING if predictions.classes is not None else np.nan
    rows = []
    for own in runs.values():
        there = predictions.is_present(predictions.values[own]).all(axis=0)
        rows.append(np.where(there, predictions.values[own[0]], missing))
    values = np.array(rows).astype(predictions.values.dtype)
    whole = predictions.whole or predictions
    return replace(predictions, values=values, models=tuple(runs), probabilities=None, whole=whole)


def _check_labels(log: Labels) -> None:
    complete = np.count_nonzero(log.answered) == log.pool
    if not complete and np.isnan(log.weight).all():
        raise LabelsError(
            "how these labels were chosen is not known, so they say nothing about other samples; draw some with "
            "`adjudge select`, or add --drawn uniform (drawn= in Python) if they were a plain random draw"
        )


def _changes(predictions: Predictions, own: Sequence[int]) -> float:
    """On which share of samples two runs give different answers; nan where there are none, or only scores."""
    if len(own) < 2 or (predictions.grades is not None and predictions.grades.texts is None):
        return nan
    shares = []
    for one, other in combinations(own, 2):
        first, second = (predictions.as_judged(predictions.values[run]) for run in (one, other))
        both = predictions.is_present(first) & predictions.is_present(second)
        shares.append(float((first != second)[both].mean()) if both.any() else nan)
    return float(np.nanmean(shares)) if not np.isnan(shares).all() else nan


def _judged(
    model: RepeatedModel, place: int, losses: RepeatedLosses, loss: Loss, level: float, more: tuple[int, int]
) -> RepeatedModel:
    """What labels add, in the units of the quantity."""
    rows = losses.known.observed[place]
    if rows.sum() < 2:
        return model
    value, low, high = (float(each[place]) for each in losses.means(level))
    parts = losses.components(place)
    single = (losses.weight * losses.losses[place])[:, rows].sum(axis=1) / losses.weight[rows].sum()
    noise = normal_quantile(0.95) * sqrt(2 * parts.within / len(losses.pool.samples)) if parts.runs > 1 else nan
    scale = loss.max_loss
    return replace(
        model,
        value=loss.best - scale * value,
        low=loss.best - scale * high,
        high=loss.best - scale * low,
        lowest=loss.best - scale * float(single.max()),
        highest=loss.best - scale * float(single.min()),
        run_noise=scale * noise,
        run_share=parts.run_share,
        half_width=_half_widths(
            scale * (high - low) / 2, parts.total, parts.total_after(more[1]), int(rows.sum()), more
        ),
    )


def _half_widths(now: float, total: float, after: float, labels: int, more: tuple[int, int]) -> HalfWidths:
    """A variance over samples falls with their number; more runs lower it themselves."""
    runs = sqrt(after / total) if total > 0 else 1.0
    return HalfWidths(now, now * sqrt(labels / (labels + more[0])), now * (runs if not isnan(after) else nan))


def _advice(
    rows: Sequence[RepeatedModel],
    order: Sequence[int],
    losses: RepeatedLosses,
    loss: Loss,
    level: float,
    more: tuple[int, int],
) -> str:
    """Whether to label more or to run again: for the two best models, or for the best if one of them ran once."""
    first = rows[0]
    if isnan(first.value):
        return "No labeled sample has answers of all runs of a model, so nothing is known; label others."
    if len(rows) > 1 and first.runs > 1 and rows[1].runs > 1 and not isnan(rows[1].value):
        one, other = (losses.components(at) for at in order[:2])
        value, low, high, total = losses.difference(order[1], order[0], level)
        after = max(0.0, total - _run_part(one, 0) - _run_part(other, 0)) + _run_part(one, more[1])
        count = int(losses.known.observed[order[:2]].all(axis=0).sum())
        scale = loss.max_loss
        widths = _half_widths(scale * (high - low) / 2, total, after + _run_part(other, more[1]), count, more)
        ahead = f"{first.name} is ahead of {rows[1].name} by {points(scale * value, loss.quantity)}"
        return f"{ahead}, give or take {_weighed(widths, loss.quantity, more, losses.complete)}"
    repeated = first if first.runs > 1 else next(row for row in rows if row.runs > 1)
    if repeated.half_width is None:
        return f"No labeled sample has answers of all runs of {repeated.name}, so nothing is known; label others."
    worth = f"{repeated.name} has {loss.quantity} {repeated.value:.3f}"
    return f"{worth}, give or take {_weighed(repeated.half_width, loss.quantity, more, losses.complete)}"


def _run_part(parts: VarianceComponents, more: int) -> float:
    return parts.within / (parts.runs + more)


def _weighed(widths: HalfWidths, quantity: str, more: tuple[int, int], complete: bool) -> str:
    now, labels, runs = (points(each, quantity) for each in (widths.now, widths.with_labels, widths.with_runs))
    asked, again = counted(more[0], "more labeled sample" if complete else "more label"), counted(more[1], "more run")
    better = "label more" if widths.with_labels <= widths.with_runs else "run again"
    return f"{now} on future data; {asked} would make that about {labels}, {again} about {runs}: {better}."


def _notes(rows: Sequence[RepeatedModel], order: Sequence[int], losses: RepeatedLosses, loss: Loss) -> Iterator[str]:
    noisy = [row for row in rows if row.run_noise > 0]
    if noisy:
        most = max(noisy, key=lambda row: row.run_noise)
        yield (
            f"Two single runs of {most.name} on these samples may differ by {points(most.run_noise, loss.quantity)} by "
            "chance alone (in one case of twenty by more): compare means over runs."
        )
    if still := [row.name for row in rows if row.runs > 1 and row.run_noise == 0]:
        yield f"All runs of {named(still)} did equally well on every labeled sample, so more of them tell nothing new."
    several = sum(row.runs > 1 for row in rows)
    differ = [
        row.name
        for row, at in zip(rows, order, strict=True)
        if losses.run_effect_p_value(at) < UNLIKELY / max(several, 1)
    ]
    if differ:
        yield (
            f"Whole runs of {named(differ)} differ by more than chance: if they had other settings, such as another "
            "prompt, they are not repeats, and intervals do not cover that."
        )
    if once := [row.name for row in rows if row.runs == 1]:
        yield f"{named(once)} ran once: how much {'its' if len(once) == 1 else 'their'} answers change is not known."


def _on_changes(models: Sequence[RepeatedModel]) -> str:
    known = [row for row in models if not isnan(row.changes)]
    if not known:
        return "Only scores are known, so labels, or grades, are needed to say how much runs differ."
    shares = [f"{row.name} on {row.changes:.0%}" for row in known]
    shares[0] = f"{known[0].name} changes its answer on {known[0].changes:.0%} of samples"
    their = "its" if len(known) == 1 else "their"
    return f"Between two runs, {named(shares, 4)}; labels would say what that does to {their} accuracy."
