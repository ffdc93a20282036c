"""`adjudge corrupt`: data under shift."""

from pathlib import Path
from typing import Annotated, Any

import typer

from adjudge.cli.inputs import AsJson, Seed, names_in
from adjudge.cli.output import note, print_json, progress


def corrupt(
    data: Annotated[
        Path,
        typer.Argument(help="Folder of images, npy, npz, IDX, CSV or Parquet file.", show_default=False),
    ],
    kind: Annotated[str, typer.Option("--kind", help="What to do: names with commas between, or all.")] = "all",
    severity: Annotated[str, typer.Option("--severity", help="How much: from 1 to 5, or all.")] = "all",
    out: Annotated[Path, typer.Option("--out", help="Folder for the changed data.")] = Path("shifted"),
    labels: Annotated[
        Path | None, typer.Option("--labels", help="True labels, for label-shift: CSV, Parquet, npy, npz or IDX.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option("--sheet", help="Only draw the first image under all corruptions, into this PNG.")
    ] = None,
    id_column: Annotated[str | None, typer.Option("--id", help="Column with sample ids.")] = None,
    columns: Annotated[str, typer.Option("--columns", help="Columns to change: text, or several of numbers.")] = "",
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Write data under shift, in files of the same kind.

    Images: gaussian-noise, shot-noise, impulse-noise, defocus-blur, frosted-glass-blur, motion-blur, zoom-blur, snow,
    frost, fog, brightness, contrast, elastic, pixelate, jpeg (these are "all"); occlusion, lighting, down-sampling.
    Texts: typos, token-drop, case. Tables: missing-values, feature-noise. Any data with --labels: label-shift.
    One kind at one severity is written into the folder itself, more into a folder each, such as fog3.

    Example: adjudge corrupt images.npy --kind fog --severity 3 --out foggy
    """
    from adjudge.models.corruptions.writing import write_shifted

    told: dict[str, Any] = {"id": id_column, "columns": names_in(columns)}
    if sheet is not None:
        _draw(data, told, sheet, seed)
        return
    written = write_shifted(
        data, out, kinds=kind, severities=severity, labels=labels, seed=seed, progress=progress, **told
    )
    if as_json:
        print_json("corrupt", {"written": [str(path) for path in written]})
    else:
        note(f"{len(written)} written, {written[0]} first" if len(written) > 1 else f"written: {written[0]}")


def _draw(data: Path, told: dict[str, Any], sheet: Path, seed: int) -> None:
    from adjudge.errors import InputError
    from adjudge.models.corruptions.sheet import write_sheet
    from adjudge.models.datasets import read_data

    read = read_data(data, **told)
    if read.kind != "images":
        raise InputError(f"{read.name} holds {read.kind}; a contact sheet needs images")
    write_sheet(read.load(0, 1)[0], sheet, seed)
    note(f"written: {sheet}")
