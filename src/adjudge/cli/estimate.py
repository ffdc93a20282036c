"""`adjudge estimate`: what one model is worth."""

from typing import Annotated, Any

import typer

from adjudge.cli.groups import KnownLabels, PoolSource, with_options
from adjudge.cli.inputs import AsJson, Cluster, Level, UnusedSeed
from adjudge.cli.losses import MetricOptions
from adjudge.cli.output import print_json, screen


@with_options
def estimate(
    source: PoolSource,
    model: Annotated[str, typer.Option("--model", help="The model to look at.", show_default=False)],
    labels: KnownLabels,
    loss: MetricOptions,
    cluster: Cluster = None,
    level: Level = 0.95,
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Say what one model is worth on the whole pool, with an interval if its labels were drawn.

    Example: adjudge estimate predictions.csv --model net --labels labels.csv
    """
    from adjudge.api import estimate as estimate_model
    from adjudge.core.predictions import place_of
    from adjudge.inference.clusters import Clusters
    from adjudge.inference.future import future_intervals
    from adjudge.losses.loss import default_loss
    from adjudge.registry import estimator_for
    from adjudge.reports.tables import chosen_sentence

    predictions, log = labels.read(source)
    judged = loss.told(predictions)
    answer = estimate_model(predictions, model, log, cluster=cluster, level=level, **judged)
    clusters = None if cluster is None else Clusters.of(predictions, cluster)
    row, estimated = answer.rows()[0], answer.estimate
    future = None
    if judged["metric"] is None:  # what future data brings is known for means of losses
        meant = judged["loss"] or default_loss(predictions, log)
        future = future_intervals(predictions, log, meant, estimated.level, clusters=clusters)
    told = {
        "model": model,
        "quantity": estimated.quantity,
        "value": row["value"],
        "low": row["low"],
        "high": row["high"],
        "level": estimated.level if estimated.has_interval else None,
        "labels": answer.labels,
        "skipped": answer.skipped,
        "method": estimator_for(log),
        "future": None if future is None else future.ends(place_of(model, predictions)),
    }
    if as_json:
        print_json("estimate", told)
    else:
        console = screen()
        console.print(_sentence(told), markup=False, soft_wrap=True)
        if (wide := chosen_sentence(log)) and row["low"] != row["high"]:
            console.print(wide, markup=False)


def _sentence(told: dict[str, Any]) -> str:
    from adjudge.charts.cells import number
    from adjudge.core.index import counted

    value, low, high, count = (told[name] for name in ("value", "low", "high", "labels"))
    labels = counted(count, "label")
    interval = f"{told['level']:.0%} interval {number(low)} to {number(high)}" if low is not None else ""
    if value is None and interval:
        return f"{told['model']}: {told['quantity']} is not known, {interval} ({labels})."
    if value is None:
        return f"{told['model']}: it has no prediction for a labeled sample, so nothing is known ({labels})."
    said = f"{told['model']}: {told['quantity']} {number(value)}"
    if low is None:
        return f"{said}, without interval ({labels})."
    if low == high:
        skips = f" that could be labeled is ({told['skipped']} skipped)" if told["skipped"] else " is labeled"
        return f"{said}, exactly, on these {counted(count, 'sample')}: every one{skips}.{_future(told['future'])}"
    return f"{said}, {interval} ({labels})."


def _future(ends: dict[str, float | None] | None) -> str:
    """What to expect of data that is still to come."""
    from adjudge.charts.cells import number

    if ends is None or ends["low"] is None:
        return ""
    return f" For future data of the same kind: {number(ends['low'])} to {number(ends['high'])}."
