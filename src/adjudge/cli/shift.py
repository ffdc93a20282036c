"""`adjudge shift`: clean and shifted rankings, side by side."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.groups import with_options
from adjudge.cli.inputs import AsJson, Seed, names_in
from adjudge.cli.output import note, print_json, progress, resumable, screen

if TYPE_CHECKING:
    from adjudge.experiments.outputs import Output

SHOWN = ("rankings",)  # tables for the terminal; the others are in the folder


@dataclass(frozen=True)
class ShiftedData:
    """The data that models run on, and what is done to it."""

    data: Annotated[
        Path | None, typer.Option("--data", help="Clean data: images, texts or a table, as for `adjudge predict`.")
    ] = None
    labels: Annotated[Path | None, typer.Option("--labels", help="Its true labels: CSV, Parquet, npy, npz or IDX.")] = (
        None
    )
    columns: Annotated[str, typer.Option("--columns", help="Columns of a table that models take: text, or a,b.")] = ""
    corrupt: Annotated[str, typer.Option("--corrupt", help="Kinds as `adjudge corrupt` has them, or all.")] = "all"
    severity: Annotated[str, typer.Option("--severity", help="How much: 1 to 5, or all.")] = "all"


@dataclass(frozen=True)
class RunOptions:
    """How models are run, and what is kept of what they say: options of `adjudge.predict`."""

    features: Annotated[bool, typer.Option("--features", help="Run CES too, which looks at hidden layers.")] = False
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="Keep the probabilities of classes in the pools, for `adjudge bench`."),
    ] = False
    settings: Annotated[
        Path | None, typer.Option("--settings", help="TOML for models that have none next to them.")
    ] = None
    trust: Annotated[bool, typer.Option("--trust", help="Open pickles and PyTorch programs: they run anything.")] = (
        False
    )


@with_options
def shift(
    models: Annotated[
        list[str],
        typer.Argument(
            help="Models as `adjudge predict` takes them; without --data, npz files of a clean pool and its shifts, "
            "named as clean.npz and clean_fog3.npz.",
            show_default=False,
        ),
    ],
    data: ShiftedData,
    run: RunOptions,
    out: Annotated[Path, typer.Option("--out", help="Folder for pools, results, tables and figures.")] = Path("shift"),
    repetitions: Annotated[int, typer.Option("--repetitions", min=1, help="Runs of methods that buy labels.")] = 10,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Run models on clean data and under shift, and compare their rankings.

    Is the best model on clean data still the best? Can the pool be ranked without labels? Tables and figures are those
    of LaF's study and heat maps. What is done is kept: stop with Ctrl-C, call again, and it goes on.

    Example: adjudge shift zoo/*.onnx --data images.npy --labels labels.npy --out shift
    """
    from adjudge.experiments.jobs import RunSettings
    from adjudge.experiments.results import write_results
    from adjudge.experiments.run import run as run_jobs
    from adjudge.experiments.shift import study
    from adjudge.experiments.tasks import find, load
    from adjudge.reports.outputs import write_outputs

    with resumable(out):
        found = find(models) if data.data is None else _run_models(models, data, data.data, run, out, seed)
        paths = {path.stem: path for path in found}
        tasks = study.ordered([load(path) for path in found])
        jobs = study.jobs(tasks, RunSettings(repetitions, seed))
        with progress("ranking", len(jobs)) as tell:
            results = run_jobs(jobs, paths, out, progress=tell)
    write_results(results, out)
    outputs, sentences = study.outputs(tasks, results), study.summary(tasks, results)
    write_outputs(outputs, "Clean and shifted rankings", " ".join(sentences), out)
    _show(outputs, sentences, as_json)
    note(f"tables, figures and report.html are in {out}")


def _run_models(models: list[str], told: ShiftedData, data: Path, run: RunOptions, out: Path, seed: int) -> list[Path]:
    from adjudge.errors import InputError
    from adjudge.experiments.shift.pools import write_pools
    from adjudge.io import truth_of
    from adjudge.models.datasets import read_data
    from adjudge.models.prediction import shifts_for

    if told.labels is None:
        raise InputError("a study of shift measures rankings against the truth; add --labels FILE")
    raw = read_data(data, columns=names_in(told.columns))
    shifts = shifts_for(raw, told.corrupt, told.severity)
    truth = truth_of(told.labels, raw.samples, complete=True)
    with progress("running models", len(models) * len(raw) * (1 + len(shifts))) as tell:
        return write_pools(models, raw, truth, shifts, out, seed=seed, progress=tell, **vars(run))


def _show(outputs: "list[Output]", sentences: list[str], as_json: bool) -> None:
    from adjudge.experiments.outputs import Grid
    from adjudge.reports.outputs import as_text, terminal

    grids = [output for output in outputs if isinstance(output, Grid)]
    if as_json:
        print_json({"summary": sentences, "tables": as_text(grids)})
        return
    console = screen()
    for grid in grids:
        if grid.name in SHOWN:
            console.print(terminal(grid, console.width), "")
    for sentence in sentences:
        console.print(sentence, markup=False)
