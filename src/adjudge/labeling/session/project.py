"""A project is one folder: predictions, settings and the database of labels. It can be closed, moved and resumed."""

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyarrow import parquet

from adjudge._version import __version__
from adjudge.api import header_for
from adjudge.core.index import fingerprint
from adjudge.core.labels import Labels, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.decisions.stopping import StoppingRule
from adjudge.errors import InputError
from adjudge.inference.intervals import check_level
from adjudge.inference.metrics.registry import as_mean
from adjudge.io import atomic_write, graded, read, write_predictions
from adjudge.io.files import make_folder
from adjudge.io.predictions.folder import PROJECT
from adjudge.losses.loss import Loss
from adjudge.losses.numbers import Absolute, Squared
from adjudge.registry import DEFAULT_SELECTOR, selector

if TYPE_CHECKING:
    from sqlalchemy import URL

SETTINGS, PREDICTIONS, FACTS, DATABASE = PROJECT, "predictions.npz", "columns.parquet", "labels.db"
SUFFIX = ".adjudge"
PATHS = ("data", "template", "guidelines")
MAY_CHANGE = (
    "name",
    "until",
    "loss",
    "range",
    "level",
    "overlap",
    "share",
    "lease",
    *PATHS,
    "hide_ranking",
    "database",
)
LEASE = 600.0  # seconds until a sample that was handed out and not answered goes to somebody else


@dataclass(frozen=True)
class ProjectSettings:
    """What a project was begun with.

    Parameters
    ----------
    method
        How samples are chosen, with `options` and `seed`, as by `select`.
    until
        The stopping rule, as of `until`.
    loss
        For numbers: squared or absolute.
    range
        For numbers: the lowest and the highest there can be.
    metric, positive
        The metric that labels are drawn for and models are ranked by, and its class if it is about one, as of `rank`.
    level
        The confidence level of intervals and of the stopping rule.
    grade
        The lowest and the highest grade, where labels are a grade for each answer to a sample, as of `graded`.
    budget
        How many samples are handed out; None: as long as there are some.
    overlap
        How many people label a sample, for a `share` of samples.
    lease
        Seconds until a sample that was handed out and not answered goes to somebody else.
    data, template, guidelines
        What to show, how, and what labelers should know; relative to the folder where that is possible.
    hide_ranking
        Whether labelers do not see the ranking.
    database
        Without its password; None: inside the folder.
    given
        Rows of the log that existed before.
    """

    name: str = ""
    method: str = DEFAULT_SELECTOR
    options: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    until: str = "likely within 0.01"
    loss: str | None = None
    range: tuple[float, float] | None = None
    metric: str | None = None
    positive: str | None = None
    level: float = 0.95
    grade: tuple[float, float] | None = None
    budget: int | None = None
    overlap: int = 1
    share: float = 0.1
    lease: float = LEASE
    data: str | None = None
    template: str | None = None
    guidelines: str | None = None
    hide_ranking: bool = False
    database: str | None = None
    id: str = ""
    pool: str = ""
    version: str = ""
    models: tuple[str, ...] = ()
    given: int = 0

    def __post_init__(self) -> None:
        StoppingRule.read(self.until)
        check_level(self.level)
        if self.overlap < 1:
            raise InputError(f"an overlap of {self.overlap} people is less than one; give 1 or more")
        if not 0 < self.share <= 1:
            raise InputError(f"the overlap share {self.share:g} is not above 0 and at most 1")
        if self.lease <= 0:
            raise InputError(f"samples cannot be handed out for {self.lease:g} seconds; give a time above zero")

    def judged(self, predictions: Predictions, labels: Labels) -> tuple[Predictions, Loss | None] | None:
        """The pool and the loss that a stopping rule is about; None: no rule can be applied.

        A metric has to be a mean of losses, and for numbers a range has to say how large an error can be.
        """
        if self.metric is None:
            ruled = predictions.classes is not None or predictions.grades is not None or self.range is not None
            return (predictions, self.stated_loss) if ruled else None
        found = as_mean(self.metric, predictions, labels, self.positive, self.range)
        return found if found is not None and found[1].bounded else None

    @property
    def stated_loss(self) -> Loss | None:
        """What an error costs, where a range says how much that can be: a stopping rule for numbers needs it."""
        if self.range is None:
            return None
        return (Absolute if self.loss == "absolute" else Squared)(*self.range)

    @property
    def header(self) -> RunHeader:
        told = self.method, dict(self.options), self.seed, self.pool, self.version, self.models
        return RunHeader(*told, given=self.given)


