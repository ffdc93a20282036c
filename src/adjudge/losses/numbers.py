"""Losses of predicted numbers, as shares of the largest one possible within a range."""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError

WIDEST = 1e150  # the square of a wider range may overflow


@dataclass(frozen=True)
class _WithinRange:
    """What losses of numbers have in common: predictions and labels lie in a range.

    Parameters
    ----------
    low, high
        The range that predictions and labels lie in.
    bounded
        Whether the user gave the range, or it is only that of the values seen.
    quantity
        How tables call the mean.
    best, lower_is_better
        How the mean is reported (`Loss`): 0 is best, and lower is better.
    """

    low: float
    high: float
    bounded: bool = True
    quantity: str = ""
    best: float = field(default=0.0, repr=False)
    lower_is_better: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        check_range(self.low, self.high)

    def _error(self, predicted: Array, truth: Array) -> FloatArray:
        """(models, samples): prediction minus truth, as a share of the range."""
        refuse_outside("prediction", predicted, self.low, self.high)
        refuse_outside("label", truth, self.low, self.high)
        return np.asarray((predicted - truth) / (self.high - self.low))


@dataclass(frozen=True)
class Squared(_WithinRange):
    """The squared difference; its mean is the MSE. Parameters are `low`, `high` and `bounded`.

    Examples
    --------
    >>> loss = Squared(0, 10)
    >>> float(loss(np.array([[5.0]]), np.array([0.0]))[0, 0]), loss.max_loss
    (0.25, 100)
    """

    quantity: str = "MSE"

    @property
    def max_loss(self) -> float:
        return (self.high - self.low) ** 2

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        return np.asarray(self._error(predicted, truth) ** 2)


@dataclass(frozen=True)
class Absolute(_WithinRange):
    """The absolute difference; its mean is the MAE. Parameters are `low`, `high` and `bounded`."""

    quantity: str = "MAE"

    @property
    def max_loss(self) -> float:
        return self.high - self.low

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        return np.abs(self._error(predicted, truth))


@dataclass(frozen=True)
class Percentage(_WithinRange):
    """The absolute difference as a share of the true number; its mean is the MAPE, where 0.1 is ten percent.

    `smallest` is the smallest absolute value that a label may have: it bounds the loss.

    Examples
    --------
    >>> loss = Percentage(1, 11, smallest=1)
    >>> float(loss(np.array([[6.0]]), np.array([4.0]))[0, 0] * loss.max_loss)
    0.5
    """

    quantity: str = "MAPE"
    smallest: float = 1.0

    @property
    def max_loss(self) -> float:
        return (self.high - self.low) / self.smallest

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        if (truth == 0).any():
            raise InputError("MAPE divides by the true number, and a label is 0; use mae")
        scale = self.smallest / np.abs(truth)
        if (scale > 1).any():
            raise InputError(f"a label is nearer to 0 than {self.smallest:g}, the smallest stated absolute value")
        return np.abs(self._error(predicted, truth)) * scale


@dataclass(frozen=True)
class Quantile(_WithinRange):
    """The quantile (pinball) loss of predictions of the `share` quantile: too low costs `share`, too high the rest.

    Examples
    --------
    >>> loss = Quantile(0, 10, share=0.9)
    >>> (loss(np.array([[4.0, 6.0]]), np.array([5.0, 5.0])) * loss.max_loss).round(6).tolist()
    [[0.9, 0.1]]
    """

    quantity: str = "quantile loss"
    share: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.share < 1:
            raise InputError(f"the quantile {self.share:g} is not between 0 and 1; 0.9 is the 90% quantile")

    @property
    def max_loss(self) -> float:
        return max(self.share, 1 - self.share) * (self.high - self.low)

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        error = self._error(predicted, truth)
        cost = np.where(error < 0, -self.share * error, (1 - self.share) * error)
        return np.asarray(cost / max(self.share, 1 - self.share))


NumberLoss = Squared | Absolute | Percentage | Quantile
NAMES: dict[str, type[NumberLoss]] = {"mse": Squared, "mae": Absolute, "mape": Percentage, "quantile": Quantile}


def number_loss(
    name: str, span: tuple[float, float] | None, predictions: Predictions, labels: Labels, share: float | None = None
) -> NumberLoss:
    """A loss by the name of its mean, within the range given, or else that of all values seen."""
    bought = labels.value[labels.usable]
    if span is None:
        low, high = np.fmin.reduce([predictions.span[0], *bought]), np.fmax.reduce([predictions.span[1], *bought])
        span = float(low), float(high if high > low else low + 1.0)
        bounded = False
    else:
        bounded = True
    if name == "quantile":
        return Quantile(*span, bounded, f"{100 * (share or 0.5):g}% quantile loss", share=share or 0.5)
    if name == "mape":
        nearest = min(abs(span[0]), abs(span[1])) if bounded and span[0] * span[1] > 0 else 0.0
        smallest = nearest or float(np.min(np.abs(bought), initial=inf, where=bought != 0))
        smallest = smallest if smallest < inf else 1.0
        return Percentage(*span, bounded and nearest > 0, smallest=smallest)
    return NAMES[name](*span, bounded)


def refuse_outside(what: str, values: Array, low: float, high: float) -> None:
    outside = values[(values < low) | (values > high)]
    if outside.size:
        raise InputError(
            f"a {what} of {outside.flat[0]:g} is outside the stated range {low:g} to {high:g}; state a wider one"
        )


def check_range(low: float, high: float) -> None:
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise InputError(f"the range {low:g} to {high:g} is empty; give the lowest and the highest possible value")
    if high - low > WIDEST:
        raise InputError(
            f"values from {low:g} to {high:g} are too far apart to be squared; if a huge number stands for a missing "
            "value, leave it blank"
        )
