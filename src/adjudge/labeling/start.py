"""Begin a labeling project or go on with one, and open its page."""

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.core.index import fingerprint
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.rank import metric_loss
from adjudge.decisions.recommend import MARGIN
from adjudge.decisions.stopping import StoppingRule
from adjudge.decisions.until import checked_rule, mean_only
from adjudge.errors import AdjudgeError, InputError
from adjudge.io import graded
from adjudge.io.files import PathLike
from adjudge.io.predictions.normalize import merges_of
from adjudge.io.predictions.scores import ungraded
from adjudge.labeling.session.project import (
    FACTS,
    PREDICTIONS,
    SETTINGS,
    Project,
    ProjectSettings,
    changed,
    create,
    is_project,
    open_project,
)
from adjudge.losses.loss import named_loss
from adjudge.models.extras import extra
from adjudge.registry import DEFAULT_SELECTOR, aimed

if TYPE_CHECKING:
    from adjudge.labeling.web.access import Access
    from adjudge.labeling.web.serve import Address


def label_project(
    folder: PathLike,
    predictions: Predictions | None = None,
    *,
    labels: Labels | None = None,
    database: str | None = None,
    **settings: Any,
) -> Project:
    """The labeling project in a folder, or a new one.

    Parameters
    ----------
    folder
        What it holds is a project: predictions, settings and labels.
    predictions
        The pool to label; not needed where the project exists.
    labels
        Labels that a new project begins with.
    database
        The address of a PostgreSQL database, for teams; by default, labels are in a file of the folder.
    **settings
        Fields of `ProjectSettings`. An existing project takes over those that may change while it runs.
    """
    extra("sqlalchemy", "label", "labeling")
    from adjudge.labeling.session.engine import without_password
    from adjudge.labeling.session.session import Session

    place = Path(folder)
    told = {name: value for name, value in settings.items() if value is not None}
    told |= {} if database is None else {"database": without_password(database)}
    if not is_project(place):
        if predictions is None:
            raise InputError(f"{place} is not a labeling project; give the predictions to begin one with")
        pool, told = _with_grades(predictions, labels, told)
        told |= _aimed(told)
        kept = ProjectSettings(**told, given=0 if labels is None else len(labels))
        _check(pool, told)
        first = predictions.whole if merges_of(predictions) and predictions.whole else ungraded(predictions)
        return _begin(create(place, first, kept), database, predictions, labels)
    project = open_project(place)
    if predictions is not None and project.settings.pool != fingerprint(predictions.samples):
        raise InputError(f"{place} is a project with other samples; choose another folder with --project")
    before = {name: getattr(project.settings, name) for name in ("metric", "positive")}
    _check(project.predictions, told | before)  # another metric is refused below
    if database is not None:
        project.check_database()
        Session.open(project, database).close()
    return changed(project, told)


