"""`adjudge label`: label in the browser, alone or together."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.groups import LabelsSoFar, PredictionsSource, with_options
from adjudge.cli.inputs import (
    LevelOrNone,
    MetricName,
    OptionList,
    PositiveClass,
    SeedOrNone,
    SelectMethod,
    Until,
    told_options,
)
from adjudge.cli.losses import LossOptions
from adjudge.cli.output import busy, note
from adjudge.cli.users import secret_from

if TYPE_CHECKING:
    from adjudge.labeling.session.project import Project
    from adjudge.labeling.start import LabelingPage


@dataclass(frozen=True)
class SettingsOptions:
    """The settings of a project, as far as they are told."""

    data: Annotated[
        Path | None,
        typer.Option("--data", help="What to show: a folder of images, sounds or texts, a table, or arrays."),
    ] = None
    template: Annotated[Path | None, typer.Option("--template", help="HTML with {{ column }} for each sample.")] = None
    guidelines: Annotated[
        Path | None, typer.Option("--guidelines", help="Markdown that labelers can open on the page.")
    ] = None
    hide_ranking: Annotated[
        bool | None, typer.Option("--hide-ranking/--show-ranking", help="Whether labelers do not see the ranking.")
    ] = None
    grade: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--grade", help="Labels are grades in this range, one for each answer to a sample.", metavar="LOW HIGH"
        ),
    ] = None
    method: SelectMethod = None
    option: OptionList = None
    until: Until = None
    metric: MetricName = None
    positive: PositiveClass = None
    level: LevelOrNone = None
    budget: Annotated[int | None, typer.Option("--budget", min=1, help="Hand out no more samples than this.")] = None
    overlap: Annotated[
        int | None,
        typer.Option(
            "--overlap", min=1, help="How many people label the same sample, on a share of samples. (default: 1)"
        ),
    ] = None
    share: Annotated[
        float | None,
        typer.Option("--overlap-share", help="The share of samples that several people label. (default: 0.1)"),
    ] = None
    lease: Annotated[
        float | None, typer.Option("--lease", help="Minutes until a sample goes to somebody else. (default: 10)")
    ] = None
    seed: SeedOrNone = None
    database: Annotated[
        str | None,
        typer.Option("--database", envvar="ADJUDGE_DATABASE", help="PostgreSQL for teams: postgresql://USER@HOST/NAME"),
    ] = None
    database_file: Annotated[
        Path | None,
        typer.Option("--database-file", help="File that holds that address, so that no list of processes shows it."),
    ] = None

    @property
    def address(self) -> str | None:
        """The address of the database, wherever it is told."""
        return secret_from(self.database, self.database_file, "database")

    def told(self, loss: LossOptions) -> dict[str, object]:
        """By the names of the project's settings; None where nothing is told."""
        return {
            "method": self.method,
            "options": told_options(self.option) or None,
            "seed": self.seed,
            "until": self.until,
            "metric": self.metric,
            "positive": self.positive,
            "level": self.level,
            "loss": loss.loss,
            "range": loss.span,
            "grade": self.grade,
            "budget": self.budget,
            "overlap": self.overlap,
            "share": self.share,
            "lease": None if self.lease is None else 60 * self.lease,
            "data": None if self.data is None else str(self.data),
            "template": None if self.template is None else str(self.template),
            "guidelines": None if self.guidelines is None else str(self.guidelines),
            "hide_ranking": self.hide_ranking,
        }


@dataclass(frozen=True)
class PageOptions:
    """Where the page is, and who may open it."""

    host: Annotated[str, typer.Option("--host", help="Address to serve at.")] = "127.0.0.1"
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to serve at; 0: any.")] = 8765
    public: Annotated[
        str | None, typer.Option("--public", help="Host name of the proxy in front of the page, if there is one.")
    ] = None
    token: Annotated[
        str | None,
        typer.Option("--token", envvar="ADJUDGE_TOKEN", help="Password that everybody needs to open the page."),
    ] = None
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="File that holds it, so that no list of processes shows it.")
    ] = None
    users: Annotated[
        Path | None, typer.Option("--users", help="File that `adjudge users add` writes, instead of --token.")
    ] = None
    local_token: Annotated[
        bool, typer.Option("--local-token", help="Only who has the printed link may open the page on this machine.")
    ] = False
    workers: Annotated[int, typer.Option("--workers", min=1, help="Web processes; above 1 needs PostgreSQL.")] = 1
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True

    def read(self, person: str) -> "LabelingPage":
        """The page; what cannot be is told before a project is made."""
        from adjudge.labeling.start import LabelingPage

        token = secret_from(self.token, self.token_file, "token")
        page = LabelingPage(
            self.host, self.port, self.public, token, self.users, person, self.local_token, self.workers
        )
        page.check()
        return page


@with_options
def label(
    source: PredictionsSource,
    settings: SettingsOptions,
    loss: LossOptions,
    labels: LabelsSoFar,
    page: PageOptions,
    project: Annotated[
        Path | None, typer.Option("--project", help="Folder of the project. (default: beside the predictions)")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Who labels. (default: your user name)")] = None,
    terminal: Annotated[bool, typer.Option("--terminal", help="Label in this terminal instead of a browser.")] = False,
) -> None:
    """Label in the browser, with the ranking beside it, until the best model is decided.

    The first call makes a project: a folder that holds predictions, settings and labels. Give the same predictions or
    the folder to go on. A label that the page has confirmed is never lost.

    Example: adjudge label predictions.csv --data images
    """
    from adjudge.labeling.start import serve, user_name
    from adjudge.models.extras import extra

    extra("sqlalchemy", "label", "labeling")
    person = name or user_name()
    shown = None if terminal else page.read(person)
    with busy("reading the predictions and opening the project"):
        opened = _open(source, project, settings, loss, labels)
    if shown is None:
        from adjudge.cli.terminal import label_here

        label_here(opened, settings.address, person)
        return
    with ExitStack() as starting:
        starting.enter_context(busy("starting the page"))

        def told(url: str) -> None:
            starting.close()
            note(f"{opened.settings.name} is at {url} (the project is in {opened.folder}); stop with Ctrl-C")

        serve(opened, shown, database=settings.address, browser=page.browser, told=told)


def _open(
    source: PredictionsSource,
    folder: Path | None,
    settings: SettingsOptions,
    loss: LossOptions,
    labels: LabelsSoFar,
) -> "Project":
    """The project that exists, or a new one."""
    from adjudge.labeling.session.project import folder_for, is_project
    from adjudge.labeling.start import label_project

    exists, log = is_project(source.path), None
    several = source.path.absolute().parent / "pool"  # of several files, none of which is the name of all
    place = source.path if exists else folder or folder_for(source.path if len(source.predictions) == 1 else several)
    predictions = None if exists else source.read()
    if is_project(place):
        if labels.labels is not None:
            note(f"{labels.labels} is ignored: labels can only be given when a project is created")
    else:
        predictions, log = labels.read(source, predictions)
    return label_project(place, predictions, labels=log, database=settings.address, **settings.told(loss))
