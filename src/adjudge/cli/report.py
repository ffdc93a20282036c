"""`adjudge report`: one page about a pool and its labels, to send to others."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.groups import LabelsSoFar, PricedSource, with_options
from adjudge.cli.inputs import AsJson, LogMlflow, UnusedSeed
from adjudge.cli.losses import MetricOptions
from adjudge.cli.output import note, print_json, progress
from adjudge.cli.rank import RankerOptions, next_command

if TYPE_CHECKING:
    from adjudge.core.labels import Labels
    from adjudge.core.predictions import Predictions
    from adjudge.reports.report import ReportOptions


@dataclass(frozen=True)
class ContentOptions:
    """What a report shows besides the ranking."""

    title: Annotated[str | None, typer.Option("--title", help="Its title. (default: numbers of models, samples)")] = (
        None
    )
    data: Annotated[
        Path | None,
        typer.Option("--data", help="What to show of samples: a folder of images or texts, a table, or arrays."),
    ] = None
    column: Annotated[
        str | None, typer.Option("--slice", help="Rank on each value of this column, named in --columns too.")
    ] = None
    database: Annotated[
        str | None,
        typer.Option(
            "--database", envvar="ADJUDGE_DATABASE", help="The database of a project, if it needs a password."
        ),
    ] = None


@with_options
def report(
    source: PricedSource,
    labels: LabelsSoFar,
    content: ContentOptions,
    ranker: RankerOptions,
    loss: MetricOptions,
    out: Annotated[Path, typer.Option("--out", help="Where to write: .html, .md or .json, by its ending.")] = Path(
        "report.html"
    ),
    log_mlflow: LogMlflow = None,
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Write a report to send to others: what to deploy, how sure that is, and how the labels were drawn.

    One file that needs no network. In place of predictions it also takes the folder of a labeling project.

    Example: adjudge report predictions.csv --labels labels.csv --out report.html
    """
    from adjudge.decisions.history import LENGTHS
    from adjudge.io.files import check_target
    from adjudge.reports.report import gather
    from adjudge.reports.report.facts import report_facts
    from adjudge.reports.report.write import ENDINGS, write

    check_target(out, ENDINGS)
    predictions, log, options = _read(source, labels, content, ranker, loss)
    with progress("chances as labels came in", LENGTHS) as bar:
        found = gather(predictions, log, options, lambda done, total: bar(done))
    write(found, out)
    note(f"the report is in {out}")
    if log_mlflow is not None:
        from adjudge.io.runs.mlflow import shown
        from adjudge.reports.mlflow import log_mlflow as log_report

        note(f"ranking, metrics and report are in the run {log_report(found, log_mlflow)} of {shown(log_mlflow)}")
    if as_json:
        print_json("report", report_facts(found))


def _read(
    source: PricedSource,
    labels: LabelsSoFar,
    content: ContentOptions,
    ranker: RankerOptions,
    loss: MetricOptions,
) -> "tuple[Predictions, Labels | None, ReportOptions]":
    """The pool, its labels, and what is told about them; from files or from a labeling project."""
    from adjudge.labeling.session.project import is_project
    from adjudge.reports.report import ReportOptions

    if is_project(source.path):
        return _read_project(source, labels, content, ranker, loss)
    predictions, log = labels.read(source)
    wanted = ranker.read(loss.told(predictions))
    options = ReportOptions(
        content.title, wanted, content.data, content.column, command=next_command(source, labels, predictions)
    )
    return predictions, log, options


def _read_project(
    source: PricedSource,
    labels: LabelsSoFar,
    content: ContentOptions,
    ranker: RankerOptions,
    loss: MetricOptions,
) -> "tuple[Predictions, Labels, ReportOptions]":
    from adjudge.cli.inputs import words_of
    from adjudge.errors import InputError
    from adjudge.labeling.session.people import people_sentences
    from adjudge.labeling.session.project import open_project
    from adjudge.models.extras import extra
    from adjudge.reports.report import ReportOptions

    if labels.labels is not None or labels.drawn is not None:
        raise InputError(f"{source.path} is a labeling project, which has its labels; leave out --labels and --drawn")
    extra("sqlalchemy", "label", "labeling")
    from adjudge.labeling.session.session import Session

    project = open_project(source.path)
    with closing(Session.open(project, content.database)) as session:
        predictions, log = session.labels()
        people = people_sentences(session)
    told = loss.told(predictions)
    if told["loss"] is None and told["metric"] is None:
        settings = project.settings
        told |= {"metric": settings.metric, "positive": told["positive"] or settings.positive}
        told["loss"] = None if settings.metric else settings.stated_loss
    wanted = ranker.read(told)
    data = content.data or project.path_of(project.settings.data)
    title = content.title or project.settings.name
    command = f"adjudge label {words_of(source.path)}"  # which asks for one label after the other
    return predictions, log, ReportOptions(title, wanted, data, content.column, people, lambda budget: command)
