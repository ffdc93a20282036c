"""What the commands read: one description of the options, shared by all."""

import csv
import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from adjudge.core.labels import Labels
    from adjudge.core.losses import Loss
    from adjudge.core.predictions import Predictions
    from adjudge.decisions.stopping import StoppingRule


class Join(StrEnum):
    """What happens to samples that not every model has."""

    inner = "inner"
    outer = "outer"


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


class Metric(StrEnum):
    """What models are ranked by, if not by a loss."""

    balanced_accuracy = "balanced-accuracy"
    macro_f1 = "macro-f1"
    f1 = "f1"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all randomness.")]
UnusedSeed = Annotated[int, typer.Option("--seed", min=0, help="Accepted by every command; has no effect here.")]
SeedOrNone = Annotated[int | None, typer.Option("--seed", min=0, help="Seed of all randomness. (default: 0)")]
LabelsFile = Annotated[Path | None, typer.Option("--labels", help="Labels so far: CSV or Parquet.")]
HowDrawn = Annotated[
    SamplingDesign | None,
    typer.Option(
        "--drawn",
        help="How the labels were chosen, if their file does not say; uniform: a simple random sample.",
    ),
]
RankMethod = Annotated[
    str | None,
    typer.Option("--method", help="How to rank; see `adjudge methods`. (default: what suits the labels)"),
]
SelectMethod = Annotated[str | None, typer.Option("--method", help="How to choose samples. (default: pooled)")]
GoalName = Annotated[
    Goal | None,
    typer.Option(
        "--goal", help="What the labels are for: the best model, the whole ranking, accuracies. (default: best)"
    ),
]
RankerName = Annotated[str | None, typer.Option("--ranker", help="How to rank. (default: what suits the method)")]
OptionList = Annotated[
    list[str] | None, typer.Option("--option", help="An option of the method: name=value. Repeat for several.")
]
ModelName = Annotated[str | None, typer.Option("--model", help="The model that the method looks at.")]
FeaturesFile = Annotated[
    Path | None, typer.Option("--features", help="Its features: npy or npz. (default: those of the predictions)")
]
LabelNoise = Annotated[
    float, typer.Option("--label-noise", help="Share of labels that may be wrong, such as 0.02; intervals get wider.")
]
Level = Annotated[float, typer.Option("--level", help="Confidence level of intervals.")]
Budget = Annotated[int, typer.Option("--budget", "--batch", help="How many samples to label, chosen together.")]
LossOption = Annotated[
    LossName | None, typer.Option("--loss", help="The loss. (default: zero-one, or squared for numbers)")
]
CostFile = Annotated[
    Path | None, typer.Option("--costs", help="CSV of costs: true classes as rows, predicted ones as columns.")
]
Range = Annotated[
    tuple[float, float] | None,
    typer.Option("--range", help="Lowest and highest possible value, for numbers.", metavar="LOW HIGH"),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        help='Stop rule: "separated" (only one model can still be the best) or "within 0.01" (of the best).',
    ),
]


@dataclass(frozen=True)
class PredictionsSource:
    """The predictions that a command works on, as told on the command line."""

    predictions: Annotated[
        Path,
        typer.Argument(help="CSV, Parquet, npy, npz, or a folder with one file for each model.", show_default=False),
    ]
    id: Annotated[str | None, typer.Option("--id", help="Column with sample ids. (default: sample_id or id)")] = None
    join: Annotated[
        Join | None,
        typer.Option("--join", help="Where models have different samples: inner keeps the common ones, outer all."),
    ] = None
    columns: Annotated[str, typer.Option("--columns", help="Columns of facts, which are not models: text,domain.")] = ""
    classes: Annotated[str, typer.Option("--classes", help="All possible classes: cat,dog.")] = ""
    regression: Annotated[
        bool | None,
        typer.Option("--regression/--classification", help="Numbers, or classes. (default: by their values)"),
    ] = None

    def words(self) -> str:
        """The predictions as they were told, for a command to try next."""
        told = [(f"--{each.name}", getattr(self, each.name)) for each in fields(self) if each.name != "predictions"]
        named = [word for each in told if each[1] and not isinstance(each[1], bool) for word in each]
        kind = [] if self.regression is None else ["--regression" if self.regression else "--classification"]
        return words_of(self.predictions, *named, *kind)

    def read(self) -> "Predictions":
        from adjudge.io import read

        return read(
            self.predictions,
            id=self.id,
            join=self.join,
            columns=names_in(self.columns),
            classes=names_in(self.classes) or None,
            regression=self.regression,
        )

    def with_labels(
        self, predictions: "Predictions", labels: Path | None, drawn: str | None
    ) -> "tuple[Predictions, Labels | None]":
        """The pool and its labels so far, if there are any."""
        from adjudge.errors import InputError
        from adjudge.io import read_labels

        if labels is not None:
            return read_labels(labels, predictions, drawn=drawn, id=self.id)
        if drawn is not None:
            raise InputError("--drawn says how labels were chosen, and no labels are given; add --labels FILE")
        return predictions, None


