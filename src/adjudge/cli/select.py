"""`adjudge select`: which samples to label next."""

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.inputs import (
    AsJson,
    Budget,
    FeaturesFile,
    HowDrawn,
    LabelsFile,
    ModelName,
    OptionList,
    SeedOrNone,
    SelectMethod,
    Source,
    options_of,
    with_source,
)
from adjudge.cli.output import note, print_json, screen


@with_source
def select(
    source: Source,
    budget: Budget,
    method: SelectMethod = None,
    option: OptionList = None,
    model: ModelName = None,
    features: FeaturesFile = None,
    labels: LabelsFile = None,
    drawn: HowDrawn = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the plan here: CSV or Parquet.")] = None,
    seed: SeedOrNone = None,
    as_json: AsJson = False,
) -> None:
    """Choose the samples to label next, as a plan that any spreadsheet can fill in.

    Fill the label column (SKIP where nobody can tell) and give the file back with --labels. With
    --labels, the plan goes on where that file ends and contains its rows.

    Example: adjudge select predictions.csv --budget 40 --out labels.csv
    """
    from adjudge.api import DEFAULT_SELECTOR
    from adjudge.api import select as select_samples
    from adjudge.core.index import ids_at
    from adjudge.readers import read_labels, write_labels

    predictions = source.read()
    log = None
    if labels is not None:
        predictions, log = read_labels(labels, predictions, drawn=drawn)
    method = method or (log and log.header.method) or DEFAULT_SELECTOR
    options = options_of(method, option, predictions, model, features or source.predictions)
    plan = select_samples(predictions, budget, method, labels=log, seed=seed, options=options)
    first = len(plan) - budget
    picks = [
        {"sample_id": name, "order": first + place, "weight": weight}
        for place, (name, weight) in enumerate(
            zip(ids_at(predictions.samples, plan.sample[first:]), plan.weight[first:].tolist(), strict=True)
        )
    ]
    if out is not None:
        write_labels(plan, predictions, out)
        note(
            f"{budget} samples to label are in {out}; fill its label column, then: "
            f"adjudge rank {source.predictions} --labels {out}"
        )
    if as_json:
        print_json({"picks": picks})
    elif out is None:
        screen().print("\n".join(str(pick["sample_id"]) for pick in picks), markup=False, soft_wrap=True)
