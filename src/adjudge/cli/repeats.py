"""`adjudge repeats`: several runs of one model."""

from typing import Annotated

import typer

from adjudge.cli.groups import LabelsSoFar, PredictionsSource, with_options
from adjudge.cli.inputs import AsJson, Level, UnusedSeed
from adjudge.cli.losses import CostOptions
from adjudge.cli.output import print_json, screen


@with_options
def repeats(
    source: PredictionsSource,
    labels: LabelsSoFar,
    loss: CostOptions,
    more_labels: Annotated[int, typer.Option("--more-labels", min=1, help="So many more labels, or ...")] = 30,
    more_runs: Annotated[int, typer.Option("--more-runs", min=1, help="... so many more runs of each model?")] = 3,
    level: Level = 0.95,
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Say how much answers change from run to run, and whether more labels or more runs make it surer.

    Runs of one model are told by their names, "A (epoch 1)" and "A (epoch 2)", as import --epochs all
    writes them. Intervals are about new samples of the same kind, and new runs.

    Example: adjudge repeats predictions.parquet --labels truth.csv
    """
    from adjudge.decisions.repeats import repeats as look_at_runs
    from adjudge.reports.repeats import repeats_table

    predictions, log = labels.read(source)
    found = look_at_runs(
        predictions, log, loss.read(predictions), level=level, more_labels=more_labels, more_runs=more_runs
    )
    if as_json:
        print_json("repeats", found.to_dict())
        return
    console = screen()
    console.print(found.advice, markup=False, style="bold")
    console.print(repeats_table(found))
    for sentence in found.notes:
        console.print(sentence, markup=False)
