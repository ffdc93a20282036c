"""`adjudge plan`: how many labels it takes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli.groups import LabelsSoFar, PredictionsSource, with_options
from adjudge.cli.inputs import AsJson, Level, MetricName, PositiveClass, UnusedSeed, words_of
from adjudge.cli.output import print_command, print_json, screen

if TYPE_CHECKING:
    from adjudge.decisions.needed import Plan


@with_options
def plan(
    source: PredictionsSource,
    labels: LabelsSoFar,
    difference: Annotated[
        float | None,
        typer.Option(
            "--difference",
            help="The difference to detect, in accuracy or the metric. (default: 0.01; of grades, 1% of their range)",
        ),
    ] = None,
    models: Annotated[
        tuple[str, str] | None,
        typer.Option("--models", help="Two models. (default: those that agree most)", metavar="A B"),
    ] = None,
    metric: MetricName = None,
    positive: PositiveClass = None,
    level: Level = 0.95,
    power: Annotated[float, typer.Option("--power", help="Chance of detecting the difference if it exists.")] = 0.8,
    simultaneous: Annotated[
        bool,
        typer.Option("--simultaneous", help="For all pairs of the pool at once; --models names one only."),
    ] = False,
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Say how many labels it takes to detect a difference, before any label is bought.

    With --metric, and for numbers, it takes 20 labels to say how many more.

    Example: adjudge plan predictions.csv --difference 0.01
    """
    from adjudge.decisions.plan import plan as plan_labels

    predictions, log = labels.read(source)
    made = plan_labels(
        predictions,
        difference,
        models=models,
        labels=log,
        metric=metric,
        positive=positive,
        level=level,
        power=power,
        simultaneous=simultaneous,
    )
    if as_json:
        print_json("plan", _facts(made))
    else:
        _show(made, source.words(), labels.labels)


def _facts(plan: "Plan") -> dict[str, Any]:
    from dataclasses import asdict

    told = asdict(plan)
    for row in (*told["pairs"], told["typical"]):
        for where in ("everywhere", "in_dispute", "where_they_differ"):
            row[where] = None if row[where] is None else row[where]._asdict()
    return told


def _show(plan: "Plan", source: str, labels: Path | None) -> None:
    from adjudge.reports.plans import plan_command, plan_lead, plan_sentences, plan_table

    console = screen()
    console.print(plan_lead(plan), markup=False)
    console.print(plan_table(plan))
    for sentence in plan_sentences(plan):
        console.print(sentence, markup=False)
    if (command := plan_command(plan, source, None if labels is None else words_of(labels))) is not None:
        few = "them" if len(plan.pairs) == 1 else "those of a pair"
        console.print(f"Draw {few} with:", markup=False)
        print_command(command)
