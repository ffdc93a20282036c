"""`adjudge zoo`: models to try everything with."""

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.inputs import AsJson, Seed
from adjudge.cli.output import note, print_json, progress


def zoo(
    data: Annotated[
        Path, typer.Option("--data", help="Folder of Fashion-MNIST's IDX files, as Debian's package has them.")
    ] = Path("/usr/share/datasets/fashion-mnist"),
    out: Annotated[Path, typer.Option("--out", help="Folder for the model files.")] = Path("zoo"),
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Train 25 small and varied models on Fashion-MNIST, as ONNX and skops files; what is there is kept.

    The data is the Debian package dataset-fashion-mnist.

    Example: adjudge zoo --out zoo
    """
    from adjudge.experiments.zoo.fashion import train_zoo
    from adjudge.experiments.zoo.recipes import RECIPES

    with progress("training", len(RECIPES)) as tell:
        files = train_zoo(data, out, seed, tell)
    if as_json:
        print_json("zoo", {"models": [str(file) for file in files]})
    else:
        note(f"{len(files)} models are in {out}")
