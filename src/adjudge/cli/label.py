"""`adjudge label`: label in the browser, alone or together."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.groups import LabelsSoFar, LossOptions, PredictionsSource, with_options
from adjudge.cli.inputs import OptionList, SeedOrNone, SelectMethod, Until, rule_of, told_options
from adjudge.cli.output import note

if TYPE_CHECKING:
    from adjudge.core.labels import Labels
    from adjudge.core.predictions import Predictions
    from adjudge.labeling.session.project import Project
    from adjudge.labeling.web.access import Access
    from adjudge.labeling.web.serve import Address


@dataclass(frozen=True)
class SettingsOptions:
    """The settings of a project, as far as they are told."""

    data: Annotated[
        Path | None,
        typer.Option("--data", help="What to show: a folder of images, sounds or texts, a table, or arrays."),
    ] = None
    template: Annotated[Path | None, typer.Option("--template", help="HTML with {{ column }} for each sample.")] = None
    method: SelectMethod = None
    option: OptionList = None
    until: Until = None
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

    def told(self, loss: LossOptions) -> dict[str, object]:
        """By the names of the project's settings; None where nothing is told."""
        from adjudge.labeling.session.store import without_password

        return {
            "method": self.method,
            "options": told_options(self.option) or None,
            "seed": self.seed,
            "until": self.until,
            "loss": loss.loss,
            "range": loss.span,
            "budget": self.budget,
            "overlap": self.overlap,
            "share": self.share,
            "lease": None if self.lease is None else 60 * self.lease,
            "data": None if self.data is None else str(self.data),
            "template": None if self.template is None else str(self.template),
            "database": None if self.database is None else without_password(self.database),
        }

    def check(self, predictions: "Predictions", loss: LossOptions) -> None:
        """What is told must be of use before any of it is kept."""
        from adjudge.errors import InputError
        from adjudge.models.datasets.contents import Samples

        loss.read(predictions)
        if self.until is not None:
            rule_of(self.until, predictions)
        if self.data is not None:
            Samples.of(predictions, self.data)
        if self.template is not None and not self.template.is_file():
            raise InputError(f"the template {self.template} does not exist; check the path")


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
    users: Annotated[Path | None, typer.Option("--users", help="File of name:password lines, instead of --token.")] = (
        None
    )
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True

    def read(self, person: str) -> "tuple[Access, Address]":
        """What cannot be is told before a project is made."""
        from adjudge.models.extras import extra

        for module in ("fastapi", "uvicorn", "itsdangerous"):
            extra(module, "label", "the labeling page")
        from adjudge.labeling.web.access import Access, read_users
        from adjudge.labeling.web.serve import Address

        access = Access("", self.token, None if self.users is None else read_users(self.users), person)
        address = Address(self.host, self.port, self.public)
        address.check(access)
        return access, address


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
    from adjudge.models.extras import extra

    extra("sqlalchemy", "label", "labeling")
    person = name or _user()
    access = None if terminal else page.read(person)
    opened = _open(source, project, settings, loss, labels)
    if access is None:
        from adjudge.cli.terminal import label_here

        label_here(opened, settings.database, person)
        return
    _serve(opened, settings.database, access, page.browser)


def _serve(project: "Project", database: str | None, page: "tuple[Access, Address]", browser: bool) -> None:
    from dataclasses import replace

    from adjudge.labeling.web.access import kept_secret
    from adjudge.labeling.web.serve import serve

    access, address = page

    def told(url: str) -> None:
        note(f"{project.settings.name} is at {url} (the project is in {project.folder}); stop with Ctrl-C")

    serve(project, database, replace(access, secret=kept_secret(project.folder)), address, told, browser)


def _open(
    source: PredictionsSource, folder: Path | None, settings: SettingsOptions, loss: LossOptions, labels: LabelsSoFar
) -> "Project":
    """The project that exists, or a new one."""
    from adjudge.core.index import fingerprint
    from adjudge.errors import InputError
    from adjudge.labeling.session.project import ProjectSettings, create, folder_for, is_project, open_project

    if is_project(source.predictions):
        return _go_on(open_project(source.predictions), settings, loss, labels.labels)
    folder = folder or folder_for(source.predictions)
    predictions = source.read()
    if is_project(folder):
        found = open_project(folder)
        if found.settings.pool != fingerprint(predictions.samples):
            raise InputError(f"{folder} is a project with other samples; choose another folder with --project")
        return _go_on(found, settings, loss, labels.labels)
    predictions, log = labels.read(source, predictions)
    told = {name: value for name, value in settings.told(loss).items() if value is not None}
    kept = ProjectSettings(**told, given=0 if log is None else len(log))  # type: ignore[arg-type]
    settings.check(predictions, loss)
    return _begin(create(folder, predictions, kept), settings.database, log)


def _begin(project: "Project", database: str | None, log: "Labels | None") -> "Project":
    """Open a new project's database for the first time; a project that cannot begin is none."""
    from contextlib import suppress

    from adjudge.errors import AdjudgeError
    from adjudge.labeling.session.project import FACTS, PREDICTIONS, SETTINGS
    from adjudge.labeling.session.session import Session

    try:
        session = Session.open(project, database)
        if log is not None:
            session.give(log)
        session.close()
    except AdjudgeError:
        for file in (SETTINGS, PREDICTIONS, FACTS):
            (project.folder / file).unlink(missing_ok=True)
        with suppress(OSError):  # it holds something else
            project.folder.rmdir()
        raise
    return project


def _go_on(project: "Project", settings: SettingsOptions, loss: LossOptions, labels: Path | None) -> "Project":
    """The project with what is told anew; what cannot be used is not kept."""
    from adjudge.labeling.session.project import changed
    from adjudge.labeling.session.session import Session

    if labels is not None:
        note(f"{labels} is ignored: labels can only be given when a project is created")
    settings.check(project.predictions, loss)
    if settings.database is not None:
        project.check_database()
        Session.open(project, settings.database).close()
    return changed(project, settings.told(loss))


def _user() -> str:
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError):  # no such user, as in some containers
        return "me"
