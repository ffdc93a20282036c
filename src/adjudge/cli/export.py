"""`adjudge export`: what other tools read."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.groups import PredictionsSource, with_options
from adjudge.cli.output import WholeSentences, note

if TYPE_CHECKING:
    from adjudge.models.datasets.contents import Content

app = typer.Typer(cls=WholeSentences, no_args_is_help=True, help="Write what other tools read.")
Out = Annotated[Path, typer.Option("--out", help="Where to write.")]
Plan = Annotated[Path | None, typer.Option("--plan", help="Samples to label, from `adjudge select`. (default: all)")]
ProjectFolder = Annotated[Path, typer.Argument(help="The folder that `adjudge label` made.", show_default=False)]
Database = Annotated[
    str | None, typer.Option("--database", envvar="ADJUDGE_DATABASE", help="Its database, if that needs a password.")
]


@app.command("log")
def log(project: ProjectFolder, out: Out, database: Database = None) -> None:
    """Write a project's labels with every weight: CSV, Parquet, or JSON with all answers.

    Example: adjudge export log predictions.adjudge --out labels.csv
    """
    from adjudge.core.index import counted
    from adjudge.labeling.session.export import export
    from adjudge.labeling.session.project import open_project
    from adjudge.labeling.session.session import Session

    with closing(Session.open(open_project(project), database)) as session:
        export(session, out)
        count, noise = session.labels()[1].labeled, session.agreement().noise
    note(f"{counted(count, 'label')} {'is' if count == 1 else 'are'} in {out}")
    if noise:
        note(f"people disagree on some labels; to allow for that: adjudge rank --labels {out} --label-noise {noise!r}")


@app.command("folder")
def folder(project: ProjectFolder, out: Out, database: Database = None) -> None:
    """Write the labeled samples as a folder in the style of Hugging Face datasets: files and metadata.csv.

    Example: adjudge export folder predictions.adjudge --out labeled
    """
    from adjudge.core.index import counted
    from adjudge.labeling.session.folders import write_folder
    from adjudge.labeling.session.project import open_project
    from adjudge.labeling.session.session import Session

    with closing(Session.open(open_project(project), database)) as session:
        count = write_folder(session, out)
    note(f"{counted(count, 'labeled sample')} {'is' if count == 1 else 'are'} in {out}")


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
    import json

    import numpy as np

    from adjudge.core.index import ids_at
    from adjudge.io import atomic_write, read_labels
    from adjudge.io.labels.label_studio import label_config, tasks
    from adjudge.models.datasets.contents import Samples

    predictions = source.read()
    samples = np.arange(len(predictions.samples))
    if plan is not None:
        predictions, log = read_labels(plan, predictions, id=source.id)
        samples = log.sample[~log.answered]
    content = Samples.of(predictions, data)
    names = ids_at(predictions.samples, samples)
    shown = {
        sample: _shown(content.content(sample), name, media)
        for sample, name in zip(samples.tolist(), names, strict=True)
    }
    field = "image" if media else "text"
    with atomic_write(out) as file:
        file.write(json.dumps(tasks(predictions, samples, shown, hide=hide), ensure_ascii=False).encode())
    config = out.with_suffix(".xml")
    with atomic_write(config) as file:
        file.write(label_config(predictions, field).encode())
    note(f"{len(samples)} tasks are in {out}; paste {config} into the labeling interface of the project")


def _shown(content: "Content", name: str, media: str | None) -> dict[str, str]:
    fields = {**content.fields, "text": content.text if content.text is not None else name}
    return fields | ({"image": f"{media.rstrip('/')}/{name}"} if media else {})
