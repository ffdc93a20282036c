"""`adjudge simulate`: how good a method is, measured against known labels."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli.inputs import (
    AsJson,
    CostFile,
    FeaturesFile,
    GoalName,
    LossOption,
    ModelName,
    OptionList,
    PredictionsSource,
    Range,
    RankerName,
    Seed,
    SelectMethod,
    Until,
    check_model,
    loss_of,
    options_of,
    rule_of,
    told_options,
    with_source,
)
from adjudge.cli.output import print_json, progress, screen
from adjudge.cli.surprise import ReferenceFile, with_surprise

if TYPE_CHECKING:
    from adjudge.core.arrays import FloatArray
    from adjudge.core.losses import Loss
    from adjudge.core.predictions import Predictions
    from adjudge.simulation.single_model import SingleModelSimulation


@with_source
def simulate(
    source: PredictionsSource,
    method: SelectMethod = None,
    goal: GoalName = None,
    option: OptionList = None,
    model: ModelName = None,
    features: FeaturesFile = None,
    reference: ReferenceFile = None,
    budget: Annotated[int | None, typer.Option("--budget", help="How many labels. (default: 100)")] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="How many samples are handed out together.")] = 1,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="How many runs.")] = 20,
    ranker: RankerName = None,
    truth: Annotated[
        Path | None,
        typer.Option("--truth", help="True labels: CSV, Parquet, npy, npz or IDX. (default: those of the predictions)"),
    ] = None,
    loss: LossOption = None,
    span: Range = None,
    costs: CostFile = None,
    until: Until = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Measure a method: let it buy labels from a known truth, again and again.

    Regret is how much worse the top-ranked model is than the best (mean over models tied for first); an
    undefined correlation counts as 0; a run that never gets within a point counts as one label
    more than the budget. With --model, the estimate of that model's value is measured too. A
    method that plans for its whole budget (css) plans anew for each number of labels shown. With --until
    each run ends when the rule says so, or at the budget; shown are the labels used and whether the rule kept its word.

    Example: adjudge simulate predictions.npz --method random --budget 100 --seeds 20
    """
    from adjudge.api import DEFAULT_SELECTOR
    from adjudge.core.predictions import place_of
    from adjudge.errors import InputError
    from adjudge.io import read_truth
    from adjudge.reports.simulations import simulation_table, simulation_title, simulation_totals
    from adjudge.simulation.simulate import simulate as play
    from adjudge.simulation.single_model import simulate_single_model

    predictions, known = read_truth(truth or source.predictions, source.read(), id=source.id)
    method = method or DEFAULT_SELECTOR
    if model is not None:
        place_of(model, predictions)  # an unknown one is refused before anything is run
    if reference is not None:
        given = told_options(option)
        predictions = with_surprise(predictions, method, given, model, features, source.predictions, reference)
        features = None
    options = options_of(method, option, predictions, model, features, source.predictions, goal)
    loss_given = loss_of(loss, span, costs, predictions)
    if until is not None:
        if ranker is not None or batch > 1:
            raise InputError("--until looks after every label and ranks in its own way; leave out --ranker and --batch")
        check_model(method, model)  # the rule is about all models
        _play_until(predictions, known, until, as_json, method, budget, seeds, options, loss_given, seed)
        return
    with progress("simulating", seeds) as tell:
        result = play(
            predictions,
            known,
            method,
            budget,
            seeds,
            batch=batch,
            ranker=ranker,
            options=options,
            loss=loss_given,
            seed=seed,
            progress=tell,
        )
    single = None
    if model is not None:
        single = simulate_single_model(predictions, known, model, result, options=options, loss=loss_given)
    if as_json:
        told = result.to_dict()
        summary = result.totals() | result.at_budgets()
        print_json(told if single is None else told | {"summary": summary | {"estimate": single.to_dict()}})
        return
    screen().print(simulation_title(result), markup=False, style="italic")
    screen().print(simulation_table(result))
    screen().print(simulation_totals(result))
    if single is not None:
        screen().print(_about(single), markup=False)


def _play_until(
    predictions: "Predictions",
    known: "FloatArray",
    until: str,
    as_json: bool,
    method: str,
    budget: int | None,
    seeds: int,
    options: dict[str, Any],
    loss: "Loss | None",
    seed: int,
) -> None:
    from adjudge.reports.simulations import runs_sentences
    from adjudge.simulation.stopping_runs import simulate_stopping

    rule = rule_of(until, predictions, loss)
    with progress("simulating", seeds) as tell:
        runs = simulate_stopping(
            predictions, known, rule, method, budget, seeds, options=options, loss=loss, seed=seed, progress=tell
        )
    if as_json:
        print_json(runs.to_dict())
        return
    for sentence in runs_sentences(runs):
        screen().print(sentence, markup=False)


def _about(single: "SingleModelSimulation") -> str:
    """The last budget in words."""
    shown = str(single.budgets[-1])
    value, error, efficiency = single.estimates()[shown], single.errors()[shown], single.efficiency()[shown]
    if value["mean"] is None:
        return f"nothing can be said about {single.model} at {shown} labels"
    deviation = "" if value["std"] is None else f" ±{value['std']:.3f}"
    compared = "" if efficiency is None else f", E = {efficiency:.2f} against random draws (below 1 is better)"
    return (
        f"estimate of {single.model} at {shown} labels: {value['mean']:.3f}{deviation} (truth {single.truth:.3f}), "
        f"absolute error {error['mean']:.3f}{compared}"
    )
