"""Groups of options: a command takes each as one object, and `with_options` puts its fields on the command line."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from adjudge.cli.inputs import (
    Abstain,
    EngineName,
    HowDrawn,
    HowNormalized,
    Join,
    LabelColumn,
    Memory,
    Scheduler,
    all_but,
    names_in,
    words_of,
)
from adjudge.cli.light import do_without_pandas, load_later
from adjudge.cli.output import note

if TYPE_CHECKING:
    from adjudge.core.labels import Labels
    from adjudge.core.predictions import Predictions
    from adjudge.io.predictions.align import ReadOptions


@dataclass(frozen=True)
class PredictionsFile:
    """The predictions of a command, and what is told about their file."""

    predictions: Annotated[
        list[Path],
        typer.Argument(
            help="CSV, Parquet, npy, npz, or one file for each model: several files, or a folder.", show_default=False
        ),
    ]
    id: Annotated[
        str | None, typer.Option("--id", help="Column with sample ids. (default: by usual names, such as id or image)")
    ] = None
    prediction_column: Annotated[
        str | None,
        typer.Option("--prediction-column", help="Column with predictions, where a row is one. (default: usual names)"),
    ] = None
    label_column: LabelColumn = None
    model_column: Annotated[
        str | None,
        typer.Option("--model-column", help="Column with names of models, where a row is one prediction."),
    ] = None
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
    normalize: HowNormalized = None
    scores: Annotated[
        bool, typer.Option("--scores", help="The values are scores, higher is better. (default: as the file says)")
    ] = False
    abstain: Abstain = None
    memory: Memory = None

    def options(self) -> "ReadOptions":
        """What Python's `read` is told."""
        return {
            "id": self.id,
            "join": self.join,
            "columns": names_in(self.columns),
            "classes": names_in(self.classes) or None,
            "regression": self.regression,
            "normalize": self.normalize,
            "scores": self.scores or None,
            "abstain": self.abstain or (),
            "prediction_column": self.prediction_column,
            "label_column": self.label_column,
            "model_column": self.model_column,
        }

    @property
    def path(self) -> Path:
        """The only file or folder; with several files, the first of them."""
        return self.predictions[0]


@dataclass(frozen=True)
class PredictionsSource(PredictionsFile):
    """The predictions that a command works on, in memory or in parts."""

    engine: Annotated[EngineName, typer.Option("--engine", help="Where parts are worked on.")] = EngineName.local
    scheduler: Scheduler = None

    def words(self) -> str:
        """The predictions as they were told, for a command to try next."""
        told = [
            (f"--{each.name.replace('_', '-')}", getattr(self, each.name))
            for each in fields(self)
            if each.name != "predictions"
        ]
        each = [(name, one) for name, given in told for one in (given if isinstance(given, list) else [given])]
        named = [word for name, one in each if one and not isinstance(one, bool | EngineName) for word in (name, one)]
        named += ["--engine", self.engine.value] if self.engine is not EngineName.local else []
        kind = [] if self.regression is None else ["--regression" if self.regression else "--classification"]
        kind += ["--scores"] * self.scores
        return words_of(*self.predictions, *named, *kind)

    def read(self, *, in_parts: bool = False) -> "Predictions":
        """The predictions; `in_parts`: whether they may stay where they are stored."""
        from adjudge.errors import InputError
        from adjudge.io import read

        do_without_pandas()
        load_later("numpy", "f2py", "testing")  # scipy asks numpy for all that it has
        predictions = read(
            self.predictions,
            **self.options(),
            memory=self.memory,
            engine=self.engine.value,
            scheduler=self.scheduler,
        )
        if predictions.in_parts and not in_parts:
            raise InputError(
                f"this needs all predictions of {self.path.name} in memory, and they are read in parts; give "
                "more memory (--memory) without --engine, or use `check`, or `rank` or `select` with a method for parts"
            )
        if self.normalize == "auto" and predictions.normalization is not None:
            note(predictions.normalization.sentence())
        return predictions


@dataclass(frozen=True)
class KnownLabels:
    """The labels that a command cannot do without."""

    labels: Annotated[
        Path | None, typer.Option("--labels", help="Labels so far: CSV or Parquet; scores need none.")
    ] = None
    drawn: HowDrawn = None

    def read(self, source: PredictionsSource) -> "tuple[Predictions, Labels]":
        """The pool and its labels."""
        from adjudge.errors import InputError

        predictions, labels = LabelsSoFar(self.labels, self.drawn).read(source)
        if labels is None:
            raise InputError("this takes labels, and none are given; add --labels FILE")
        return predictions, labels


