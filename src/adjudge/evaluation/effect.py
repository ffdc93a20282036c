"""Significance and effect size of one method against another over repetitions (Meng et al. 2021, SDS, Section IV-D)."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from adjudge.core.arrays import FloatArray
from adjudge.errors import InputError

SIGNIFICANT = 0.05  # p below this counts (SDS, Section IV-D)
NEGLIGIBLE, SMALL, MEDIUM = 0.147, 0.33, 0.474  # where |delta| leaves each word behind (SDS, Section IV-D)


def cliffs_delta(a: ArrayLike, b: ArrayLike) -> float:
    """The share of pairs in which a is larger minus the share in which b is; 1 when all of a is above b.

    >>> cliffs_delta([1, 2], [2, 2])
    -0.5
    """
    ours, theirs = _results(a), np.sort(_results(b))
    below = int(theirs.searchsorted(ours, "left").sum())
    not_above = int(theirs.searchsorted(ours, "right").sum())
    pairs = ours.size * theirs.size
    return (below + not_above - pairs) / pairs


def cliffs_word(delta: float) -> Literal["negligible", "small", "medium", "large"]:
    """The size of an effect in a word.

    >>> [cliffs_word(delta) for delta in (0.1, -0.147, 0.33, -0.474)]
    ['negligible', 'small', 'medium', 'large']
    """
    if np.isnan(delta):
        raise InputError("the effect is nan, which has no size; compute it from known results")
    size = abs(delta)
    if size < NEGLIGIBLE:
        return "negligible"
    if size < SMALL:
        return "small"
    return "medium" if size < MEDIUM else "large"


def rank_sum(a: ArrayLike, b: ArrayLike) -> float:
    """The two-sided p-value of Wilcoxon's rank-sum test.

    Computed in the form of Mann and Whitney, which, unlike `scipy.stats.ranksums`, corrects for ties
    (rank correlations of few models tie often) and is exact for small samples without ties.

    >>> round(rank_sum([1, 2, 3, 4], [5, 6, 7, 8]), 4)
    0.0286
    """
    from scipy import stats  # takes most of a second to import

    one, other = _results(a), _results(b)
    if (np.concatenate([one, other]) == one[0]).all():
        return 1.0  # all tie, so there is no evidence of a difference; scipy returns nan here from 1.18 on
    return float(stats.mannwhitneyu(one, other, alternative="two-sided").pvalue)


def win_tie_loss(a: ArrayLike, b: ArrayLike) -> Literal["win", "tie", "loss"]:
    """Whether a beats b, where larger results are better.

    A win needs p < 0.05 in the rank-sum test and delta > 0.147, a loss p < 0.05 and delta < -0.147;
    all else is a tie (SDS, Section IV-D).

    >>> win_tie_loss([0.8, 0.9, 0.85, 0.95], [0.1, 0.2, 0.3, 0.25])
    'win'
    """
    delta = cliffs_delta(a, b)
    if abs(delta) <= NEGLIGIBLE or rank_sum(a, b) >= SIGNIFICANT:
        return "tie"
    return "win" if delta > 0 else "loss"


def _results(values: ArrayLike) -> FloatArray:
    results = np.asarray(values, dtype=np.float64)
    if results.ndim != 1 or not results.size or np.isnan(results).any():
        raise InputError("a comparison needs one known result a repetition, for both sides")
    return results
