"""`adjudge simulate`: how good a method is, measured against known labels."""

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.inputs import (
    AsJson,
    CostFile,
    FeaturesFile,
    LossOption,
    ModelName,
    OptionList,
    Range,
    RankerName,
    Seed,
    SelectMethod,
    Source,
    loss_of,
    options_of,
    with_source,
)
from adjudge.cli.output import print_json, progress, screen


@with_source
def simulate(
    source: Source,
    method: SelectMethod = None,
    option: OptionList = None,
    model: ModelName = None,
    features: FeaturesFile = None,
    budget: Annotated[int | None, typer.Option("--budget", help="How many labels. (default: 100)")] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="How many runs.")] = 20,
    ranker: RankerName = None,
    truth: Annotated[
        Path | None, typer.Option("--truth", help="True labels, if the predictions' npz has none.")
    ] = None,
    loss: LossOption = None,
    span: Range = None,
    costs: CostFile = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Measure a method: let it buy labels from a known truth, again and again.

    Regret is what the top-ranked model lacks to the best (mean over models tied for first); an
    undefined correlation counts as 0; a run that never gets within a point counts as one label
    more than the budget.

    Example: adjudge simulate predictions.npz --method random --budget 100 --seeds 20
    """
    from adjudge.api import DEFAULT_SELECTOR
    from adjudge.readers import read_truth
    from adjudge.reports.tables import simulation_table, simulation_totals
    from adjudge.simulation import simulate as play

    predictions, known = read_truth(truth or source.predictions, source.read())
    method = method or DEFAULT_SELECTOR
    with progress("simulating", seeds) as tell:
        result = play(
            predictions,
            known,
            method,
            budget,
            seeds,
            ranker=ranker,
            options=options_of(method, option, predictions, model, features or source.predictions),
            loss=loss_of(loss, span, costs, predictions),
            seed=seed,
            progress=tell,
        )
    if as_json:
        print_json(result.to_dict())
    else:
        screen().print(simulation_table(result))
        screen().print(simulation_totals(result))
