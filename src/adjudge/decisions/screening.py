"""Screening of a pool before any label is bought: duplicates, constant models, models below chance, swapped classes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from math import nan, sqrt
from statistics import NormalDist

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray, locked, stating
from adjudge.core.predictions import Predictions
from adjudge.core.votes import added, votes
from adjudge.decisions.abstentions import may_abstain
from adjudge.decisions.vote_of_others import vote_of_others, vote_without_a_backer
from adjudge.io.predictions.normalize import spellings
from adjudge.methods.papers.css import NEEDS as UNSURE_OR_SURPRISED
from adjudge.registry import list_methods

STANDARD_ERRORS = 3.0  # smallest distance from chance at which a model is reported
FALSE_ALARMS = 0.01  # chance that any model is reported in a pool of models that guess
RELABELED = 1024  # largest number of classes for which swaps are looked for: a table of 8 MB, cubic time


@dataclass(frozen=True, eq=False)
class Screening:
    """Facts about a pool that need no label.

    `below_chance` and `inverted` are relative to the vote of the other models, which may be wrong; they stay empty
    unless most models agree with that vote, which takes at least four. Of a regression, shares are nan.

    Attributes
    ----------
    probabilities, missing
        How many models have probabilities; (models,): number of missing predictions.
    unanimous, complete
        Share of samples on which all predictions are equal, of the `complete` ones: all models with any predict them.
    agreement
        Mean share of pairs of models whose predictions of a sample are equal.
    duplicates
        Groups with equal predictions, missing ones included.
    constant
        The only predicted value of a model, in two predictions or more.
    below_chance
        Models that agree with the vote of the others less than guesses would.
    inverted
        Those among them that agree with it once their classes are swapped.
    disjoint_classes
        Models whose classes no other model predicts.
    in_unit_interval
        Whether all predictions are numbers from 0 to 1, as probabilities are.
    normalization
        How answers were brought to one spelling, if they were.
    merged
        Answers that became the same by it, and how they were written; if nothing was asked for, those that `auto` would
        merge.
    scores
        Whether scores are given in place of predictions.
    abstain, abstained
        The answers that are declared to be abstentions, and their number for each model (models,).
    may_abstain
        Answers that read like abstentions and are not declared, with how often they are given.
    """

    models: tuple[str, ...]
    samples: int
    classes: tuple[str, ...] | None
    probabilities: int
    missing: IntArray
    unanimous: float
    agreement: float
    duplicates: tuple[tuple[str, ...], ...]
    constant: Mapping[str, str | float]
    below_chance: tuple[str, ...]
    inverted: tuple[str, ...]
    disjoint_classes: tuple[str, ...] = ()
    in_unit_interval: bool = False
    normalization: str | None = None
    merged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scores: bool = False
    abstain: tuple[str, ...] = ()
    abstained: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    may_abstain: Mapping[str, int] = field(default_factory=dict)
    complete: int | None = None  # None: not counted

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", locked(self.missing))
        object.__setattr__(self, "abstained", locked(self.abstained))

    @property
    def without_predictions(self) -> tuple[str, ...]:
        """Models without a single prediction."""
        return tuple(self.models[model] for model in np.flatnonzero(self.missing == self.samples))


def missing_inputs(predictions: Predictions, *, features: bool = False) -> dict[str, tuple[str, ...]]:
    """For each method, what it needs and this pool does not have; nothing: the method works here.

    Labels can always be bought.

    Parameters
    ----------
    features
        Whether the values of a hidden layer are stored for some model.

    Examples
    --------
    >>> pool = Predictions(np.array([[0, 1], [1, 1]]), ("a", "b"), range(2), ("cat", "dog"))
    >>> found = missing_inputs(pool)
    >>> found["pooled"], found["ces"]
    ((), ('features',))
    """
    has = {"labels", "drawn labels"} | ({"features"} if features else set())
    has |= {"classes"} if predictions.classes is not None else set()
    has |= {"probabilities"} if predictions.probabilities is not None else set()
    if predictions.auxiliary or predictions.columns is not None or predictions.probabilities is not None:
        has.add(UNSURE_OR_SURPRISED)
    return {each.name: tuple(need for need in each.needs if need not in has) for each in list_methods()}


def screen(predictions: Predictions) -> Screening:
    """Check a pool for what makes its ranking easy, hard or impossible.

    Examples
    --------
    >>> values = np.array([[0, 1, 0, 1], [0, 1, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1]])
    >>> found = screen(Predictions(values, ("a", "b", "c", "d"), range(4), ("cat", "dog")))
    >>> found.duplicates, found.constant, found.unanimous
    ((('b', 'c'),), {'d': 'dog'}, 0.25)
    """
    samples = predictions.values.shape[1]
    constant = _constant(predictions)
    unanimous, agreement, complete = nan, nan, None
    below, inverted = list[int](), list[int]()
    if predictions.classes is not None:
        counts = added(predictions.over_parts(partial(_agreements, int(np.count_nonzero(predictions.n_predicted)))))
        same, some, share, several = (float(each) for each in counts)
        unanimous, agreement, complete = same / some if some else nan, share / several if several else nan, int(some)
        below, inverted = _against_the_crowd(predictions, skip=constant)
    return Screening(
        predictions.models,
        samples,
        predictions.classes,
        stating(predictions.probabilities),
        samples - predictions.n_predicted,
        unanimous,
        agreement,
        tuple(_named(predictions, group) for group in _duplicates(predictions)),
        {predictions.models[model]: value for model, value in constant.items()},
        _named(predictions, below),
        _named(predictions, inverted),
        _named(predictions, _disjoint_classes(predictions)),
        predictions.classes is None and predictions.span[0] >= 0 and predictions.span[1] <= 1,
        *spellings(predictions),
        predictions.grades is not None,
        predictions.abstain,
        predictions.n_abstained,
        may_abstain(predictions),
        complete,
    )


def _constant(predictions: Predictions) -> dict[int, str | float]:
    _, highest = predictions.extremes
    named = predictions.classes
    return {
        int(model): float(highest[model]) if named is None else named[int(highest[model])]
        for model in np.flatnonzero(predictions.constant)
        if named is None or highest[model] >= 0
    }


def _disjoint_classes(predictions: Predictions) -> list[int]:
    """Models that share no class with another; none if that is true of half of the models or more."""
    if predictions.classes is None:
        return []
    said = added(predictions.over_parts(_said)) > 0
    backers, some = said.sum(axis=0), said.any(axis=1)
    alone = [int(model) for model in np.flatnonzero(some) if (backers[said[model]] == 1).all()]
    return alone if 2 * len(alone) < np.count_nonzero(some) else []


def _said(part: Predictions) -> tuple[Array]:
    """(models, classes): 1 for the classes that a model predicts."""
    found = np.zeros((len(part.models), len(part.classes or ())), dtype=np.int32)
    for model, row in enumerate(part.values):
        found[model, np.flatnonzero(np.bincount(row[row >= 0]))] = 1
    return (found,)


def _agreements(speaking: int, part: Predictions) -> tuple[FloatArray]:
    """Samples on which all agree, and that all predict; shares of equal pairs, and samples with a pair."""
    counted = votes(part)
    some, several = (counted.present == speaking) & (counted.present > 0), counted.present > 1
    pairs = counted.pairs[several] / (counted.present[several] * (counted.present[several] - 1))
    return (np.array([np.count_nonzero(counted.unanimous & some), some.sum(), pairs.sum(), several.sum()]),)


def _duplicates(predictions: Predictions) -> list[list[int]]:
    """Groups of models with equal rows; models without a prediction are left out."""
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    digests = np.hstack([each for (each,) in predictions.over_parts(_digests)])
    for model in np.flatnonzero(predictions.n_predicted).tolist():
        groups[digests[model].tobytes()].append(model)
    return sorted(group for group in groups.values() if len(group) > 1)


def _digests(part: Predictions) -> tuple[IntArray]:
    """(models, 2): a hash of each row, in which a missing number differs from all others."""
    codes = part.as_judged(part.values)
    rows = (row if part.classes is not None else np.where(np.isnan(row), np.nan, row + 0) for row in codes)
    found = [blake2b(np.ascontiguousarray(row).tobytes(), digest_size=16).digest() for row in rows]
    return (np.frombuffer(b"".join(found), dtype=np.int64).reshape(-1, 2),)  # + 0 made a 0.0 of -0.0


def _against_the_crowd(predictions: Predictions, skip: Mapping[int, object]) -> tuple[list[int], list[int]]:
    """Models below chance against the vote of the others, and those of them with swapped classes."""
    # One in 741 models that guess is 3 standard errors below chance, so every eighth pool of a hundred
    # would have a false alarm. With Bonferroni's correction the threshold exceeds 3 standard errors from
    # 8 models on and is 3.7 for a hundred; models need not be independent.
    margin = max(STANDARD_ERRORS, -NormalDist().inv_cdf(FALSE_ALARMS / len(predictions.models)))
    named = predictions.n_predicted - predictions.n_abstained
    tested = [int(model) for model in np.flatnonzero(named) if model not in skip]
    if not tested:
        return [], []
    counts = added(predictions.over_parts(partial(_counts, tested)))
    scores = np.array([_errors_above_chance(int(both.sum()), said, voted) for both, said, voted in counts])
    # Unless most models agree with the vote of the others, none is reported: with two classes, one good
    # model among four that guess, some a little below chance, would be the one reported.
    if 2 * np.count_nonzero(scores > margin) <= len(scores):
        return [], []
    below = [model for model, score in zip(tested, scores, strict=True) if score < -margin]
    if not below or len(predictions.classes or ()) > RELABELED:
        return below, []
    tables = added(predictions.over_parts(partial(_tables, below)))
    return below, [model for model, table in zip(below, tables, strict=True) if _is_inverted(table, margin)]


def _paired(part: Predictions, models: Sequence[int]) -> Iterator[tuple[IntArray, IntArray]]:
    """For each model, its predictions and the vote of the others, where both are known."""
    counted = votes(part)
    left = vote_without_a_backer(part, counted)
    for model in models:
        row = part.values[model]
        vote = vote_of_others(row, counted.majority, counted.tied, left)
        clear = vote >= 0
        yield row[clear].astype(np.int64), vote[clear].astype(np.int64)


def _counts(models: Sequence[int], part: Predictions) -> tuple[Array]:
    """(models, 3, classes): how often model and vote agree on a class, the model says it, and the vote does."""
    found = np.zeros((len(models), 3, len(part.classes or ())), dtype=np.int32)
    for counts, (said, voted) in zip(found, _paired(part, models), strict=True):
        for row, codes in zip(counts, (said[said == voted], said, voted), strict=True):
            row[:] = np.bincount(codes, minlength=len(row))
    return (found,)


def _tables(models: Sequence[int], part: Predictions) -> tuple[IntArray]:
    """(models, classes, classes): how often the model says the first while the vote says the second."""
    classes = len(part.classes or ())
    each = (np.bincount(said * classes + voted, minlength=classes**2) for said, voted in _paired(part, models))
    return (np.array([table.reshape(classes, classes) for table in each]),)


def _is_inverted(table: IntArray, margin: float) -> bool:
    from scipy.optimize import linear_sum_assignment  # slow to import, and most pools never need it

    # The best of all relabelings also fits by chance. But a model this far below chance has about 9 samples
    # a class, where a chance fit seldom reaches half of them, except with three classes: there, a model that
    # is never right does agree on half once relabeled.
    own, others = linear_sum_assignment(table, maximize=True)
    agreeing = int(table[own, others].sum())
    lifted = _errors_above_chance(agreeing, table.sum(axis=1)[own], table.sum(axis=0)[others])
    return lifted > margin and 2 * agreeing > table.sum()


def _errors_above_chance(agreeing: int, said: IntArray, voted: IntArray) -> float:
    """Agreement minus agreement expected by chance, in standard errors.

    With M_c and V_c how often the model and the vote say c, in n samples, a model that guesses agrees
    on S / n of them, S = sum_c M_c V_c. If any pairing of its predictions with the votes is equally
    likely, the variance is (S - sum_c M_c V_c (M_c + V_c) / n + S^2 / n^2) / (n - 1): that of Cohen's
    kappa for raters without agreement (Fleiss, Cohen and Everitt 1969), for a finite n.
    """
    samples = int(said.sum())
    if samples < 2:
        return 0.0
    both = said.astype(np.float64) * voted
    chance = both.sum()
    spread = chance - (both * (said + voted)).sum() / samples + (chance / samples) ** 2
    if spread <= 0:  # one side is constant: then agreement is what chance gives
        return 0.0
    return float((agreeing - chance / samples) / sqrt(spread / (samples - 1)))


def _named(predictions: Predictions, models: Sequence[int]) -> tuple[str, ...]:
    return tuple(predictions.models[model] for model in models)