@dataclass(frozen=True, eq=False)
class Project:
    """An open project: its folder, what it was begun with, and its pool."""

    folder: Path
    settings: ProjectSettings
    predictions: Predictions

    def url(self, told: str | None = None) -> "str | URL":
        """The address of its database; one that is told now may name another place or a password."""
        from sqlalchemy import URL

        stored = told or os.environ.get("ADJUDGE_DATABASE") or self.settings.database
        return stored or URL.create("sqlite", database=str(self.folder / DATABASE))  # whatever signs its name has

    def check_database(self) -> None:
        """Refuse another database than the folder's own: labels do not follow, and all would look lost."""
        own = self.folder / DATABASE
        if self.settings.database is None and own.exists():
            raise InputError(
                f"the labels of this project are in {own}, and another database does not have them; leave it out, or "
                "write them to a file (adjudge export log) and begin another project with --project and --labels"
            )

    def path_of(self, stored: str | None) -> Path | None:
        """A path of the settings: relative ones move with the folder."""
        return None if stored is None else Path(os.path.normpath(self.folder / stored))


def create(folder: Path, predictions: Predictions, settings: ProjectSettings) -> Project:
    """Make the folder of a new project."""
    if settings.method:
        selector(settings.method, settings.options)  # a slip in a name is told before anything is written
    _check_range(predictions, settings)
    header = header_for(predictions, settings.method, settings.seed, settings.options)
    settings = replace(
        settings,
        name=settings.name or folder.name.removesuffix(SUFFIX),
        id=secrets.token_hex(8),
        pool=header.pool,
        version=__version__,
        models=predictions.models,
        data=_relative(settings.data, folder),
        template=_relative(settings.template, folder),
        guidelines=_relative(settings.guidelines, folder),
    )
    for name in (PREDICTIONS, FACTS):
        if (folder / name).exists():
            raise InputError(
                f"{folder / name} is there already, and a new project would write over it; name another folder with "
                "--project"
            )
    make_folder(folder)
    write_predictions(replace(predictions, columns=None), folder / PREDICTIONS)
    if predictions.columns is not None:
        with atomic_write(folder / FACTS) as file:
            parquet.write_table(predictions.columns, file)
    write_settings(folder, settings)
    return open_project(folder)


def changed(project: Project, told: Mapping[str, Any]) -> Project:
    """The project with other settings, of those that may change at any time."""
    new = {name: value for name, value in told.items() if value is not None}
    for name in PATHS:
        if name in new:
            new[name] = _relative(new[name], project.folder)
    for name, value in new.items():
        if name not in MAY_CHANGE and value != getattr(project.settings, name):
            raise InputError(
                f"this project has the {name} {getattr(project.settings, name)!r}, which cannot change while it runs; "
                "leave it out, or begin another with --project"
            )
    settings = replace(project.settings, **new)
    if settings == project.settings:
        return project
    _check_range(project.predictions, settings)
    write_settings(project.folder, settings)
    return replace(project, settings=settings)


def write_settings(folder: Path, settings: ProjectSettings) -> None:
    with atomic_write(folder / SETTINGS) as file:
        file.write(json.dumps(asdict(settings), indent=2).encode())


def open_project(folder: Path) -> Project:
    """The project in a folder, wherever that is now."""
    try:
        told: dict[str, Any] = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        told |= {name: tuple(told[name]) for name in ("models", "range", "grade") if told.get(name) is not None}
        settings = ProjectSettings(**told)
    except FileNotFoundError:
        raise InputError(f"{folder} is not a labeling project; begin one with `adjudge label PREDICTIONS`") from None
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"{folder / SETTINGS} cannot be read ({problem}); restore it from a copy") from None
    predictions = read(folder / PREDICTIONS)
    if (folder / FACTS).exists():
        predictions = replace(predictions, columns=parquet.read_table(folder / FACTS))
    if fingerprint(predictions.samples) != settings.pool:
        raise InputError(f"{folder / PREDICTIONS} is not the pool that this project began with; restore it from a copy")
    if settings.grade is not None:
        predictions = graded(predictions, *settings.grade)
    return Project(folder.resolve(), settings, predictions)


def _check_range(predictions: Predictions, settings: ProjectSettings) -> None:
    """Refuse a range that is none, or that the predictions leave."""
    loss = settings.stated_loss
    if settings.grade is not None and (loss is not None or settings.loss is not None):
        raise InputError("--range and --loss are for numbers, and these labels are grades; leave them out")
    if loss is None:
        return
    if predictions.classes is not None:
        raise InputError("a range is for numbers, but these predictions are classes; leave out --range")
    for row in predictions.values:
        loss(row[None], row)


def is_project(path: Path) -> bool:
    return (path / SETTINGS).is_file()


def folder_for(predictions: Path) -> Path:
    """Where the project of some predictions is, if nothing else is said: beside them."""
    return predictions.with_name(f"{predictions.stem}{SUFFIX}")


def _relative(path: str | None, folder: Path) -> str | None:
    return None if path is None else os.path.relpath(path, folder)
