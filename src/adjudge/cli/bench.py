"""`adjudge bench`: experiments, the papers' own among them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli.groups import with_options
from adjudge.cli.inputs import AsJson, SeedOrNone
from adjudge.cli.output import note, print_json, progress, resumable, screen
from adjudge.cli.workers import WorkersOptions

if TYPE_CHECKING:
    from adjudge.experiments.results import LeftOut


@with_options
def bench(
    spec: Annotated[str, typer.Argument(help="sds-2021, ces-2019, laf-2022, or a TOML file.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Folder for results, tables and figures.")] = Path("bench"),
    task: Annotated[
        list[str] | None,
        typer.Option(
            "--task", help="A task: its npz, or its name in $ADJUDGE_TASKS. Repeat for several. (default: all)"
        ),
    ] = None,
    repetitions: Annotated[int | None, typer.Option("--repetitions", min=1, help="Runs of each method.")] = None,
    seed: SeedOrNone = None,
    *,
    where: WorkersOptions,
    as_json: AsJson = False,
) -> None:
    """Run an experiment and draw its tables and figures.

    What is done is kept: stop with Ctrl-C, call again, and it goes on. The same seed gives the same results.

    Example: adjudge bench sds-2021 --out bench --task fashion_zoo25
    """
    from adjudge.reports.outputs import as_text, terminal
    from adjudge.reports.studies import bench as run_bench

    with resumable(out), where.opened() as workers:
        told: dict[str, Any] = {"tasks": task or (), "repetitions": repetitions, "seed": seed, "progress": progress}
        found = run_bench(spec, out, workers=workers, **told)
    for sentence in _left_out(found.left_out):
        note(sentence)
    if as_json:
        print_json("bench", as_text(found.tables))
        return
    console = screen()
    for grid in found.tables:
        console.print(terminal(grid, console.width), "")
    note(f"tables, figures and report.html are in {out}")


def _left_out(jobs: "tuple[LeftOut, ...]") -> list[str]:
    """One sentence for all tasks that lack the same thing."""
    tasks: dict[tuple[str, str], list[str]] = {}
    for each in jobs:
        tasks.setdefault((each.job.name, each.reason), []).append(each.job.task)
    return [
        f"left out: {name} on {', '.join(dict.fromkeys(where))}: {reason}" for (name, reason), where in tasks.items()
    ]