def words_of(*words: object) -> str:
    """Words of a command to try next, as a shell takes them."""
    return shlex.join(map(str, words))


def with_source(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command whose first parameter is a PredictionsSource the options that make one."""
    told = get_type_hints(PredictionsSource, include_extras=True)
    source = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD if each.name == "predictions" else inspect.Parameter.KEYWORD_ONLY,
            annotation=told[each.name],
            **({} if each.name == "predictions" else {"default": each.default}),
        )
        for each in fields(PredictionsSource)
    ]
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]

    @wraps(command)
    def wrapper(**given: Any) -> None:
        command(PredictionsSource(**{each.name: given.pop(each.name) for each in source}), **given)

    parameters = [
        source[0],
        *(each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own),
        *source[1:],
    ]
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {each.name: each.annotation for each in parameters}
    del wrapper.__wrapped__
    return wrapper


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


def options_of(
    method: str,
    told: list[str] | None,
    predictions: "Predictions",
    model: str | None,
    features: Path | None,
    inside: Path,
    goal: Goal | None = None,
) -> dict[str, Any]:
    """The options of a method: those that were told, and its model with its features where it takes them."""
    from adjudge.errors import InputError
    from adjudge.registry import takes

    if features is not None and not takes(method, "features"):
        raise InputError(f"{method!r} does not use features; leave out --features")
    options: dict[str, Any] = told_options(told)
    if goal is not None:
        if not takes(method, "goal"):
            raise InputError(f"{method!r} has no goal to choose; leave out --goal, or use --method pooled")
        options["goal"] = goal.value
    if takes(method, "model") and model is not None:
        options["model"] = model
    if takes(method, "features") and model is not None:
        from adjudge.io import read_features
        from adjudge.io.predictions.features import beside

        options["features"] = read_features(features or beside(inside), predictions, model)
    return options


def check_model(method: str, model: str | None) -> None:
    """Refuse a model that nobody would look at."""
    from adjudge.errors import InputError
    from adjudge.registry import takes

    if model is not None and not (takes(method, "model") or takes(method, "features")):
        raise InputError(f"{method!r} does not look at a single model; leave out --model")


def loss_of(
    name: LossName | None, span: tuple[float, float] | None, costs: Path | None, predictions: "Predictions"
) -> "Loss | None":
    """The loss that was asked for; None: the one that suits the predictions."""
    from adjudge.core.losses import Absolute, Cost, Squared, ZeroOne
    from adjudge.errors import InputError

    if costs is not None:
        if name is not None or span is not None:
            raise InputError("--costs cannot be combined with --loss or --range; leave out one or the other")
        from adjudge.io import read_costs

        return Cost(read_costs(costs, predictions))
    if name is None and span is None:
        return None
    for_numbers = name is not LossName.zero_one
    if for_numbers != (predictions.classes is None):
        kinds = ("numbers", "classes") if for_numbers else ("classes", "numbers")
        raise InputError(f"--loss {name or 'with a range'} is for {kinds[0]}, but these predictions are {kinds[1]}")
    if not for_numbers:
        return ZeroOne()
    if span is None:
        raise InputError(f"--loss {name} needs the lowest and highest possible value; add --range LOW HIGH")
    return Absolute(*span) if name is LossName.absolute else Squared(*span)


def rule_of(until: str, predictions: "Predictions", loss: "Loss | None" = None) -> "StoppingRule":
    """The stop rule that was asked for, unless any ranking would pass it: accuracies never differ by more than 1."""
    from adjudge.decisions.stopping import StoppingRule
    from adjudge.errors import InputError

    rule = StoppingRule.read(until)
    if rule.margin is not None and rule.margin >= 1 and loss is None and predictions.classes is not None:
        raise InputError(
            f"--until {until!r} holds for any ranking, since accuracies lie between 0 and 1; "
            f"{rule.margin:g} points are written as 'within {rule.margin / 100:g}'"
        )
    return rule


def names_in(text: str) -> tuple[str, ...]:
    """Names that were told with commas between them; one that holds a comma stands in quotes, as in a CSV file."""
    rows = csv.reader(text.splitlines(keepends=True), skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())
