"""`adjudge merge`: any predictions as one file that needs no options, or as a folder of parts."""

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.groups import PredictionsFile, with_options
from adjudge.cli.inputs import AsJson, UnusedSeed, words_of
from adjudge.cli.output import busy, note, print_json


@with_options
def merge(
    source: PredictionsFile,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="Write here: .parquet, .csv or .npz; or, without an ending, a folder of parts for large pools.",
            show_default=False,
        ),
    ],
    with_truth: Annotated[
        Path | None,
        typer.Option("--with-truth", help="Write the true labels beside the predictions here, for --labels."),
    ] = None,
    rows: Annotated[
        int | None, typer.Option("--rows", min=1, help="Samples of a part. (default: what suits the memory)")
    ] = None,
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Write predictions once, as one file that needs no options: how they are read is kept in it.

    Columns that have no usual names are named once, here. A folder of parts is never in memory as a whole.

    Example: adjudge merge candidates/*.csv --out pool.parquet
    """
    from dataclasses import asdict

    from adjudge.core.index import counted
    from adjudge.io import merge as merge_predictions

    told = source.options()
    with busy("merging"):
        found = merge_predictions(
            source.predictions, out, with_truth=with_truth, memory=source.memory, rows=rows, **told
        )
    if as_json:
        print_json("merge", {"out": str(out), **asdict(found)})
        return
    parts = "" if found.parts is None else f" in {counted(found.parts, 'part')}"
    if found.truth is not None:
        note(f"{counted(found.truth, 'true label')} of {found.samples:,} samples in {with_truth}")
    models = counted(len(found.models), "model")
    verb = "is" if len(found.models) == 1 else "are"
    note(
        f"{models} on {counted(found.samples, 'sample')} {verb} in {out}{parts}; then:",
        f"adjudge rank {words_of(out, *(() if found.truth is None else ('--labels', with_truth)))}",
    )
