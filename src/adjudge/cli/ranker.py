"""The options of commands that rank."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli.inputs import Cluster, LabelNoise, Level, OptionList, told_options

if TYPE_CHECKING:
    from adjudge.decisions.rank import RankOptions


@dataclass(frozen=True)
class RankerOptions:
    """How models are ranked."""

    method: Annotated[
        str | None,
        typer.Option("--method", help="How to rank; see `adjudge methods`. (default: what suits the labels)"),
    ] = None
    option: OptionList = None
    label_noise: LabelNoise = 0.0
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            help="A loss that does not matter. (default: 0.01; of grades, 1% of their range; 5% of an MSE or cost)",
        ),
    ] = None
    cluster: Cluster = None
    level: Level = 0.95

    def read(self, loss: Mapping[str, Any]) -> "RankOptions":
        """With the loss or the metric that was told (`MetricOptions.told`)."""
        from adjudge.decisions.rank import RankOptions

        return RankOptions(
            method=self.method,
            options=told_options(self.option),
            label_noise=self.label_noise,
            margin=self.margin,
            cluster=self.cluster,
            level=self.level,
            **loss,
        )
