"""Simulation: run the labeling loop against known labels and measure regret, rank correlation and coverage."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import nan
from warnings import warn

import numpy as np

from adjudge import evaluation, registry
from adjudge.core.arrays import FloatArray, ranks_by_value, running_sums
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranker, Ranking
from adjudge.core.sampling import Selector
from adjudge.decisions.rank import MetricRanker, metric_loss
from adjudge.errors import AdjudgeWarning, InputError, NotEnoughLabels
from adjudge.losses.loss import Loss, ZeroOne, default_loss, reported
from adjudge.methods.baselines.labeled import Labeled
from adjudge.simulation.engine import Workers, all_results
from adjudge.simulation.loop import bought, logs
from adjudge.simulation.measures import measured

REPORTED = (0, 10, 20, 50, 100)  # budgets shown, besides the last
USUAL_BUDGET = 100
Curves = dict[str, FloatArray]
Spread = dict[str, float | None]


@dataclass(frozen=True, eq=False)
class Simulation:
    """The results of a method over several seeds; each curve is (seeds, labels 0 .. budget).

    Attributes
    ----------
    truth
        (models,): the value each model really has.
    curves
        By the name of a metric, such as "regret", "spearman" or "coverage".
    batch
        Samples handed out together.
    """

    method: str
    ranker: str
    budget: int
    seeds: tuple[int, ...]
    models: tuple[str, ...]
    truth: FloatArray
    quantity: str
    curves: Curves
    batch: int = 1

    @property
    def budgets(self) -> tuple[int, ...]:
        return (*(shown for shown in REPORTED if shown < self.budget), self.budget)

    def totals(self) -> dict[str, Spread]:
        """Totals of whole runs: mean and standard deviation over seeds."""
        regret = self.curves["regret"]
        return {
            "cumulative_regret": spread(np.array([evaluation.cumulative_regret(run) for run in regret])),
            "labels_to_within_1pt": spread(np.array([float(evaluation.labels_to_within(run, 0.01)) for run in regret])),
        }

    def at_budgets(self) -> dict[str, dict[str, Spread]]:
        """Each metric at each reported budget: mean and standard deviation over seeds."""
        return {
            name: {str(shown): spread(curve[:, shown]) for shown in self.budgets} for name, curve in self.curves.items()
        }

    def to_dict(self) -> dict[str, object]:
        """All of it as plain types, for JSON."""
        return {
            "method": self.method,
            "ranker": self.ranker,
            "budget": self.budget,
            "seeds": list(self.seeds),
            "quantity": self.quantity,
            "truth": dict(zip(self.models, self.truth.tolist(), strict=True)),
            "summary": self.totals() | self.at_budgets(),
            "curves": {
                name: {side: [spread(column)[side] for column in curve.T] for side in ("mean", "std")}
                for name, curve in self.curves.items()
            },
        }

    def __repr__(self) -> str:
        regret, reached = (total["mean"] for total in self.totals().values())
        return (
            f"Simulation({self.method}, {self.budget} labels, {len(self.seeds)} seeds: "
            f"cumulative regret {nan if regret is None else regret:.2f}, "
            f"within a point after {nan if reached is None else reached:.0f} labels)"
        )


def simulate(
    predictions: Predictions,
    truth: FloatArray,
    method: str = registry.DEFAULT_SELECTOR,
    budget: int | None = None,
    seeds: int = 20,
    *,
    batch: int = 1,
    ranker: str | None = None,
    options: registry.Options | None = None,
    loss: Loss | None = None,
    metric: str | None = None,
    positive: str | None = None,
    seed: int = 0,
    workers: Workers = -1,
    progress: Callable[[int], None] = lambda done: None,
) -> Simulation:
    """Let `method` buy labels from the truth, `seeds` times, and measure the ranking after each label.

    A method that only ranks buys no labels: its ranking without labels counts for every budget. One that plans for its
    whole budget, such as css, is run anew for each number of labels.

    Parameters
    ----------
    truth
        (samples,): the true class code or number, nan where it is not known.
    batch
        How many samples are picked before their labels come in.
    ranker, options
        How to rank, by default what suits the method; and the options of the method.
    metric, positive, workers
        As for `rank`; `pooled` draws for it too, as `select` does. Workers are those of `bench`.
    """
    budget = checked_budget(predictions, truth := np.asarray(truth, dtype=np.float64), budget, seeds)
    rank_by = ranker or registry.ranker_for(method)
    ranks: Ranker
    if metric is not None or positive is not None:
        ranks, actual = _by_metric(predictions, truth, loss, metric, positive)
    else:
        loss = loss or default_loss(predictions, Labels.complete(truth))
        actual = true_estimate(predictions, truth, loss)
        ranks = registry.ranker(rank_by, loss, options if rank_by == method else None)
    options = registry.aimed(method, options, metric, positive, strict=False)
    numbers = tuple(range(seed, seed + seeds))
    picks = registry.selector(method, options) if registry.can_select(method) else None
    play = partial(_play, predictions, truth, actual, picks, ranks, budget, registry.plans_for_budget(method), batch)
    played = all_results(play, numbers, workers, progress)
    curves = {name: np.stack([run[name] for run in played]) for name in played[0]}
    about = predictions.models, actual.value, actual.quantity
    return Simulation(method, rank_by, budget, numbers, *about, curves, batch)


def _by_metric(
    predictions: Predictions, truth: FloatArray, loss: Loss | None, metric: str | None, positive: str | None
) -> tuple[Ranker, Estimate]:
    """The ranker by a metric, and what is true."""
    metric_loss(predictions, Labels.complete(truth), metric, positive, loss)  # refuses what makes no sense
    ranker = MetricRanker(str(metric), positive)
    return ranker, ranker.rank(predictions, Labels.complete(truth)).estimate


def checked_budget(predictions: Predictions, truth: FloatArray, budget: int | None, seeds: int) -> int:
    """The budget of each run, after checks of the truth, the budget and the number of seeds."""
    samples = predictions.values.shape[1]
    if truth.shape != (samples,):
        raise InputError(f"the truth has {truth.size} values for {samples} samples; give one for each")
    budget = min(USUAL_BUDGET, samples) if budget is None else budget
    if not 1 <= budget <= samples:
        raise InputError(f"a budget of {budget} does not fit a pool of {samples} samples; give 1 to {samples}")
    if seeds < 1:
        raise InputError(f"{seeds} seeds were asked for; at least one run is needed")
    predictions.check_labels(truth)
    if unknown := int(np.isnan(truth).sum()):
        warn(
            f"the truth of {unknown:,} of {samples:,} samples is not known; they count as samples nobody can label",
            AdjudgeWarning,
            stacklevel=3,
        )
    return budget


def true_estimate(predictions: Predictions, truth: FloatArray, loss: Loss) -> Estimate:
    """The true value of each model, on the samples whose truth is known; one model at a time."""
    if not (known := ~np.isnan(truth)).any():
        raise InputError("the truth holds no label at all; at least one sample needs one")
    each = [loss(row[None, known], truth[known]) for row in predictions.values]
    value = [np.nan if np.isnan(row).all() else reported(loss, float(np.nanmean(row))) for row in each]
    return Estimate.without_interval(value, loss.quantity, lower_is_better=loss.lower_is_better)


def spread(runs: FloatArray) -> Spread:
    """Mean and standard deviation of the runs that have a value."""
    known = runs[~np.isnan(runs)]
    return {
        "mean": float(known.mean()) if known.size else None,
        "std": float(known.std(ddof=1)) if known.size > 1 else None,
    }


def runs(
    selector: Selector,
    predictions: Predictions,
    truth: FloatArray,
    budgets: Sequence[int],
    seed: int,
    *,
    apart: bool,
    batch: int = 1,
) -> Iterator[tuple[Labels, tuple[int, ...]]]:
    """The log of a run, with the budgets at which its first rows are measured.

    `apart`: the method plans for its whole budget, and the first rows of a longer plan are not the plan of a smaller
    budget, so that each budget has its own run.
    """
    for part in [(rows,) for rows in budgets] if apart else [tuple(budgets)]:
        yield bought(selector, predictions, truth, max(part), seed, batch), part


def rankings_at(
    ranker: Ranker, predictions: Predictions, labels: Labels, budgets: Sequence[int]
) -> tuple[FloatArray, FloatArray]:
    """(budgets, models) each: value and rank of each model after so many rows of the log; nan where not known."""
    if isinstance(ranker, Labeled) and isinstance(ranker.loss, ZeroOne):
        values = _running_mean(ranker.loss, predictions, labels, budgets)
        return values, ranks_by_value(values)
    values, ranks = np.full((2, len(budgets), len(predictions.models)), np.nan)
    for place, rows in enumerate(budgets):
        with suppress(NotEnoughLabels):  # then nothing is known yet
            ranking = ranker.rank(predictions, labels.head(rows))
            values[place], ranks[place] = ranking.estimate.value, ranking.rank
    return values, ranks


def _running_mean(loss: ZeroOne, predictions: Predictions, labels: Labels, budgets: Sequence[int]) -> FloatArray:
    """All budgets of `labeled` at once: sums of zeros and ones are exact in any order."""
    usable = labels.usable
    losses = loss(predictions.values[:, labels.sample[usable]], labels.value[usable])
    known = ~np.isnan(losses)
    wrong, said = (running_sums(each) for each in (np.where(known, losses, 0.0), known))
    rows = np.concatenate([[0], np.cumsum(usable)])[np.minimum(budgets, len(labels))]
    with np.errstate(invalid="ignore"):
        return np.asarray(1 - loss.max_loss * wrong[:, rows] / said[:, rows]).T


def _play(
    predictions: Predictions,
    truth: FloatArray,
    actual: Estimate,
    selector: Selector | None,
    ranker: Ranker,
    budget: int,
    apart: bool,
    batch: int,
    seed: int,
) -> Curves:
    every = range(budget + 1)
    if selector is None:
        after = [measured(_answer(ranker, predictions, Labels.empty(len(truth))), actual)] * len(every)
    else:
        rows = _each_number(selector, predictions, truth, budget, seed, apart=apart, batch=batch)
        after = [measured(_answer(ranker, predictions, labels), actual) for labels in rows]
    return {name: np.array([each[name] for each in after]) for name in after[0]}


def _each_number(
    selector: Selector, predictions: Predictions, truth: FloatArray, budget: int, seed: int, *, apart: bool, batch: int
) -> Iterator[Labels]:
    """The log at each number of labels, from 0 to the budget; a run that ends early keeps its last one.

    Each comes before the next label is bought, so that a ranking and the next pick share a fit.
    """
    if apart:
        for labels, (rows,) in runs(selector, predictions, truth, range(budget + 1), seed, apart=True, batch=batch):
            yield labels.head(rows)
        return
    told = 0
    for labels in logs(selector, predictions, truth, budget, seed, batch):
        yield from map(labels.head, range(told, len(labels) + 1))
        told = len(labels) + 1
    yield from [labels] * (budget + 1 - told)


def _answer(ranker: Ranker, predictions: Predictions, labels: Labels) -> Ranking:
    try:
        return ranker.rank(predictions, labels)
    except NotEnoughLabels:  # nothing is known: all models are tied
        unknown = Estimate.without_interval(np.full(len(predictions.models), np.nan), "nothing")
        return Ranking.by_value(predictions.models, unknown)
