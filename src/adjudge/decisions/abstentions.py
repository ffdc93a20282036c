"""Answers that look like abstentions: what models say when they have no answer."""

import re
from functools import partial

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.predictions import Predictions
from adjudge.core.votes import added

FREQUENT = 0.005  # share of all answers, below which nobody is told of one
SEVERAL = 2  # models that give it
WORDS = (
    "none|null|nil|n/?a|not available|not applicable|unknown|undefined|unparsed|unparsable|invalid|no answer|"
    "no response|empty|error|failed|abstain(ed)?|refus(ed|al)|refuse to answer|(i )?(do not|don.?t) know|"
    "(i )?can(not|.?t) (answer|help|determine|say)( that| this)?|not sure|cannot be determined|idk|-+|\\?+|\\.\\.\\.+"
)
LIKE_NONE = re.compile(rf"[(\[<\"'`*_ ]*({WORDS})[)\]>\"'`*_. ]*", re.IGNORECASE)


def may_abstain(predictions: Predictions) -> dict[str, int]:
    """Classes that several models give often and that read like no answer, with how often they are given.

    >>> values = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]])
    >>> may_abstain(Predictions(values, ("a", "b", "c"), range(4), ("12", "(none)")))
    {'(none)': 8}
    """
    names = predictions.classes or ()
    found = [code for code, name in enumerate(names) if LIKE_NONE.fullmatch(name)]
    if not found:
        return {}
    given = added(predictions.over_parts(partial(_given, found)))
    often = given.sum(axis=0) >= FREQUENT * predictions.n_predicted.sum()
    several = np.count_nonzero(given, axis=0) >= SEVERAL
    return {names[found[place]]: int(given[:, place].sum()) for place in np.flatnonzero(often & several)}


def _given(codes: list[int], part: Predictions) -> tuple[Array]:
    """(models, codes): how often a model gives each of these answers."""
    return (np.stack([np.count_nonzero(part.values == code, axis=1) for code in codes], axis=1),)
