"""`adjudge rank`: which model is best."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli.groups import LabelsSoFar, PricedSource, with_options
from adjudge.cli.inputs import (
    AsJson,
    Cluster,
    LabelNoise,
    Level,
    LogMlflow,
    OptionList,
    Until,
    UnusedSeed,
    told_options,
    words_of,
)
from adjudge.cli.losses import MetricOptions
from adjudge.cli.output import answering, busy, note, print_json, screen
from adjudge.cli.slices import SliceOptions, show_slices

if TYPE_CHECKING:
    from adjudge.core.labels import Labels
    from adjudge.core.predictions import Predictions
    from adjudge.core.ranking import Ranking
    from adjudge.decisions.clusters import ClusterSummary
    from adjudge.decisions.rank import RankOptions
    from adjudge.inference.judge_trust import JudgeTrust
    from adjudge.inference.vote_trust import VoteTrust
    from adjudge.losses.loss import Loss


@dataclass(frozen=True)
class RankerOptions:
    """How models are ranked."""

    method: Annotated[
        str | None,
        typer.Option("--method", help="How to rank; see `adjudge methods`. (default: what suits the labels)"),
    ] = None
    option: OptionList = None
    label_noise: LabelNoise = 0.0
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            help="A loss that does not matter. (default: 0.01; of grades, 1% of their range; 5% of an MSE or cost)",
        ),
    ] = None
    cluster: Cluster = None
    level: Level = 0.95

    def read(self, loss: Mapping[str, Any]) -> "RankOptions":
        """With the loss or the metric that was told (`MetricOptions.told`)."""
        from adjudge.decisions.rank import RankOptions

        return RankOptions(
            method=self.method,
            options=told_options(self.option),
            label_noise=self.label_noise,
            margin=self.margin,
            cluster=self.cluster,
            level=self.level,
            **loss,
        )


@with_options
def rank(
    source: PricedSource,
    labels: LabelsSoFar,
    ranker: RankerOptions,
    loss: MetricOptions,
    slices: SliceOptions,
    until: Until = None,
    log_mlflow: LogMlflow = None,
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Rank the models: without labels by agreement, with labels by accuracy, with intervals and ties.

    With --until the intervals hold no matter how often you check (anytime-valid), and the exit code says whether you
    may stop labeling: 0 if so, 1 if not yet.

    Example: adjudge rank predictions.csv --labels labels.csv
    """
    from adjudge.decisions.checks import check_parts

    _check_together(ranker, slices, until)
    if log_mlflow is not None:
        whole = {"--until": until, "--slice": slices.column}
        _leave_out(whole, "--log-mlflow logs the ranking of the whole pool", "--log-mlflow")
    predictions = source.read(in_parts=until is None and slices.column is None)
    check_parts(predictions, ranker.method)
    predictions, log = labels.read(source, predictions)
    wanted = ranker.read(loss.told(predictions))
    shown = Shown(as_json, ranker.label_noise, next_command(source, labels, predictions))
    if predictions.judges and (log is None or not log.usable.any()):
        note("a judge counts beside labels only, so nothing below depends on it yet")
    if until is not None:
        _rank_until(predictions, log, until, wanted, shown)
    elif slices.column is not None:
        show_slices(predictions, log, slices, wanted, as_json)
    else:
        _rank_pool(predictions, log, wanted, shown)
    if log_mlflow is not None:
        _log(log_mlflow, predictions, log, wanted, shown)


def _log(uri: str, predictions: "Predictions", log: "Labels | None", wanted: "RankOptions", shown: "Shown") -> None:
    from adjudge.io.runs.mlflow import shown as address
    from adjudge.reports.mlflow import log_mlflow
    from adjudge.reports.report import ReportOptions, gather

    with busy("logging to MLflow"):
        run = log_mlflow(gather(predictions, log, ReportOptions(rank=wanted, command=shown.command)), uri)
    note(f"ranking, metrics and report are in the run {run} of {address(uri)}")


@dataclass(frozen=True)
class Shown:
    """How a ranking is shown."""

    as_json: bool
    label_noise: float
    command: Callable[[int], str]  # that gets so many more labels
    clusters: "ClusterSummary | None" = None
    holds: str = "interval"  # the heading of intervals
    enough: bool = False  # whether the rule that was asked for needs no more labels


def next_command(source: PricedSource, labels: LabelsSoFar, predictions: "Predictions") -> Callable[[int], str]:
    """The command that gets so many more labels; two models are compared, and labels are drawn for that."""
    words, file = source.words(), None if labels.labels is None else words_of(labels.labels)
    drawn = "" if labels.drawn is None else f" --drawn {labels.drawn}"
    told = "" if file is None else f" --labels {file}{drawn}"
    told += " --goal estimate" if file is None and len(predictions.models) == 2 else ""
    return lambda budget: f"adjudge select {words}{told} --budget {budget} --out {file or 'labels.csv'}"


