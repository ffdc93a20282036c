"""`adjudge label`: label in the browser, alone or together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.inputs import (
    HowDrawn,
    LabelsFile,
    LossOption,
    OptionList,
    PredictionsSource,
    Range,
    SeedOrNone,
    SelectMethod,
    Until,
    loss_of,
    rule_of,
    told_options,
    with_source,
)
from adjudge.cli.output import note

if TYPE_CHECKING:
    from adjudge.core.labels import Labels
    from adjudge.core.predictions import Predictions
    from adjudge.labeling.session.project import Project
    from adjudge.labeling.web.access import Access
    from adjudge.labeling.web.serve import Address


@with_source
def label(
    source: PredictionsSource,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="What to show: a folder of images, sounds or texts, a table, or arrays."),
    ] = None,
    template: Annotated[Path | None, typer.Option("--template", help="HTML with {{ column }} for each sample.")] = None,
    project: Annotated[
        Path | None, typer.Option("--project", help="Folder of the project. (default: beside the predictions)")
    ] = None,
    method: SelectMethod = None,
    option: OptionList = None,
    labels: LabelsFile = None,
    drawn: HowDrawn = None,
    until: Until = None,
    loss: LossOption = None,
    span: Range = None,
    budget: Annotated[int | None, typer.Option("--budget", min=1, help="Hand out no more samples than this.")] = None,
    overlap: Annotated[
        int | None,
        typer.Option(
            "--overlap", min=1, help="How many people label the same sample, on a share of samples. (default: 1)"
        ),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option("--overlap-share", help="The share of samples that several people label. (default: 0.1)"),
    ] = None,
    lease: Annotated[
        float | None, typer.Option("--lease", help="Minutes until a sample goes to somebody else. (default: 10)")
    ] = None,
    database: Annotated[
        str | None,
        typer.Option("--database", envvar="ADJUDGE_DATABASE", help="PostgreSQL for teams: postgresql://USER@HOST/NAME"),
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Who labels. (default: your user name)")] = None,
    host: Annotated[str, typer.Option("--host", help="Address to serve at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to serve at; 0: any.")] = 8765,
    public: Annotated[
        str | None, typer.Option("--public", help="Host name of the proxy in front of the page, if there is one.")
    ] = None,
    token: Annotated[
        str | None,
        typer.Option("--token", envvar="ADJUDGE_TOKEN", help="Password that everybody needs to open the page."),
    ] = None,
    users: Annotated[
        Path | None, typer.Option("--users", help="File of name:password lines, instead of --token.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    terminal: Annotated[bool, typer.Option("--terminal", help="Label in this terminal instead of a browser.")] = False,
    seed: SeedOrNone = None,
) -> None:
    """Label in the browser, with the ranking beside it, until the best model is decided.

    The first call makes a project: a folder that holds predictions, settings and labels. Give the same predictions or
    the folder to go on. A label that the page has confirmed is never lost.

    Example: adjudge label predictions.csv --data images
    """
    from adjudge.models.extras import extra

    extra("sqlalchemy", "label", "labeling")
    from adjudge.labeling.session.store import without_password

    person = name or _user()
    page = None if terminal else _page(host, port, public, token, users, person)
    opened = _open(
        source,
        project,
        database,
        {
            "method": method,
            "options": told_options(option) or None,
            "seed": seed,
            "until": until,
            "loss": loss,
            "range": span,
            "budget": budget,
            "overlap": overlap,
            "share": share,
            "lease": None if lease is None else 60 * lease,
            "data": None if data is None else str(data),
            "template": None if template is None else str(template),
            "database": None if database is None else without_password(database),
        },
        labels,
        drawn,
    )
    if page is None:
        from adjudge.cli.terminal import label_here

        label_here(opened, database, person)
        return
    _serve(opened, database, page, browser)


def _page(
    host: str, port: int, public: str | None, token: str | None, users: Path | None, person: str
) -> "tuple[Access, Address]":
    """Where the page will be and who may come in; what cannot be is told before a project is made."""
    from adjudge.models.extras import extra

    for module in ("fastapi", "uvicorn", "itsdangerous"):
        extra(module, "label", "the labeling page")
    from adjudge.labeling.web.access import Access, read_users
    from adjudge.labeling.web.serve import Address

    access = Access("", token, None if users is None else read_users(users), person)
    address = Address(host, port, public)
    address.check(access)
    return access, address


def _serve(project: "Project", database: str | None, page: "tuple[Access, Address]", browser: bool) -> None:
    from dataclasses import replace

    from adjudge.labeling.web.access import kept_secret
    from adjudge.labeling.web.serve import serve

    access, address = page

    def told(url: str) -> None:
        note(f"{project.settings.name} is at {url} (the project is in {project.folder}); stop with Ctrl-C")

    serve(project, database, replace(access, secret=kept_secret(project.folder)), address, told, browser)


def _open(
    source: PredictionsSource,
    folder: Path | None,
    database: str | None,
    told: dict[str, object],
    labels: Path | None,
    drawn: str | None,
) -> "Project":
    """The project that exists, or a new one."""
    from adjudge.core.index import fingerprint
    from adjudge.errors import InputError
    from adjudge.labeling.session.project import ProjectSettings, create, folder_for, is_project, open_project

    if is_project(source.predictions):
        return _go_on(open_project(source.predictions), database, told, labels)
    folder = folder or folder_for(source.predictions)
    predictions = source.read()
    if is_project(folder):
        found = open_project(folder)
        if found.settings.pool != fingerprint(predictions.samples):
            raise InputError(f"{folder} is a project with other samples; choose another folder with --project")
        return _go_on(found, database, told, labels)
    predictions, log = source.with_labels(predictions, labels, drawn)
    given = {name: value for name, value in told.items() if value is not None}
    settings = ProjectSettings(**given, given=0 if log is None else len(log))  # type: ignore[arg-type]
    _check(predictions, told)
    return _begin(create(folder, predictions, settings), database, log)


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


def _go_on(project: "Project", database: str | None, told: dict[str, object], labels: Path | None) -> "Project":
    """The project with what is told anew; what cannot be used is not kept."""
    from adjudge.labeling.session.project import changed
    from adjudge.labeling.session.session import Session

    if labels is not None:
        note(f"{labels} is ignored: labels can only be given when a project is created")
    _check(project.predictions, told)
    if database is not None:
        project.check_database()
        Session.open(project, database).close()
    return changed(project, told)


def _check(predictions: "Predictions", told: dict[str, object]) -> None:
    """What is told must be of use before any of it is kept."""
    from adjudge.errors import InputError
    from adjudge.models.datasets.contents import Samples

    loss_of(told["loss"], told["range"], None, predictions)  # type: ignore[arg-type]
    if told["until"] is not None:
        rule_of(str(told["until"]), predictions)
    if told["data"] is not None:
        Samples.of(predictions, Path(str(told["data"])))
    if told["template"] is not None and not Path(str(told["template"])).is_file():
        raise InputError(f"the template {told['template']} does not exist; check the path")


def _user() -> str:
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError):  # no such user, as in some containers
        return "me"
