"""`adjudge corrupt`: data under shift."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.inputs import AsJson, Seed, names_in
from adjudge.cli.output import note, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from adjudge.models.datasets import Dataset


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
    from adjudge.models.corruptions.shifted import kinds_for, severities_for
    from adjudge.models.datasets import read_data

    reading = partial(read_data, id=id_column, columns=names_in(columns))
    read = reading(data)
    if sheet is not None:
        _draw(read, sheet, seed)
        return
    wanted = [(each, much) for each in kinds_for(read, kind) for much in severities_for(severity)]
    written = []
    with progress("corrupting", len(wanted)) as tell:
        for done, (each, much) in enumerate(wanted, start=1):
            place = out if len(wanted) == 1 else out / f"{each}{much}"
            written.append(_write(read, data, each, much, seed, labels, place, reading))
            tell(done)
    if as_json:
        print_json({"written": [str(path) for path in written]})
    else:
        note(f"{len(written)} written, {written[0]} first" if len(written) > 1 else f"written: {written[0]}")


def _write(
    read: "Dataset",
    source: Path,
    kind: str,
    severity: int,
    seed: int,
    labels: Path | None,
    out: Path,
    reading: "Callable[[Path], Dataset]",
) -> Path:
    from adjudge.errors import InputError
    from adjudge.io import truth_of
    from adjudge.models.corruptions.labels import label_shift, write_labels
    from adjudge.models.corruptions.shifted import LABEL_SHIFT, shifted
    from adjudge.models.corruptions.writing import write_like

    if kind != LABEL_SHIFT:
        return write_like(source, shifted(read, kind, severity, seed), out)
    if labels is None:
        raise InputError("label-shift needs the true labels; add --labels FILE")
    true = truth_of(labels, read.samples, complete=True).column()
    kept = label_shift(true, severity, seed)
    written = write_like(source, read, out, kept)
    write_labels(reading(written), true[kept], out / "labels.csv")
    return written


def _draw(read: "Dataset", sheet: Path, seed: int) -> None:
    from adjudge.errors import InputError
    from adjudge.models.corruptions.sheet import write_sheet

    if read.kind != "images":
        raise InputError(f"{read.name} holds {read.kind}; a contact sheet needs images")
    write_sheet(read.load(0, 1)[0], sheet, seed)
    note(f"written: {sheet}")