def _check_together(ranker: RankerOptions, slices: SliceOptions, until: str | None) -> None:
    of_slices: dict[str, object] = {"--clean": slices.clean, "--slice-labels": slices.minimum}
    if until is not None:
        others: dict[str, object] = {"--method": ranker.method, "--option": ranker.option or None}
        others |= {"--slice": slices.column} | of_slices
        others |= {"--margin": ranker.margin, "--cluster": ranker.cluster}
        _leave_out(others, "--until has its own way to rank", "--until")
    elif slices.column is None:
        _leave_out(of_slices, "there are no slices without --slice COLUMN")


def _leave_out(others: Mapping[str, object], why: str, *instead: str) -> None:
    """Refuse the options that would have no effect."""
    from adjudge.errors import InputError

    for name, given in others.items():
        if given is not None:
            raise InputError(f"{why}; leave out {', or '.join((name, *instead))}")


def _rank_pool(predictions: "Predictions", log: "Labels | None", wanted: "RankOptions", shown: Shown) -> None:
    from dataclasses import replace

    from adjudge.decisions.clusters import cluster_summary
    from adjudge.decisions.rank import rank_pool

    with busy("ranking"):
        ranking = rank_pool(predictions, log, wanted)
        trusts = () if log is None else _trusts(predictions, log, wanted.loss)
    clusters = None if wanted.cluster is None else cluster_summary(predictions, log, wanted.cluster, wanted.loss)
    shown = shown if clusters is None else replace(shown, clusters=clusters)
    _show(ranking, log, trusts, shown)


def _trusts(
    predictions: "Predictions", log: "Labels", loss: "Loss | None"
) -> "tuple[VoteTrust | JudgeTrust | None, ...]":
    """What the labels say about the vote, then about each judge."""
    from adjudge.inference.judge_trust import judge_trust
    from adjudge.inference.vote_trust import vote_trust

    return vote_trust(predictions, log), *judge_trust(predictions, log, loss)


def _show(
    ranking: "Ranking",
    log: "Labels | None",
    trusts: "Sequence[VoteTrust | JudgeTrust | None]",
    shown: Shown,
    **facts: dict[str, object],
) -> None:
    """The recommendation, the table, and what else the labels say; facts are for JSON only."""
    from dataclasses import replace

    from adjudge.reports.tables import (
        chosen_sentence,
        legend,
        noise_sentence,
        print_advice,
        ranking_facts,
        ranking_table,
    )

    advice = ranking.recommendation
    assert advice is not None
    if not shown.enough and (budget := advice.budget(ranking.labels)) is not None:
        advice = advice.with_command(shown.command(budget))
    if shown.as_json:
        ranking = replace(ranking, recommendation=advice)
        voted, *judged = [None if each is None else each.to_dict() for each in trusts] or [None]
        if shown.clusters is not None:
            facts["cluster"] = shown.clusters.to_dict()
        print_json("rank", ranking_facts(ranking) | {"vote_trust": voted, "judges": judged} | facts)
        return
    console = screen()
    print_advice(advice, console)
    console.print()
    console.print(ranking_table(ranking, console.width, holds=shown.holds))
    wide = chosen_sentence(log) if log is not None and ranking.estimate.has_interval else None
    told = [each.sentence for each in trusts if each is not None]
    clusters = shown.clusters and shown.clusters.sentence
    for sentence in (
        legend(ranking, console.width, shown.holds),
        noise_sentence(shown.label_noise),
        wide,
        clusters,
        *told,
    ):
        if sentence:
            console.print(sentence, markup=False)


def _rank_until(
    predictions: "Predictions", log: "Labels | None", until: str, wanted: "RankOptions", shown: Shown
) -> None:
    from dataclasses import replace

    from adjudge.api import rank as rank_models
    from adjudge.decisions.until import checked_rule
    from adjudge.decisions.until import until as stop
    from adjudge.errors import InputError
    from adjudge.reports.stops import standing_facts, standing_sentence

    rule = checked_rule(until, predictions, wanted.loss)
    judged: dict[str, Any] = {"loss": wanted.loss, "metric": wanted.metric, "positive": wanted.positive}
    if log is None:
        raise InputError("--until needs the labels so far; add --labels FILE")
    with busy("ranking"):
        found = stop(predictions, log, rule, label_noise=wanted.label_noise, level=wanted.level, **judged)
    ranking = found.ranking
    if ranking is None:
        ranking = rank_models(predictions, log, **judged)
        shown = replace(shown, label_noise=0.0)  # there is no interval that could be wider
    advice = ranking.recommendation
    assert advice is not None
    budget, told = advice.budget(ranking.labels), standing_sentence(found)
    if found.more is not None and budget not in (None, found.more.about):
        told += f" Get {budget} of them first."
    ranking = replace(ranking, recommendation=advice.with_next(told))
    trusts = _trusts(predictions, log, wanted.loss)
    shown = replace(shown, holds="at any time", enough=found.stopped)
    with answering(0 if found.stopped else 1):
        _show(ranking, log, trusts, shown, until=standing_facts(found))
