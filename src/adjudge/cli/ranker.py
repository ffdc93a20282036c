"""The options of commands that rank."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.inputs import Cluster, LabelNoise, Metric, OptionList, told_options

if TYPE_CHECKING:
    from adjudge.core.losses import Loss
    from adjudge.decisions.rank import RankOptions


@dataclass(frozen=True)
class RankerOptions:
    """How models are ranked."""

    method: Annotated[
        str | None,
        typer.Option("--method", help="How to rank; see `adjudge methods`. (default: what suits the labels)"),
    ] = None
    option: OptionList = None
    metric: Annotated[
        Metric | None, typer.Option("--metric", help="What to rank by. (default: accuracy, or the loss)")
    ] = None
    positive: Annotated[str | None, typer.Option("--class", help="The class of --metric f1.")] = None
    label_noise: LabelNoise = 0.0
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            help="A loss that does not matter, for the recommendation. (default: 0.01, or 5% of an MSE or cost)",
        ),
    ] = None
    cluster: Cluster = None

    def read(self, loss: "Loss | None") -> "RankOptions":
        from adjudge.decisions.rank import RankOptions

        metric, told = self.metric.value if self.metric else None, told_options(self.option)
        return RankOptions(self.method, loss, told, metric, self.positive, self.label_noise, self.margin, self.cluster)
