"""A project that begins with labels."""

import numpy as np

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.io.predictions.normalize import merges_of
from adjudge.labeling.session.additions import label_text
from adjudge.labeling.session.rows import LABEL, MERGED, SKIPPED
from adjudge.labeling.session.session import Session

FILE = "file"  # whose labels they are


def give(session: Session, labels: Labels, given: Predictions) -> None:
    """Begin with labels that exist already, with their weights; `given` is the pool that was read with them."""
    pool = session.project.predictions
    if not session.add_picks(0, labels.picks()):
        raise InputError("this project has labels already; give labels only when it begins")
    with session.store.turn(len(labels)) as turn:
        for answer, meant in merges_of(given).items():
            turn.add_merge(answer, meant, MERGED, FILE)
        rows = zip(labels.sample.tolist(), labels.value.tolist(), labels.answered.tolist(), strict=True)
        for place, (sample, value, answered) in enumerate(rows):
            if answered:
                lease = turn.add_lease(place, 0, 0, FILE, turn.now)
                text = None if np.isnan(value) else label_text(pool, given, sample, value)
                turn.add_answer(lease.id, 0, SKIPPED if text is None else LABEL, text, "")
    session.refresh()
