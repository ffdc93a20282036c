"""How far a judge agrees with the labels: an estimate of its own, never a reason to trust it blindly."""

from dataclasses import asdict, dataclass, replace

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.inference.expansion import expansion_weights
from adjudge.inference.intervals import mid_p_interval, student_quantile
from adjudge.losses.loss import Loss, default_loss, reported

FEWEST = 5  # labeled samples on which grades differ, below which nothing is said


@dataclass(frozen=True)
class JudgeTrust:
    """What the labels say about a judge.

    Attributes
    ----------
    agreement, low, high
        Of two answers to a sample of which people found one better, how often the judge does too; a tie counts half.
    flatters
        The model that the judge overrates most in comparison with the others, if that is clear; None: none is.
    by, by_low, by_high
        By how much, in the units of `quantity`; nan if no model is flattered, or the judge has a scale of its own.
    """

    judge: str
    agreement: float
    low: float
    high: float
    labels: int
    level: float
    quantity: str
    flatters: str | None = None
    by: float = float("nan")
    by_low: float = float("nan")
    by_high: float = float("nan")

    def to_dict(self) -> dict[str, object]:
        """All of it as plain types, for JSON."""
        return asdict(self) | {"sentence": self.sentence}

    @property
    def sentence(self) -> str:
        """The same in words."""
        share = f"{self.agreement:.0%} ({100 * self.low:.0f}-{100 * self.high:.0f})"
        named = "" if self.judge == "judge" else f" {self.judge}"
        told = f"The judge{named} agrees with people on which of two answers is better in {share} of cases"
        if self.flatters is None:
            return f"{told}."
        scale, unit = (100, " points") if self.quantity == "accuracy" else (1, "")
        by, low, high = (f"{scale * each:.2g}" for each in (self.by, self.by_low, self.by_high))
        return f"{told}, and it flatters {self.flatters} by {by}{unit} ({low}-{high}) compared with the other models."


def judge_trust(
    predictions: Predictions, labels: Labels, loss: Loss | None = None, level: float = 0.95
) -> tuple[JudgeTrust, ...]:
    """Compare each judge with the labels; nothing about a judge on whom the labels say too little.

    Intervals hold for drawn labels, whose number was fixed in advance.

    Examples
    --------
    >>> values = np.array([[0.0, 0.0, 1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]])
    >>> pool = Predictions(values.astype(int), ("a", "b"), range(6), ("x", "y")).with_auxiliary("judge j", 1 - values)
    >>> [each.agreement for each in judge_trust(pool, Labels.complete(np.zeros(6)))]
    [1.0]
    """
    log = labels.settled()
    usable = log.usable
    if not predictions.judges or not usable.any():
        return ()
    loss = loss or default_loss(predictions, log)
    rows = log.sample[usable]
    losses = loss(predictions.values[:, rows], log.value[usable])
    drawn = bool((~np.isnan(log.weight)).any()) or len(log) == log.pool
    weight = expansion_weights(predictions, log)[usable] if drawn else np.ones(len(rows))
    found = (
        _trust(name, scores[:, rows], losses, weight, predictions.models, loss, level)
        for name, scores in predictions.judges.items()
    )
    return tuple(each for each in found if each is not None)


def _trust(
    name: str,
    scores: FloatArray,
    losses: FloatArray,
    weight: FloatArray,
    models: tuple[str, ...],
    loss: Loss,
    level: float,
) -> JudgeTrust | None:
    same, pairs = _concordance(scores, losses)
    counted = pairs > 0
    if counted.sum() < FEWEST:
        return None
    total = float(weight @ pairs)
    share = float(weight @ same) / total
    apart = (weight * (same - share * pairs))[counted]
    count = int(counted.sum())
    variance = float(apart @ apart) / total**2 * count / (count - 1)
    size = share * (1 - share) / variance if variance > 0 else float(count)
    low, high = mid_p_interval(np.array([share]), np.array([size]), student_quantile(level, count))
    told = JudgeTrust(name, share, float(low[0]), float(high[0]), len(weight), level, loss.quantity)
    return _with_flattery(told, scores, losses, weight, models, loss)


def _concordance(scores: FloatArray, losses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(rows,): pairs of models whose losses differ, and those of them that the judge orders in the same way."""
    same, pairs = np.zeros((2, scores.shape[1]))
    for place in range(len(scores) - 1):
        ahead = np.sign(losses[place + 1 :] - losses[place])  # 1: the first model is better; nan: not known
        by_judge = np.sign(scores[place] - scores[place + 1 :])
        known = ~np.isnan(ahead) & ~np.isnan(by_judge) & (ahead != 0)
        pairs += known.sum(axis=0)
        same += np.where(known, (1 + ahead * by_judge) / 2, 0.0).sum(axis=0)
    return same, pairs


def _with_flattery(
    told: JudgeTrust, scores: FloatArray, losses: FloatArray, weight: FloatArray, models: tuple[str, ...], loss: Loss
) -> JudgeTrust:
    """Whether the judge, if it uses the scale of the grades, overrates a model in comparison with the others."""
    low, high = sorted((loss.best, reported(loss, 1.0)))
    known = ~np.isnan(scores) & ~np.isnan(losses)
    if not loss.bounded or not known.all() or scores.min() < low or scores.max() > high or len(models) < 2:
        return told
    above = scores - reported(loss, losses)
    above = above - above.mean(axis=0)  # what it does to all models alike flatters none
    share = weight / weight.sum()
    mean = above @ share
    count = len(weight)
    error = np.sqrt(((above - mean[:, None]) ** 2) @ share**2 * count / (count - 1))
    half = student_quantile(told.level, count, len(models)) * error
    first = int(np.argmax(mean - half))
    if mean[first] - half[first] <= 0:
        return told
    by, by_low, by_high = (float(mean[first] + sign * half[first]) for sign in (0, -1, 1))
    return replace(told, flatters=models[first], by=by, by_low=by_low, by_high=by_high)
