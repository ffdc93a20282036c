"""Where the runs of an experiment are made."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.inputs import EngineName, Scheduler

if TYPE_CHECKING:
    from adjudge.simulation.engine import Workers


@dataclass(frozen=True)
class WorkersOptions:
    """Processes of this machine, or a cluster."""

    engine: Annotated[EngineName, typer.Option("--engine", help="Where runs are made.")] = EngineName.local
    scheduler: Scheduler = None

    @contextmanager
    def opened(self) -> Iterator["Workers"]:
        """What `simulate` and `bench` in Python take as `workers`."""
        from adjudge.engine import dask_cluster, engine_named

        if self.engine is EngineName.local:
            engine_named(self.engine.value, self.scheduler)  # refuses a scheduler
            yield -1
            return
        with closing(dask_cluster(self.scheduler)) as cluster:
            yield cluster
