"""Which models fail together: error overlap of pairs of models, from weighted labels; their agreement without."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.strata import disputed
from adjudge.inference.expansion import expansion_weights
from adjudge.inference.stratum import ratio

MIN_EFFECTIVE_MISTAKES = (
    10.0  # effective number of labeled mistakes of a pair; with fewer, the standard error may be above .16
)
OVERLAP, AGREEMENT, CORRELATION = "wrong together", "same answer", "correlation of errors"


@dataclass(frozen=True, eq=False)
class SharedErrors:
    """A number for each pair of some models; nan where too little is known."""

    measure: str  # OVERLAP, AGREEMENT or CORRELATION
    models: IntArray  # positions in the pool
    share: FloatArray  # (models, models), symmetric
    labels: int  # that it rests on


def shared_errors(predictions: Predictions, labels: Labels, models: IntArray) -> SharedErrors | None:
    """How much the errors of each pair of models overlap, over the samples on which the models of the pool differ.

    With enough drawn labels: of the samples that at least one of the two gets wrong, the share that both get wrong
    (the Jaccard index of their errors), each label counting for the samples that it stands for (`expansion_weights`).
    A pair needs an effective number (Kish) of ten labeled mistakes. If most pairs have fewer: the share of samples on
    which the two predict the same, which needs no label. Samples on which all models agree are left out: there, any
    two models fail together or not at all. For numbers: the correlation of the errors; None with too few labels.
    Grades have no right or wrong: None.

    >>> pool = Predictions(np.array([[0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 0]]), ("a", "b", "c"), range(4), ("x", "y"))
    >>> shared_errors(pool, Labels.empty(4), np.arange(3)).share
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.25],
           [0.  , 0.25, 1.  ]])
    """
    if predictions.grades is not None:
        return None
    log, in_dispute = labels.settled(), disputed(predictions, labels.header.models)
    counted = log.usable & in_dispute[log.sample]
    drawn = bool((log.usable & ~np.isnan(log.weight)).any()) or len(log) == log.pool
    weight = expansion_weights(predictions, log)[counted] if drawn else np.empty(0)
    values = predictions.values[models][:, log.sample[counted]]
    if drawn and predictions.classes is None:
        share = _correlation(values - log.value[counted], weight)
        return SharedErrors(CORRELATION, models, share, int(counted.sum())) if _mostly_known(share) else None
    if drawn and _mostly_known(share := _overlap(values, log.value[counted], weight)):
        return SharedErrors(OVERLAP, models, share, int(counted.sum()))
    if predictions.classes is None:
        return None
    return SharedErrors(AGREEMENT, models, _agreement(predictions.values[models], in_dispute), 0)


def _overlap(values: Array, truth: FloatArray, weight: FloatArray) -> FloatArray:
    """(models, models): the weighted Jaccard index of errors, where both models predict the sample."""
    said = values != MISSING
    wrong = (said & (values != truth)).astype(np.float64)
    right = said.astype(np.float64) - wrong

    def summed(each: FloatArray) -> tuple[FloatArray, FloatArray]:
        both = (wrong * each) @ wrong.T
        one = (wrong * each) @ right.T
        return both, both + one + one.T

    (both, either), (_, squares) = summed(weight), summed(weight**2)
    known = ratio(either**2, squares) >= MIN_EFFECTIVE_MISTAKES
    return np.where(known, ratio(both, either), np.nan)


def _agreement(values: Array, in_dispute: Array) -> FloatArray:
    """(models, models): on what share of the disputed samples that both predict two models predict the same."""
    share = np.full((len(values), len(values)), np.nan)
    some = values[:, in_dispute]
    said = some != MISSING
    for one in range(len(values)):
        both = said[one] & said
        share[one] = ratio((both & (some[one] == some)).sum(axis=1), both.sum(axis=1))
    return share


def _correlation(errors: FloatArray, weight: FloatArray) -> FloatArray:
    """(models, models): the weighted correlation of errors, on the samples that all of these models predict."""
    whole = ~np.isnan(errors).any(axis=0)
    errors, weight = errors[:, whole], weight[whole]
    if weight.sum() ** 2 < MIN_EFFECTIVE_MISTAKES * (weight @ weight) or not weight.any():
        return np.full((len(errors), len(errors)), np.nan)
    apart = errors - (errors @ weight / weight.sum())[:, None]
    covariance = (apart * weight) @ apart.T
    spread = np.sqrt(np.diag(covariance))
    return np.clip(ratio(covariance, np.outer(spread, spread)), -1.0, 1.0)


def _mostly_known(share: FloatArray) -> bool:
    """Whether more than half of the pairs have a number."""
    pairs = share[np.triu_indices(len(share), 1)]
    return bool(pairs.size and np.isnan(pairs).mean() < 0.5)