@dataclass(frozen=True)
class PoolSource(PredictionsSource):
    """The predictions that a command works on, of which only some models may be wanted."""

    only: Annotated[
        str, typer.Option("--only", help="Only these models, such as finalists: A,B,C. Labels drawn for all are valid.")
    ] = ""
    without: Annotated[
        str, typer.Option("--without", help="All models but these, such as runs that were cut off: A,B.")
    ] = ""
    judge: Annotated[
        list[Path] | None,
        typer.Option("--judge", help="Scores by a judge, higher is better; never the truth. Repeatable."),
    ] = None

    def read(self, *, in_parts: bool = False) -> "Predictions":
        predictions = self.all_models(in_parts=in_parts)
        predictions = predictions.only(names_in(self.only)) if self.only else predictions
        return predictions.only(all_but(names_in(self.without), predictions)) if self.without else predictions

    def all_models(self, *, in_parts: bool) -> "Predictions":
        """The predictions with what is known beside them, which may be about models that are left out."""
        from adjudge.io import read_judge

        predictions = super().read(in_parts=in_parts)
        for file in self.judge or []:
            predictions = read_judge(file, predictions, id=self.id)
        return predictions


@dataclass(frozen=True)
class PricedSource(PoolSource):
    """The same, and what models cost."""

    prices: Annotated[
        Path | None,
        typer.Option("--prices", help="CSV of model,cost,latency for a sample. (default: as the predictions say)"),
    ] = None

    def words(self) -> str:
        """Without prices, which the commands to try next do not ask for."""
        return PoolSource.words(replace(self, prices=None))

    def all_models(self, *, in_parts: bool) -> "Predictions":
        from adjudge.io import read_prices

        predictions = super().all_models(in_parts=in_parts)
        return predictions if self.prices is None else read_prices(self.prices, predictions)


@dataclass(frozen=True)
class LabelsSoFar:
    """The labels that there are, if any."""

    labels: Annotated[Path | None, typer.Option("--labels", help="Labels so far: CSV or Parquet.")] = None
    drawn: HowDrawn = None

    def read(
        self, source: PredictionsSource, predictions: "Predictions | None" = None
    ) -> "tuple[Predictions, Labels | None]":
        """The pool, if it is not read yet, and its labels."""
        from adjudge.errors import InputError
        from adjudge.io import read_labels
        from adjudge.losses.loss import graded_samples

        predictions = source.read() if predictions is None else predictions
        if self.labels is not None:
            return read_labels(
                self.labels, predictions, drawn=self.drawn, id=source.id, label_column=source.label_column
            )
        if self.drawn is not None:
            raise InputError("--drawn says how labels were chosen, and no labels are given; add --labels FILE")
        return predictions, graded_samples(predictions)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of its groups: the fields of each parameter that is a dataclass.

    How predictions are read is told last, since it is seldom needed.
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {each.name: each.annotation for each in own if is_dataclass(each.annotation)}
    first: list[inspect.Parameter] = []
    last: list[inspect.Parameter] = []
    for each in own:
        options = _options(each.annotation) if each.name in groups else [each.replace(kind=each.KEYWORD_ONLY)]
        of_predictions = each.name in groups and issubclass(each.annotation, PredictionsSource)
        for option in options:
            late = of_predictions and option.default is not option.empty
            (last if late else first).append(option)

    @wraps(command)
    def wrapper(**given: Any) -> None:
        packed = {
            name: group(**{each.name: given.pop(each.name) for each in fields(group)}) for name, group in groups.items()
        }
        command(**packed, **given)

    wrapper.__signature__ = inspect.Signature([*first, *last])  # type: ignore[attr-defined]
    wrapper.__annotations__ = {each.name: each.annotation for each in (*first, *last)}
    del wrapper.__wrapped__
    return wrapper


def _options(group: Any) -> list[inspect.Parameter]:
    """The fields of a group as parameters of a command."""
    told = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=told[each.name],
            default=inspect.Parameter.empty if each.default is MISSING else each.default,
        )
        for each in fields(group)
    ]
