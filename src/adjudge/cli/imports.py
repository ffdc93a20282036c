"""`adjudge import`: labels from other tools."""

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.groups import PredictionsSource, with_options
from adjudge.cli.inputs import words_of
from adjudge.cli.output import WholeSentences, note

app = typer.Typer(cls=WholeSentences, no_args_is_help=True, help="Read labels from other tools.")


@app.callback()
def options() -> None:
    """Read labels from other tools."""


@app.command("label-studio")
@with_options
def label_studio(
    source: PredictionsSource,
    out: Annotated[Path, typer.Option("--out", help="Write the log here: CSV, Parquet or JSON.")],
    export: Annotated[Path | None, typer.Option("--export", help="Its export: JSON or JSON-MIN.")] = None,
    url: Annotated[str | None, typer.Option("--url", help="Or a live server.")] = None,
    token: Annotated[str, typer.Option("--token", envvar="LABEL_STUDIO_TOKEN", help="Its access token.")] = "",
    project: Annotated[int, typer.Option("--project", help="Its project.")] = 1,
    plan: Annotated[Path | None, typer.Option("--plan", help="The plan that the tasks were made from.")] = None,
) -> None:
    """Read annotations of Label Studio into a log of labels, with the weights of the plan they belong to.

    Example: adjudge import label-studio predictions.csv --export export.json --plan plan.csv --out labels.csv
    """
    from adjudge.core.index import counted
    from adjudge.errors import InputError
    from adjudge.io import read_labels, write_labels
    from adjudge.io.labels.label_studio import fetch_annotations, read_annotations
    from adjudge.labeling.exchange import import_annotations

    if (export is None) == (url is None):
        raise InputError("give either --export FILE or --url with --token, the one that holds the annotations")
    found = fetch_annotations(url, token, project) if url is not None else read_annotations(str(export))
    predictions, log = source.read(), None
    if plan is not None:
        predictions, log = read_labels(plan, predictions, id=source.id)
    predictions, filled = import_annotations(predictions, found, log)
    write_labels(filled, predictions, out)
    then = f"adjudge rank {source.words()} {words_of('--labels', out)}"
    note(f"{counted(filled.labeled, 'label')} {'is' if filled.labeled == 1 else 'are'} in {out}; then: {then}")
