"""Single options that several commands have, and how their text is read."""

import csv
import shlex
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from adjudge.core.predictions import Predictions


class Join(StrEnum):
    """What happens to samples that not every model has."""

    inner = "inner"
    outer = "outer"


class Epochs(StrEnum):
    """What happens to several answers of a model to one question."""

    first = "first"
    all = "all"


Scheduler = Annotated[
    str | None, typer.Option("--scheduler", help="Address of a Dask scheduler. (default: one on this machine)")
]


class EngineName(StrEnum):
    """Where parts of a pool are worked on."""

    local = "local"
    dask = "dask"


class SamplingDesign(StrEnum):
    """How labels without weights were chosen."""

    unknown = "unknown"
    uniform = "uniform"


class LossName(StrEnum):
    """What a wrong prediction costs."""

    zero_one = "zero-one"
    squared = "squared"
    absolute = "absolute"


class Goal(StrEnum):
    """What labels are for."""

    best = "best"
    rank = "rank"
    estimate = "estimate"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all randomness.")]
UnusedSeed = Annotated[int, typer.Option("--seed", min=0, help="Accepted by every command; has no effect here.")]
SeedOrNone = Annotated[int | None, typer.Option("--seed", min=0, help="Seed of all randomness. (default: 0)")]
HowDrawn = Annotated[
    SamplingDesign | None,
    typer.Option(
        "--drawn",
        help="How the labels were chosen, if their file does not say; uniform: a simple random sample.",
    ),
]
HowNormalized = Annotated[
    str | None,
    typer.Option(
        "--normalize",
        help="Answers in one spelling: auto, none, some of latex,markdown,json,space,punctuation,numbers,case, "
        "module:function, or a CSV of answer,canonical. (default: as the file says)",
    ),
]
Abstain = Annotated[
    list[str] | None,
    typer.Option(
        "--abstain",
        help='An answer that is none, such as "(none)": never right, and equal to no other. Repeat for several; "" for '
        "blank answers. (default: as the file says)",
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        "--label-column",
        help="Column with true labels, beside predictions or in a file of labels. (default: by usual names)",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        help="Memory for predictions, such as 2GB; larger pools are read in parts. (default: half of what is free)",
    ),
]
SelectMethod = Annotated[str | None, typer.Option("--method", help="How to choose samples. (default: pooled)")]
OptionList = Annotated[
    list[str] | None, typer.Option("--option", help="An option of the method: name=value. Repeat for several.")
]
LabelNoise = Annotated[
    float, typer.Option("--label-noise", help="Share of labels that may be wrong, such as 0.02; intervals get wider.")
]
MetricName = Annotated[
    str | None,
    typer.Option("--metric", help="The metric, such as f1, mcc, rmse or log-loss; see the docs for all of them."),
]
PositiveClass = Annotated[
    str | None, typer.Option("--class", help="The class of a metric that is about one, such as f1 or recall.")
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Column of samples that belong together, named in --columns too; intervals get wider where that matters.",
    ),
]
Level = Annotated[float, typer.Option("--level", help="Confidence level of intervals.")]
LevelOrNone = Annotated[float | None, typer.Option("--level", help="Confidence level of intervals. (default: 0.95)")]
LogMlflow = Annotated[
    str | None,
    typer.Option(
        "--log-mlflow", help="Log ranking, metrics and report to this store of MLflow: sqlite:///FILE, http://..."
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        help='Stopping rule: "likely within 0.01" (of the best), "within 0.01" (guaranteed; or "1 point"), '
        'or "separated".',
    ),
]


def words_of(*words: object) -> str:
    """Words of a command to try next, as a shell takes them."""
    return shlex.join(map(str, words))


def told_options(told: list[str] | None) -> dict[str, str]:
    """Options of a method, written as name=value."""
    from adjudge.errors import InputError

    options = {}
    for each in told or []:
        name, sign, value = each.partition("=")
        if not sign:
            raise InputError(f"the option {each!r} has no value; write it as name=value")
        options[name] = value
    return options


def names_in(text: str) -> tuple[str, ...]:
    """Names that were told with commas between them; one that holds a comma stands in quotes, as in a CSV file."""
    rows = csv.reader(text.splitlines(keepends=True), skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


def all_but(names: tuple[str, ...], predictions: "Predictions") -> list[str]:
    """The other models; at least one must be left."""
    from adjudge.core.predictions import place_of
    from adjudge.errors import InputError

    left_out = {predictions.models[place_of(name, predictions)] for name in names}
    left = [name for name in predictions.models if name not in left_out]
    if not left:
        raise InputError("--without names all models; leave one in")
    return left
