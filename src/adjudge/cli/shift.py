"""`adjudge shift`: clean and shifted rankings, side by side."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from adjudge.cli.groups import with_options
from adjudge.cli.inputs import AsJson, Seed, names_in
from adjudge.cli.output import note, print_json, progress, resumable, screen
from adjudge.cli.workers import WorkersOptions

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

    def told(self) -> dict[str, Any]:
        """By the names of the parameters of `adjudge.shift_study`."""
        shifts = {"kinds": self.corrupt, "severities": self.severity}
        return {"data": self.data, "labels": self.labels, "columns": names_in(self.columns)} | shifts


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
    where: WorkersOptions,
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
    from adjudge.reports.outputs import as_text, terminal
    from adjudge.reports.studies import shift_study

    with resumable(out), where.opened() as workers:
        told = data.told() | vars(run) | {"repetitions": repetitions, "seed": seed, "workers": workers}
        found = shift_study(models, out=out, progress=progress, **told)
    if as_json:
        print_json("shift", {"summary": list(found.sentences), "tables": as_text(found.tables)})
    else:
        console = screen()
        for grid in found.tables:
            if grid.name in SHOWN:
                console.print(terminal(grid, console.width), "")
        for sentence in found.sentences:
            console.print(sentence, markup=False)
    note(f"tables, figures and report.html are in {out}")
