"""Labels to and from other tools."""

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from adjudge.core.index import as_index, ids_at, positions_of
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.fill import fill
from adjudge.errors import InputError
from adjudge.io import atomic_write
from adjudge.io.files import PathLike
from adjudge.io.labels.label_studio import label_config, tasks
from adjudge.io.labels.values import as_written, parse_labels
from adjudge.labeling.session.agreement import AnnotatorAgreement
from adjudge.labeling.session.project import open_project
from adjudge.models.datasets.contents import Content, Samples
from adjudge.models.extras import extra

if TYPE_CHECKING:
    from adjudge.labeling.session.session import Session


def read_project(project: PathLike, *, database: str | None = None) -> tuple[Predictions, Labels]:
    """The pool of a labeling project, with classes that no model predicted, and its labels so far."""
    with closing(_session(project, database)) as session:
        return session.labels()


def export_log(project: PathLike, out: PathLike, *, database: str | None = None) -> tuple[Labels, AnnotatorAgreement]:
    """Write a project's labels with every weight, to CSV, Parquet, or JSON with all answers.

    Returns
    -------
    tuple[Labels, AnnotatorAgreement]
        The log that was written, and how far people agree.
    """
    from adjudge.labeling.session.export import export

    with closing(_session(project, database)) as session:
        export(session, Path(out))
        return session.labels()[1], session.agreement()


def export_merged(project: PathLike, out: PathLike, *, database: str | None = None) -> str:
    """Write which answers are the same, those that people merged while they labeled among them, as a table.

    Returns
    -------
    str
        What to give to `normalize` later, so that answers are compared as in the project: its steps, and the table.
    """
    from adjudge.labeling.session.export import export_merged as write

    with closing(_session(project, database)) as session:
        return write(session, Path(out))


def export_folder(project: PathLike, out: PathLike, *, database: str | None = None) -> int:
    """Write the labeled samples as a folder in the style of Hugging Face datasets: files and metadata.csv.

    Returns
    -------
    int
        How many samples were written.
    """
    from adjudge.labeling.session.folders import write_folder

    with closing(_session(project, database)) as session:
        return write_folder(session, Path(out))


def export_label_studio(
    predictions: Predictions,
    out: PathLike,
    *,
    plan: Labels | None = None,
    data: PathLike | None = None,
    media: str | None = None,
    hide: bool = False,
) -> int:
    """Write tasks for Label Studio, and beside them, as XML, the labeling interface for them.

    Parameters
    ----------
    out
        The JSON file of the tasks.
    plan
        The samples to label, from `select`; by default all.
    data
        Texts or rows to show: a folder or a table.
    media
        The address under which images are served.
    hide
        Whether to leave out what the models said.

    Returns
    -------
    int
        How many tasks were written.
    """
    file = Path(out)
    samples = np.arange(len(predictions.samples)) if plan is None else plan.sample[~plan.answered]
    content = Samples.of(predictions, None if data is None else Path(data))
    names = ids_at(predictions.samples, samples)
    shown = {
        sample: _shown(content.content(sample), name, media)
        for sample, name in zip(samples.tolist(), names, strict=True)
    }
    with atomic_write(file) as opened:
        opened.write(json.dumps(tasks(predictions, samples, shown, hide=hide), ensure_ascii=False).encode())
    with atomic_write(file.with_suffix(".xml")) as opened:
        opened.write(label_config(predictions, "image" if media else "text").encode())
    return len(samples)


def import_annotations(
    predictions: Predictions, annotations: Mapping[str, object], plan: Labels | None = None
) -> tuple[Predictions, Labels]:
    """Labels from what `read_annotations` or `fetch_annotations` found, with the weights of the plan they belong to.

    Returns
    -------
    tuple[Predictions, Labels]
        The pool, with classes that no model predicted, and the log.
    """
    parsed = parse_labels(as_written(annotations.values()), predictions, as_index(annotations), "Label Studio")
    predictions = predictions.with_classes(parsed.new) if parsed.new else predictions
    if plan is None:
        place = positions_of(predictions.samples, as_index(annotations))
        if (place < 0).any():
            unknown = list(annotations)[int((place < 0).argmax())]
            raise InputError(f"sample {unknown!r} of the annotations is not in the pool; give the pool it belongs to")
        plan = Labels.known(len(predictions.samples), place, [0.0] * len(place))
    return predictions, fill(plan, predictions, annotations)


def _session(project: PathLike, database: str | None) -> "Session":
    extra("sqlalchemy", "label", "labeling")
    from adjudge.labeling.session.session import Session

    return Session.open(open_project(Path(project)), database)


def _shown(content: Content, name: str, media: str | None) -> dict[str, str]:
    fields = {**content.fields, "text": content.text if content.text is not None else name}
    return fields | ({"image": f"{media.rstrip('/')}/{name}"} if media else {})
