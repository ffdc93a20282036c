"""Mean squared error and relative efficiency of estimates over repetitions (Li et al. 2019, CES, Section 4.2)."""

import numpy as np
from numpy.typing import ArrayLike

from adjudge.errors import InputError


def mean_squared_error(estimates: ArrayLike, truth: float) -> float:
    """The mean of (estimate - truth)^2 over repetitions; for an unbiased method this is its variance.

    >>> mean_squared_error([0.5, 1.0], truth=0.75)
    0.0625
    """
    values = np.asarray(estimates, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise InputError(f"estimates have the shape {values.shape}; give one estimate a repetition, at least one")
    return float(np.mean((values - truth) ** 2))


def relative_efficiency(estimates: ArrayLike, baseline: ArrayLike, truth: float) -> float:
    """E = MSE of the method / MSE of the baseline: below 1 the method is better, the smaller the better.

    E is the share of the baseline's labels that the method needs to be as precise, since the variance
    of random draws falls as 1 / labels. The CES paper writes variances and takes them to be the mean
    squared errors, its estimators being unbiased; here a bias counts against a method. The paper
    averages E over sample sizes. It is inf where only the baseline is exact, nan where both are.

    >>> relative_efficiency([0.625, 0.875], baseline=[0.5, 1.0], truth=0.75)
    0.25
    """
    ours, theirs = mean_squared_error(estimates, truth), mean_squared_error(baseline, truth)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(ours) / theirs)
