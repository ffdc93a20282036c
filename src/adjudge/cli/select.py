"""`adjudge select`: which samples to label next."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.inputs import (
    AsJson,
    Budget,
    FeaturesFile,
    GoalName,
    HowDrawn,
    LabelsFile,
    ModelName,
    OptionList,
    PredictionsSource,
    SeedOrNone,
    SelectMethod,
    check_model,
    options_of,
    told_options,
    with_source,
    words_of,
)
from adjudge.cli.output import busy, note, print_json, screen
from adjudge.cli.surprise import ReferenceFile, with_surprise

if TYPE_CHECKING:
    from adjudge.core.predictions import Predictions


@with_source
def select(
    source: PredictionsSource,
    budget: Budget,
    method: SelectMethod = None,
    goal: GoalName = None,
    option: OptionList = None,
    model: ModelName = None,
    features: FeaturesFile = None,
    reference: ReferenceFile = None,
    labels: LabelsFile = None,
    drawn: HowDrawn = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the plan here: CSV or Parquet.")] = None,
    seed: SeedOrNone = None,
    as_json: AsJson = False,
) -> None:
    """Choose the samples to label next, as a plan that any spreadsheet can fill in.

    Fill the label column (SKIP where nobody can tell) and give the file back with --labels. With
    --labels, the plan goes on where that file ends and contains its rows.

    css draws where a model is unsure, or with --option by=COLUMN where a number about samples is
    high. by=surprise computes it from features (Kim et al. 2019): give --reference, and again with --labels.

    Example: adjudge select predictions.csv --budget 40 --out labels.csv
    """
    from adjudge.api import DEFAULT_SELECTOR
    from adjudge.api import select as select_samples
    from adjudge.core.index import ids_at
    from adjudge.io import write_labels
    from adjudge.io.files import check_target
    from adjudge.io.labels.log import LOG_SUFFIXES

    if out is not None:
        check_target(out, LOG_SUFFIXES)
    predictions = source.read()
    if out is not None:
        _refuse_to_overwrite(out, labels, predictions)
    predictions, log = source.with_labels(predictions, labels, drawn)
    header = None if log is None else log.header
    method = method or (header.method if header else "") or DEFAULT_SELECTOR
    check_model(method, model)
    if reference is not None:
        told = {**(header.parameters if header and header.method == method else {}), **told_options(option)}
        predictions = with_surprise(predictions, method, told, model, features, source.predictions, reference)
        features = None
    options = options_of(method, option, predictions, model, features, source.predictions, goal)
    with busy("choosing samples"):
        plan = select_samples(predictions, budget, method, labels=log, seed=seed, options=options)
    first = 0 if log is None else len(log)
    picks = [
        {"sample_id": name, "order": first + place, "weight": weight}
        for place, (name, weight) in enumerate(
            zip(ids_at(predictions.samples, plan.sample[first:]), plan.weight[first:].tolist(), strict=True)
        )
    ]
    if out is not None:
        write_labels(plan, predictions, out)
        many = "1 sample to label is" if len(picks) == 1 else f"{len(picks):,} samples to label are"
        then = "rank" if model is None else "estimate"
        named = () if model is None else ("--model", model)
        more = words_of(*named, "--labels", out)
        note(f"{many} in {out}; fill its label column, then: adjudge {then} {source.words()} {more}")
    if as_json:
        print_json({"picks": picks})
    elif out is None:
        screen().print("\n".join(str(pick["sample_id"]) for pick in picks), markup=False, soft_wrap=True)


def _refuse_to_overwrite(out: Path, labels: Path | None, predictions: "Predictions") -> None:
    """A plan replaces nothing but the log that it goes on from, or a plan that nobody filled in."""
    from adjudge.core.index import counted
    from adjudge.errors import InputError
    from adjudge.io import read_labels

    if not out.is_file() or (labels is not None and out.samefile(labels)):
        return
    try:
        answered = int(read_labels(out, predictions, drawn="unknown")[1].answered.sum())
    except InputError:
        raise InputError(f"{out} exists and is not a plan for this pool; choose another name for --out") from None
    if answered:
        raise InputError(
            f"{out} holds {counted(answered, 'label')}, which would be lost; go on from it with "
            f"{words_of('--labels', out)}, or choose another name for --out"
        )
