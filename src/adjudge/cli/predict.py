"""`adjudge predict`: what models say about raw data."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.groups import with_options
from adjudge.cli.inputs import AsJson, EngineName, Seed, names_in, words_of
from adjudge.cli.output import note, print_json, progress, resumable, screen
from adjudge.cli.workers import WorkersOptions

if TYPE_CHECKING:
    from adjudge.io import Truth
    from adjudge.models.datasets import Dataset
    from adjudge.models.prediction import Predicted, Shift


@dataclass(frozen=True)
class RawData:
    """The data that models run on, and its truth if that is known."""

    data: Annotated[
        Path,
        typer.Option("--data", help="Folder of images, npy, npz, IDX, CSV or Parquet.", show_default=False),
    ]
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="True labels, kept in the npz for `adjudge bench`: CSV, Parquet, npy, npz, IDX."),
    ] = None
    id: Annotated[str | None, typer.Option("--id", help="Column with sample ids. (default: sample_id or id)")] = None
    columns: Annotated[str, typer.Option("--columns", help="Columns of a table that models take: text, or a,b.")] = ""

    def read(self) -> "tuple[Dataset, Truth | None]":
        from adjudge.io import truth_of
        from adjudge.models.datasets import read_data

        raw = read_data(self.data, id=self.id, columns=names_in(self.columns))
        return raw, None if self.labels is None else truth_of(self.labels, raw.samples, id=self.id, complete=True)


@dataclass(frozen=True)
class RunOptions:
    """How models are run, and what is kept of what they say: options of `adjudge.predict`."""

    features: Annotated[
        str | None,
        typer.Option(
            "--features",
            metavar="LAYER",
            help="Keep a layer's values, for CES: last (hidden), its name, or -2 and so on, counted from the end.",
        ),
    ] = None
    probabilities: Annotated[bool, typer.Option("--probabilities", help="Keep the probabilities of classes.")] = False
    settings: Annotated[
        Path | None, typer.Option("--settings", help="TOML for models that have none next to them.")
    ] = None
    batch: Annotated[int | None, typer.Option("--batch", min=1, help="Samples at a time. (default: up to 256)")] = None
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Open pickles, PyTorch programs, code named in TOML files: they run anything."),
    ] = False
    fresh: Annotated[bool, typer.Option("--fresh", help="Run every model, also those with kept results.")] = False


@dataclass(frozen=True)
class ShiftOptions:
    """The shifts that models run under, besides clean data."""

    corrupt: Annotated[
        str, typer.Option("--corrupt", help="Also under shift: kinds as `adjudge corrupt` has them, or all.")
    ] = ""
    severity: Annotated[str, typer.Option("--severity", help="How much, with --corrupt: 1 to 5, or all.")] = "all"

    def read(self, raw: "Dataset") -> "list[Shift]":
        from adjudge.models.prediction import shifts_for

        return shifts_for(raw, self.corrupt, self.severity) if self.corrupt else []


@with_options
def predict(
    models: Annotated[
        list[str],
        typer.Argument(
            help="Model files (.h5, .keras, .onnx, .pt2, .pt, module.py:build, .skops), package.module:function, an "
            "address, or predictions. NAME=MODEL names one.",
            show_default=False,
        ),
    ],
    data: RawData,
    run: RunOptions,
    shift: ShiftOptions,
    where: WorkersOptions,
    out: Annotated[Path, typer.Option("--out", help="Write here: Parquet, npz or CSV.")] = Path("predictions.parquet"),
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Run models on raw data and write their predictions.

    Each model's result is kept in a folder next to the file: stop with Ctrl-C, call again, and it goes on; what has
    not changed is not run again. With --corrupt there is one more file for each shift: predictions_fog3.parquet.

    Example: adjudge predict net.onnx tree.skops --data photos/ --out predictions.parquet
    """
    from adjudge.io.files import check_target
    from adjudge.io.predictions.write import TARGETS
    from adjudge.models.prediction import check_holds_labels, predict_shifted, write_predicted

    check_target(out, TARGETS)
    if data.labels is not None:
        check_holds_labels(out)
    raw, truth = data.read()
    kept, shifts = out.with_suffix(".runs"), shift.read(raw)
    files: list[Path] = []
    clean: Predicted | None = None
    every = len(models) * len(raw) * (1 + len(shifts))
    with resumable(kept), where.opened() as workers, progress("running models", every) as tell:
        told = vars(run) | {"workers": workers if where.engine is EngineName.dask else None}
        found = predict_shifted(models, raw, shifts, seed=seed, cache=kept, progress=tell, **told)
        for each, predicted in found:
            files += write_predicted(predicted, out if each is None else each.file(out), truth)
            clean = clean or predicted
    assert clean is not None
    _tell(clean, files, out, as_json)


def _tell(predicted: "Predicted", files: list[Path], out: Path, as_json: bool) -> None:
    """What was run and where it is; a failure, if a model had one on clean data."""
    from adjudge.core.index import named
    from adjudge.errors import InputError

    if as_json:
        told = {"files": [str(file) for file in files], "models": _rows(predicted), "failures": predicted.failures}
        print_json("predict", told)
    else:
        _show(predicted)
        note(f"written to {named([str(file) for file in files])}; now: adjudge rank {words_of(out)}")
    if predicted.failures:
        raise InputError(f"{len(predicted.failures)} of the models failed, as told above; {out.name} holds the others")


def _rows(predicted: "Predicted") -> list[dict[str, object]]:
    pool = predicted.predictions
    return [
        {
            "model": name,
            "gives": "numbers" if pool.classes is None else f"{len(pool.classes)} classes",
            "features": None if name not in predicted.features else predicted.features[name].shape[1],
            "seconds": about.get("seconds"),
            "reused": name in predicted.reused,
        }
        for name, about in predicted.origins.items()
    ]


def _show(predicted: "Predicted") -> None:
    from rich.table import Table

    table = Table("model", "gives", "features", "seconds", box=None, pad_edge=False)
    for row in _rows(predicted):
        seconds = row["seconds"]
        spent = "reused" if row["reused"] else f"{seconds:.1f}" if isinstance(seconds, float) else "read"
        table.add_row(str(row["model"]), str(row["gives"]), str(row["features"] or "-"), spent)
    screen().print(table)
