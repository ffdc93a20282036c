"""`adjudge convert`: any predictions as a folder of parts."""

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.groups import PredictionsFile, with_options
from adjudge.cli.inputs import AsJson, UnusedSeed
from adjudge.cli.output import busy, note, print_json


@with_options
def convert(
    source: PredictionsFile,
    out: Annotated[Path, typer.Option("--out", help="The folder to make.", show_default=False)],
    rows: Annotated[
        int | None, typer.Option("--rows", min=1, help="Samples of a part. (default: what suits the memory)")
    ] = None,
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Write predictions as a folder of Parquet parts, which are never in memory together.

    Example: adjudge convert predictions.csv --out parts
    """
    from adjudge.core.index import counted
    from adjudge.io.predictions.convert import convert as convert_predictions

    with busy("converting"):
        parts = convert_predictions(source.predictions, out, memory=source.memory, rows=rows, **source.options())
    if as_json:
        print_json("convert", {"out": str(out), "parts": parts})
    else:
        note(f"{counted(parts, 'part')} in {out}")
