"""Losses as people say them: points of accuracy, or a plain number with its unit, never smaller than they are."""

from math import ceil, floor, log10

from adjudge.core.ranking import Ranking

ON_LABELED = " on the labeled samples"  # how the name of a mean ends that is no estimate for the pool
MANY_DIGITS = 1e6  # a number from which on powers of ten are shown


def points(loss: float, quantity: str) -> str:
    """A loss in points of accuracy, or a plain number for another quantity: rounded up, so never said to be smaller.

    >>> points(0.061, "accuracy"), points(0.00999, "accuracy"), points(0.00001, "accuracy"), points(0.511, "grade")
    ('6.1 points', '1 point', '0.01 points', '0.52')
    >>> points(1812.4, "MSE")
    '1900'
    """
    if "accuracy" not in quantity:  # balanced, expected, or on the labeled samples: all are shares
        rounded = _up(loss, 1 - floor(log10(loss))) if loss > 0 else loss
        return f"{rounded:.0f}" if 100 <= rounded < MANY_DIGITS else f"{rounded:.2g}"
    share = max(100 * loss, 0.01)
    digits = 2 if _up(share, 2) < 1 else 1 if _up(share, 1) < 10 else 0
    number = f"{_up(share, digits):.{digits}f}".removesuffix(".0")
    return f"{number} {'point' if number == '1' else 'points'}"


def amount(loss: float, ranking: Ranking) -> str:
    """A loss with its unit: points, MSE, cost; a grade has none."""
    estimate = ranking.estimate
    unit = f" {estimate.quantity.removesuffix(ON_LABELED)}" if estimate.lower_is_better else ""
    return points(loss, estimate.quantity) + unit


def _up(number: float, digits: int) -> float:
    """Rounded up to `digits` decimals, except for rounding errors."""
    scale: float = 10.0**digits
    return ceil(number * scale - 1e-6) / scale