@dataclass(frozen=True)
class LabelingPage:
    """Where the page of a project is, and who may open it.

    Parameters
    ----------
    host
        The address to serve at.
    port
        0 is any that is free.
    public
        The host name of the proxy in front of the page, if there is one.
    token
        The password that everybody needs; on this machine alone, nobody needs one.
    users
        A file that `adjudge users add` writes, with a password and a role for each, in place of the token.
    local_token
        Whether a token is made that is part of the address of the page, for a machine that others use too.
    workers
        How many web processes there are; more than one needs PostgreSQL.
    name
        Who labels where nobody is asked; by default, the name of the user.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    public: str | None = None
    token: str | None = None
    users: PathLike | None = None
    name: str | None = None
    local_token: bool = False
    workers: int = 1

    def check(self) -> "tuple[Access, Address]":
        """Refuse what would not be safe, or could not be."""
        for module in ("fastapi", "uvicorn", "itsdangerous"):
            extra(module, "label", "the labeling page")
        from adjudge.labeling.web.access import Access
        from adjudge.labeling.web.serve import Address
        from adjudge.labeling.web.users import UsersFile

        users = None if self.users is None else UsersFile(Path(self.users))
        if users is not None:
            users.current()
        if self.local_token and (self.token or users):
            raise InputError("--local-token makes a token of its own; leave out --token and --users")
        token = secrets.token_urlsafe(24) if self.local_token else self.token
        access = Access("", token, users, self.name or user_name(), link=self.local_token)
        address = Address(self.host, self.port, self.public, self.workers)
        address.check(access)
        return access, address


def serve(
    project: Project,
    page: LabelingPage | None = None,
    *,
    database: str | None = None,
    browser: bool = True,
    told: Callable[[str], None] = print,
) -> None:
    """Serve the page of a project until it is interrupted.

    Parameters
    ----------
    project
        What `label_project` returns.
    database
        Its database, if that is not in its folder.
    browser
        Whether to open the page here.
    told
        Is told the address of the page.
    """
    access, address = (page or LabelingPage()).check()
    from adjudge.labeling.web.access import Ended, kept_secret
    from adjudge.labeling.web.serve import run_page

    ended = Ended(project.folder / "ended")
    run_page(
        project, database, replace(access, secret=kept_secret(project.folder), ended=ended), address, told, browser
    )


def user_name() -> str:
    """Who works here."""
    try:
        return getuser()
    except (OSError, KeyError):  # no such user, as in some containers
        return "me"


def _with_grades(
    predictions: Predictions, labels: Labels | None, told: dict[str, Any]
) -> tuple[Predictions, dict[str, Any]]:
    """The pool to be graded and its range, as it is told now or by the labels that were read, if labels are grades.

    The stopping rule follows from it, unless another is told: a margin is in the units of the grades.
    """
    grades, span = predictions.grades, told.get("grade")
    if grades is None and span is None:
        return predictions, told
    if grades is not None and grades.texts is None:
        raise InputError("these predictions are scores, and the answers are not known, so nobody can grade them here")
    if grades is None and labels is not None:
        raise InputError("grades are asked for, and the labels given are not grades; leave out one of the two")
    span = grades.span if span is None and grades is not None else span
    if span is None:
        raise InputError("these labels are grades, and their range is not known; add --grade LOW HIGH")
    pool = graded(predictions, *span)
    rule = {"until": str(StoppingRule(MARGIN * (span[1] - span[0])))}
    return pool, rule | told | {"grade": (float(span[0]), float(span[1]))}


def _aimed(told: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a method that can draw for the metric."""
    method, options = told.get("method", DEFAULT_SELECTOR), told.get("options")
    found = aimed(method, options, told.get("metric"), told.get("positive"), strict=False)
    return {} if found is None else {"options": found}


def _begin(project: Project, database: str | None, given: Predictions, labels: Labels | None) -> Project:
    """Open a new project's database for the first time; a project that cannot begin is none."""
    from adjudge.labeling.session.give import give
    from adjudge.labeling.session.session import Session

    try:
        session = Session.open(project, database)
        if labels is not None:
            give(session, labels, given)
        session.close()
    except AdjudgeError:
        for file in (SETTINGS, PREDICTIONS, FACTS):
            (project.folder / file).unlink(missing_ok=True)
        with suppress(OSError):  # it holds something else
            project.folder.rmdir()
        raise
    return project


def _check_metric(predictions: Predictions, told: Mapping[str, Any]) -> None:
    """Refuse a metric that the predictions cannot have, and what cannot be combined with it."""
    metric, empty = told.get("metric"), Labels.empty(len(predictions.samples))
    pair = metric_loss(predictions, empty, metric, told.get("positive"))
    if told.get("loss") is not None:
        raise InputError(f"{metric} cannot be combined with a loss; leave out one of the two")
    if told.get("range") is not None and (pair is None or predictions.classes is not None):
        raise InputError(f"{metric} has no use for --range; leave it out")
    if "until" in told:
        pool, loss = mean_only(predictions, empty, metric, told.get("positive"))
        checked_rule(told["until"], pool, loss)


def _check(predictions: Predictions, told: Mapping[str, Any]) -> None:
    """What is told must be of use before any of it is kept."""
    from adjudge.labeling.web.template import read_guidelines, read_template
    from adjudge.models.datasets.contents import Samples

    metric, positive = told.get("metric"), told.get("positive")
    if metric is not None or positive is not None:
        _check_metric(predictions, told)
    else:
        named_loss(told.get("loss"), told.get("range"), predictions)
        if "until" in told:
            checked_rule(told["until"], predictions)
    if "data" in told:
        Samples.of(predictions, Path(told["data"]))
    if "template" in told:
        read_template(Path(told["template"]))
    if "guidelines" in told:
        read_guidelines(Path(told["guidelines"]))
