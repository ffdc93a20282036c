"""`adjudge simulate`: how good a method is, measured against known labels."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli.groups import PoolSource, with_options
from adjudge.cli.inputs import AsJson, EngineName, Seed, Until
from adjudge.cli.losses import MetricOptions
from adjudge.cli.output import print_json, progress, screen
from adjudge.cli.selector import SelectorOptions
from adjudge.cli.workers import WorkersOptions

if TYPE_CHECKING:
    from adjudge.core.arrays import FloatArray
    from adjudge.core.predictions import Predictions
    from adjudge.simulation.simulate import Simulation
    from adjudge.simulation.single_model import SingleModelSimulation


@dataclass(frozen=True)
class Runs:
    """How long a run is, how many there are, and the seed of the first."""

    budget: Annotated[int | None, typer.Option("--budget", help="How many labels. (default: 100)")] = None
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="How many runs.")] = 20
    seed: Seed = 0


@with_options
def simulate(
    source: PoolSource,
    selector: SelectorOptions,
    runs: Runs,
    loss: MetricOptions,
    batch: Annotated[int, typer.Option("--batch", min=1, help="How many samples are handed out together.")] = 1,
    ranker: Annotated[
        str | None, typer.Option("--ranker", help="How to rank. (default: what suits the method)")
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option("--truth", help="True labels, or grades; any kind of file. (default: those of the predictions)"),
    ] = None,
    until: Until = None,
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
    from adjudge.core.predictions import place_of
    from adjudge.errors import InputError
    from adjudge.io import read_truth

    here = replace(source, engine=EngineName.local, scheduler=None)  # all predictions go to each worker
    predictions, known = read_truth(
        _truth_file(source, truth), here.read(), id=source.id, label_column=source.label_column
    )
    if selector.model is not None:
        place_of(selector.model, predictions)  # an unknown one is refused before anything is run
    predictions, options = selector.read(predictions, source.path)
    told: dict[str, Any] = {"method": selector.name(), "options": options, **loss.told(predictions), **vars(runs)}
    if told["metric"] is not None and (until is not None or selector.model is not None):
        raise InputError("--until and --model are about losses here; leave them out, or --metric")
    if until is not None and (ranker is not None or batch > 1):
        raise InputError("--until looks after every label and ranks in its own way; leave out --ranker and --batch")
    with WorkersOptions(source.engine, source.scheduler).opened() as workers:
        told["workers"] = workers
        if until is None:
            _play(predictions, known, told, selector.model, as_json, batch=batch, ranker=ranker)
        else:
            selector.check_model(told["method"])  # the rule is about all models
            _play_until(predictions, known, told, until, as_json)


def _truth_file(source: PoolSource, truth: Path | None) -> Path:
    """Where the true labels are: in a file of their own, or in the only file of predictions."""
    from adjudge.errors import InputError

    if truth is None and (len(source.predictions) > 1 or source.path.is_dir()):
        raise InputError(
            "true labels are needed, and there are several files; give them with --truth FILE, which `adjudge merge "
            "--with-truth FILE` writes from a column of them"
        )
    return truth or source.path


def _play(
    predictions: "Predictions",
    known: "FloatArray",
    told: dict[str, Any],
    model: str | None,
    as_json: bool,
    **more: Any,
) -> None:
    from adjudge.simulation.simulate import simulate as play
    from adjudge.simulation.single_model import simulate_single_model

    with progress("simulating", told["seeds"]) as tell:
        result = play(predictions, known, progress=tell, **told, **more)
    single = None
    if model is not None:
        judged = {name: told[name] for name in ("options", "loss", "workers")}
        single = simulate_single_model(predictions, known, model, result, **judged)
    _show(result, single, as_json)


def _play_until(
    predictions: "Predictions", known: "FloatArray", told: dict[str, Any], until: str, as_json: bool
) -> None:
    from adjudge.reports.simulations import runs_sentences
    from adjudge.simulation.stopping_runs import simulate_stopping

    told = {name: given for name, given in told.items() if name not in ("metric", "positive")}
    with progress("simulating", told["seeds"]) as tell:
        runs = simulate_stopping(predictions, known, until, progress=tell, **told)
    if as_json:
        print_json("simulate", runs.to_dict())
        return
    for sentence in runs_sentences(runs):
        screen().print(sentence, markup=False)


def _show(result: "Simulation", single: "SingleModelSimulation | None", as_json: bool) -> None:
    from adjudge.reports.simulations import simulation_table, simulation_title, simulation_totals

    if as_json:
        told = result.to_dict()
        summary = result.totals() | result.at_budgets()
        print_json("simulate", told if single is None else told | {"summary": summary | {"estimate": single.to_dict()}})
        return
    screen().print(simulation_title(result), markup=False, style="italic")
    screen().print(simulation_table(result))
    screen().print(simulation_totals(result))
    if single is not None:
        screen().print(_about(single), markup=False)


def _about(single: "SingleModelSimulation") -> str:
    """The last budget in words."""
    shown = str(single.budgets[-1])
    value, error, efficiency = single.estimates()[shown], single.errors()[shown], single.efficiency()[shown]
    if value["mean"] is None:
        return f"nothing can be said about {single.model} at {shown} labels"
    deviation = "" if value["std"] is None else f" ±{value['std']:.3f}"
    against_random = "" if efficiency is None else f", E = {efficiency:.2f} against random draws (below 1 is better)"
    return (
        f"estimate of {single.model} at {shown} labels: {value['mean']:.3f}{deviation} (truth {single.truth:.3f}), "
        f"absolute error {error['mean']:.3f}{against_random}"
    )
