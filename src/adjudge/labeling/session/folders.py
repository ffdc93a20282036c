"""Labeled samples as a folder in the style of Hugging Face datasets: files, and metadata.csv that names them."""

import csv
import io
import json
import shutil
from pathlib import Path

import numpy as np

from adjudge.errors import InputError
from adjudge.io import atomic_write
from adjudge.io.files import make_folder
from adjudge.io.spreadsheets import shown_as_text
from adjudge.labeling.session.additions import graded_answers, label_text
from adjudge.labeling.session.session import Session
from adjudge.models.datasets.contents import FILE_NAME, METADATA, Media, Samples

SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}


def write_folder(session: Session, folder: Path) -> int:
    """Write every labeled sample; the number of samples written."""
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty; choose a folder of its own")
    project = session.project
    samples = Samples.of(project.predictions, project.path_of(project.settings.data))
    predictions, labels = session.labels()
    make_folder(folder)
    rows = []
    for place in np.flatnonzero(labels.usable).tolist():
        name, sample, value = session.ledger.picks[place].name, int(labels.sample[place]), float(labels.value[place])
        content, media = samples.content(sample), samples.media(sample)
        label = label_text(project.predictions, predictions, sample, value)
        if project.predictions.grades is not None:
            label = json.dumps(graded_answers(project.predictions, sample, label), ensure_ascii=False)
        row = {"sample_id": name, "label": label} | ({} if content.text is None else {"text": content.text})
        if media is not None:
            row[FILE_NAME] = _write_media(folder, place, name, media)
        rows.append(content.fields | row)
    _write_rows(folder / METADATA, rows)
    return len(rows)


def _write_media(folder: Path, place: int, name: str, media: Media) -> str:
    suffix = SUFFIXES.get(media.type, Path(name).suffix or ".bin")
    file = f"{place:06d}{suffix}"  # ids may hold whatever a path must not
    with atomic_write(folder / file) as opened:
        if media.path is None:
            opened.write(media.content)
        else:
            with media.path.open("rb") as source:
                shutil.copyfileobj(source, opened)
    return file


def _write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    names = sorted({name for row in rows for name in row}, key=lambda name: (name != FILE_NAME, name))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: shown_as_text(cell) for name, cell in row.items()} for row in rows)
    with atomic_write(path) as file:
        file.write(text.getvalue().encode())
