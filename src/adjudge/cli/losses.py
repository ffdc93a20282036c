"""The options of commands that judge models: by a loss or by a metric."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli.inputs import LossName, MetricName, PositiveClass

if TYPE_CHECKING:
    from adjudge.core.predictions import Predictions
    from adjudge.losses.loss import Loss


@dataclass(frozen=True)
class LossOptions:
    """What a wrong prediction costs."""

    loss: Annotated[
        LossName | None, typer.Option("--loss", help="The loss. (default: zero-one, or squared for numbers)")
    ] = None
    span: Annotated[
        tuple[float, float] | None,
        typer.Option("--range", help="Lowest and highest possible value, for numbers.", metavar="LOW HIGH"),
    ] = None

    def read(self, predictions: "Predictions") -> "Loss | None":
        """The loss that was asked for; None: the one that suits the predictions."""
        from adjudge.losses.loss import named_loss

        return named_loss(self.loss, self.span, predictions)


@dataclass(frozen=True)
class CostOptions(LossOptions):
    """What a wrong prediction costs, class by class if need be."""

    costs: Annotated[
        Path | None, typer.Option("--costs", help="CSV of costs: true classes as rows, predicted ones as columns.")
    ] = None

    def read(self, predictions: "Predictions") -> "Loss | None":
        from adjudge.errors import InputError
        from adjudge.io import read_costs
        from adjudge.losses.loss import Cost

        if self.costs is None:
            return super().read(predictions)
        if self.loss is not None or self.span is not None:
            raise InputError("--costs cannot be combined with --loss or --range; leave out one or the other")
        return Cost(read_costs(self.costs, predictions))


@dataclass(frozen=True)
class MetricOptions(CostOptions):
    """What a wrong prediction costs, or a metric in place of that."""

    metric: MetricName = None
    positive: PositiveClass = None

    def told(self, predictions: "Predictions") -> "dict[str, Any]":
        """The loss or the metric as arguments of `rank`; a metric with a range becomes a bounded loss."""
        if self.metric is None or self.span is None:
            return {"loss": self.read(predictions), "metric": self.metric, "positive": self.positive}
        from adjudge.core.labels import Labels
        from adjudge.errors import InputError
        from adjudge.inference.metrics.registry import NUMBERS, as_mean, named_metric

        found = None
        if self.loss is None and self.costs is None and named_metric(self.metric).metric.needs == NUMBERS:
            none = Labels.empty(len(predictions.samples))
            found = as_mean(self.metric, predictions, none, self.positive, self.span)
        if found is None:
            raise InputError(f"{self.metric} has no use for --range or --loss; leave them out")
        return {"loss": found[1], "metric": None, "positive": None}
