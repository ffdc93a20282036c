"""A project's labels in a file: the log that `adjudge rank` reads, and all that people ever said."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from adjudge.core.normalization import Normalization
from adjudge.io import atomic_write, write_labels
from adjudge.io.labels.log import labels_facts, labels_table
from adjudge.io.labels.replacing import refuse_labels, refuse_loss
from adjudge.io.predictions.equal_answers import write_pairs
from adjudge.labeling.session.additions import graded_answers
from adjudge.labeling.session.project import PATHS
from adjudge.labeling.session.rows import PickRow
from adjudge.labeling.session.session import Session


def export(session: Session, path: Path) -> None:
    """Write the log to a CSV, Parquet or JSON file, with every weight and seed: the same ranking on any machine.

    JSON holds every answer besides, also those that were taken back, with names, times and notes.
    """
    session.refresh()
    predictions, labels = session.labels()
    refuse_loss(path, labels_table(labels, predictions), "choose another name for --out")
    if path.suffix.lower() != ".json":
        write_labels(labels, predictions, path)
        return
    told = labels_facts(labels, predictions) | {"answers": answers(session), "settings": _settings(session)}
    with atomic_write(path) as file:
        file.write(json.dumps(told, indent=1, ensure_ascii=False).encode())


def export_merged(session: Session, path: Path) -> str:
    """Write the answers that are the same as a table for `--normalize`; how that is told later, in words."""
    refuse_labels(path, "choose another name for --out")
    session.refresh()
    by = session.pool.normalization or Normalization()
    write_pairs(tuple(by.equal.items()), path)
    return ",".join([*by.steps, str(path)])


def answers(session: Session) -> list[dict[str, Any]]:
    """Every answer there ever was, in the order in which they came."""
    return [
        {
            "sample_id": pick.name,
            "order": lease.place,
            "seat": lease.seat,
            "person": lease.person,
            "kind": answer.kind,
            "label": answer.label if session.pool.grades is None else _grades(session, pick, answer.label),
            "note": answer.note,
            "at": answer.at,
        }
        for lease, pick, answer in session.answers()
    ]


def _grades(session: Session, pick: PickRow, label: str | None) -> dict[str, float] | None:
    """The grade of each answer."""
    return None if label is None else graded_answers(session.pool, pick.pick.sample, label)


def _settings(session: Session) -> dict[str, Any]:
    hidden = ("database", *PATHS)  # addresses on this machine
    return {name: value for name, value in asdict(session.project.settings).items() if name not in hidden}
