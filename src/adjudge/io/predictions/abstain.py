"""Answers that are none, as `--abstain` names them: they can never be right, and agree with nobody."""

from collections.abc import Sequence
from dataclasses import replace
from warnings import warn

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import smallest_code_type
from adjudge.core.index import listed
from adjudge.core.normalization import Normalization
from adjudge.core.predictions import ABSTAINED, MISSING, Predictions
from adjudge.errors import AdjudgeWarning, PredictionsError
from adjudge.io.notes import Notes, values_of
from adjudge.io.predictions.distinct import canonical, in_order

NOTE = "abstain"
BLANK = ""  # the name of an abstention where nothing is written, which otherwise is a missing prediction


def with_abstentions(pool: Predictions, told: Sequence[str]) -> Predictions:
    """The same pool, in which these answers are no classes but abstentions."""
    assert pool.classes is not None
    told = _canonical(told)
    never_right = spellings_of(told, pool.normalization)
    kept = [name for name in pool.classes if name not in never_right]
    if not kept:
        raise PredictionsError("every answer is an abstention, so no two can be compared; declare fewer (--abstain)")
    now = tuple(kept) if pool.declared else in_order(kept)
    place = {name: at for at, name in enumerate(now)}
    codes = [place.get(name, ABSTAINED) for name in pool.classes]
    kind = smallest_code_type(len(now), ABSTAINED - len(pool.models))
    table = np.array([*codes, ABSTAINED if BLANK in never_right else MISSING], dtype=kind)
    values = table[pool.values]
    probabilities = pool.probabilities
    if probabilities is not None:
        probabilities = probabilities[:, :, [pool.classes.index(name) for name in now]]
        total = probabilities.sum(axis=2, keepdims=True, dtype=np.float64)
        unsaid = (values < MISSING)[:, :, None] | ~(total > 0)  # what is left of them says nothing
        probabilities = np.where(unsaid, np.nan, probabilities / np.where(unsaid, 1.0, total)).astype(np.float32)
    return replace(pool, values=values, classes=now, probabilities=probabilities, abstain=told)


def spellings_of(told: Sequence[str], by: Normalization | None) -> set[str]:
    """The names of abstentions as answers and labels are compared, and as --normalize spells them."""
    names = set(_canonical(told))
    return names if by is None else names | {by(name) for name in names if name}


def _canonical(told: Sequence[str]) -> tuple[str, ...]:
    names = canonical(pa.array(told, pa.large_string())).to_pylist()
    return tuple(dict.fromkeys(name or BLANK for name in names))


def as_answers(pool: Predictions) -> Predictions:
    """The same pool, in which abstentions are answers like any other: as files hold them, and as people grade them."""
    if not pool.abstain:
        return pool
    assert pool.classes is not None
    name = next(filter(None, pool.abstain), BLANK)
    classes = (*pool.classes, name) if name else pool.classes
    code = len(pool.classes) if name else MISSING
    values = np.where(pool.values < MISSING, code, pool.values).astype(smallest_code_type(len(classes)))
    probabilities = pool.probabilities
    if probabilities is not None and name:
        probabilities = np.pad(probabilities, ((0, 0), (0, 0), (0, 1)))
    return replace(pool, values=values, classes=classes, probabilities=probabilities, abstain=())


def warned_of_unused(pool: Predictions, told: Sequence[str]) -> Predictions:
    """The pool; with a warning if no answer is one of the abstentions that were told."""
    if told and not pool.in_parts and pool.classes is not None and not pool.n_abstained.any():
        warn(
            f"no answer is {listed(told)}, as --abstain (abstain= in Python) says; look at its spelling",
            AdjudgeWarning,
            stacklevel=4,
        )
    return pool


def abstain_notes(told: Sequence[str]) -> list[tuple[str, str]]:
    """What a file of predictions remembers."""
    return [(NOTE, name) for name in told]


def declared_in(notes: Notes, told: Sequence[str]) -> tuple[str, ...]:
    """The abstentions that a file remembers, and those that are told besides."""
    return tuple(dict.fromkeys((*values_of(notes, NOTE), *told)))
