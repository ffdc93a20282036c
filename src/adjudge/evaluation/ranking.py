"""Rank correlations and overlap of an estimated order of the models with the true one; higher values are better."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from adjudge.core.arrays import TIE_DIGITS, BoolArray, IntArray, competition_rank
from adjudge.errors import InputError


def spearman(estimated: ArrayLike, truth: ArrayLike) -> float:
    """Spearman's rank correlation; ties share their mean rank, and an unknown value (nan) ranks last.

    Where all models tie on one side the correlation is undefined and counts as 0.0.

    >>> spearman([0.9, 0.5, 0.7], truth=[0.8, 0.6, 0.7]), spearman([0.5, 0.5, 0.5], truth=[0.8, 0.6, 0.7])
    (1.0, 0.0)
    """
    left, right = _lead(estimated), _lead(truth)
    _check_same_models(left, right)
    return _correlation(int(left @ right), int(left @ left), int(right @ right))


def kendall(estimated: ArrayLike, truth: ArrayLike) -> float:
    """Kendall's tau-b: concordant minus discordant pairs of models, corrected for ties.

    Ties, unknown values and undefined cases are treated as in `spearman`.

    >>> round(kendall([0.9, 0.5, 0.7], truth=[0.8, 0.7, 0.6]), 3)
    0.333
    """
    left, right = _lead(estimated), _lead(truth)
    _check_same_models(left, right)
    mine, theirs = (np.sign(np.subtract.outer(lead, lead)).astype(np.int8) for lead in (left, right))
    # not a product of floats: BLAS starts threads for it from 100 models on, which may cost more than the sum
    concordant = int((mine * theirs).sum(dtype=np.int64))
    return _correlation(concordant, int(np.count_nonzero(mine)), int(np.count_nonzero(theirs)))


def top_k(values: ArrayLike, k: int) -> BoolArray:
    """Which models have fewer than k strictly better ones, so that ties at the cut all belong.

    >>> top_k([0.9, 0.7, 0.7, 0.1], k=2)
    array([ True,  True,  True, False])
    """
    if k < 1:
        raise InputError(f"the top {k} models were asked for; ask for at least 1")
    return np.asarray(competition_rank(np.asarray(values, dtype=np.float64)) <= k)


def jaccard(estimated: ArrayLike, truth: ArrayLike, k: int) -> float:
    """Models in both top k, as a share of those in either (SDS, Section IV-C).

    >>> jaccard([5, 2, 4, 1, 3], truth=[5, 3, 4, 2, 1], k=3)
    0.5
    """
    left, right = top_k(estimated, k), top_k(truth, k)
    _check_same_models(left, right)
    return float(np.count_nonzero(left & right) / np.count_nonzero(left | right))


def _lead(values: ArrayLike) -> IntArray:
    """(models,): how many models each one beats, minus how many beat it.

    This is twice the distance of the mean rank from its center, in whole numbers: sums are exact, and
    it takes one sort where `scipy.stats.rankdata` takes several passes.
    """
    given = np.asarray(values, dtype=np.float64)
    rounded = np.where(np.isnan(given), -np.inf, np.round(given, TIE_DIGITS))
    ascending = np.sort(rounded)
    return np.asarray(ascending.searchsorted(rounded, "left") + ascending.searchsorted(rounded, "right") - len(rounded))


def _correlation(product: int, left: int, right: int) -> float:
    return product / sqrt(left * right) if left and right else 0.0  # Python integers do not overflow


def _check_same_models(left: IntArray | BoolArray, right: IntArray | BoolArray) -> None:
    if left.shape != right.shape:
        raise InputError(
            f"{left.size} models are estimated but the truth is given for {right.size}; "
            "give one value a model to both, in the same order"
        )
