"""`adjudge export`: what other tools read."""

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.groups import PredictionsSource, with_options
from adjudge.cli.inputs import words_of
from adjudge.cli.output import WholeSentences, note
from adjudge.cli.users import secret_from

app = typer.Typer(cls=WholeSentences, no_args_is_help=True, help="Write what other tools read.")
Out = Annotated[Path, typer.Option("--out", help="Where to write.")]
Plan = Annotated[Path | None, typer.Option("--plan", help="Samples to label, from `adjudge select`. (default: all)")]
ProjectFolder = Annotated[Path, typer.Argument(help="The folder that `adjudge label` made.", show_default=False)]
Database = Annotated[
    str | None, typer.Option("--database", envvar="ADJUDGE_DATABASE", help="Its database, if that needs a password.")
]


DatabaseFile = Annotated[Path | None, typer.Option("--database-file", help="File that holds that address.")]


@app.command("log")
def log(project: ProjectFolder, out: Out, database: Database = None, database_file: DatabaseFile = None) -> None:
    """Write a project's labels with every weight: CSV, Parquet, or JSON with all answers.

    Example: adjudge export log predictions.adjudge --out labels.csv
    """
    from adjudge.core.index import counted
    from adjudge.labeling.exchange import export_log

    labels, agreement = export_log(project, out, database=secret_from(database, database_file, "database"))
    count, noise, waiting = labels.labeled, agreement.noise, int((~labels.answered).sum())
    blank = f", and {counted(waiting, 'sample')} still without one" * (waiting > 0)
    note(f"{counted(count, 'label')} {'is' if count == 1 else 'are'} in {out}{blank}")
    if noise:
        note(f"people disagree on some labels; to allow for that: adjudge rank --labels {out} --label-noise {noise!r}")


@app.command("merged")
def merged(project: ProjectFolder, out: Out, database: Database = None, database_file: DatabaseFile = None) -> None:
    """Write which answers are the same, as people found while they labeled: a table for --normalize.

    Example: adjudge export merged predictions.adjudge --out same.csv
    """
    from adjudge.labeling.exchange import export_merged

    told = export_merged(project, out, database=secret_from(database, database_file, "database"))
    note(f"answers are compared as in the project with: --normalize {words_of(told)}")


@app.command("folder")
def folder(project: ProjectFolder, out: Out, database: Database = None, database_file: DatabaseFile = None) -> None:
    """Write the labeled samples as a folder in the style of Hugging Face datasets: files and metadata.csv.

    Example: adjudge export folder predictions.adjudge --out labeled
    """
    from adjudge.core.index import counted
    from adjudge.labeling.exchange import export_folder

    count = export_folder(project, out, database=secret_from(database, database_file, "database"))
    note(f"{counted(count, 'labeled sample')} {'is' if count == 1 else 'are'} in {out}")


@app.command("dataset")
@with_options
def dataset(source: PredictionsSource, out: Out) -> None:
    """Write predictions as a folder that Hugging Face datasets opens (load_from_disk); every command reads it too.

    Example: adjudge export dataset predictions.csv --out pool
    """
    from adjudge.io.predictions.dataset_export import write_dataset

    write_dataset(source.read(), out)
    note(f"the predictions are in {out}; then: datasets.load_from_disk({str(out)!r}), or adjudge rank {words_of(out)}")


@app.command("label-studio")
@with_options
def label_studio(
    source: PredictionsSource,
    out: Out,
    plan: Plan = None,
    data: Annotated[Path | None, typer.Option("--data", help="Texts or rows to show: a folder or a table.")] = None,
    media: Annotated[str | None, typer.Option("--media", help="Address under which the images are served.")] = None,
    hide: Annotated[bool, typer.Option("--hide-models", help="Leave out what the models said.")] = False,
) -> None:
    """Write tasks for Label Studio, and the labeling interface for them.

    Example: adjudge export label-studio predictions.csv --plan plan.csv --out tasks.json
    """
    from adjudge.io import read_labels
    from adjudge.labeling.exchange import export_label_studio

    predictions, log = source.read(), None
    if plan is not None:
        predictions, log = read_labels(plan, predictions, id=source.id, label_column=source.label_column)
    count = export_label_studio(predictions, out, plan=log, data=data, media=media, hide=hide)
    config = out.with_suffix(".xml")
    note(f"{count} tasks are in {out}; paste {config} into the labeling interface of the project")
