"""Outlook: what a plan of labels will tell and what it will not, before any label is bought."""

from dataclasses import dataclass
from math import nan
from statistics import NormalDist

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.strata import UNANIMOUS, disputed, only_pair, with_pair
from adjudge.core.votes import votes
from adjudge.decisions.checks import check_labels, check_pool
from adjudge.inference.draws import Draws, draws_by_stratum
from adjudge.inference.power import McNemarPower
from adjudge.methods.pooled.pooled import ON_AGREED_TO_ESTIMATE

MIN_MEAN_LOSS = 0.02  # lower limit of the assumed error rate: even unanimous models can be wrong
CONTROL_VARIATE_GAIN = (
    0.75  # by how much the consensus as control variate narrows intervals with the goal "estimate", typically
)
Z = NormalDist().inv_cdf(0.975)  # the normal quantile of 95% intervals
POWER = 0.8  # with which a pair's difference is detected
STEPS = (0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001)  # half widths that people ask for


@dataclass(frozen=True)
class Outlook:
    """What labels will tell once a plan is filled in; half widths are of 95% intervals, in fractions of accuracy.

    Attributes
    ----------
    purpose
        "best", "rank" or "estimate" (the goals of `pooled`), "pair", "draws" or "choices".
    labels
        How many the plan adds.
    in_all
        With those before, without samples that were skipped.
    half_width
        That of the accuracy of a typical model; nan: none will be known.
    wanted
        A half width that would be worth asking for.
    estimate_labels
        How many labels give that with the goal "estimate"; None: no number of labels does.
    detectable
        The smallest difference between the two that is detected with a power of 80%.
    """

    purpose: str
    labels: int
    in_all: int
    half_width: float
    wanted: float
    estimate_labels: int | None
    pair: tuple[str, str] | None = None
    detectable: float = nan


def outlook(predictions: Predictions, plan: Labels) -> Outlook | None:
    """What a plan of `select` will tell, from the pool alone; None for regression.

    Errors of numbers cannot be forecast from predictions.

    The half width is that of Wilson's interval for the effective number of draws in each stratum, with as many
    mistakes as models contradict the vote. It is a forecast: real intervals (mid-p, which would take longer to import)
    are seldom half, or twice, as wide.

    Examples
    --------
    >>> from adjudge import select
    >>> from adjudge.simulation.contract import example_pool
    >>> pool, _ = example_pool(models=5, samples=300)
    >>> seen = outlook(pool, select(pool, 40, "random"))
    >>> seen.purpose, round(seen.half_width, 2), seen.estimate_labels
    ('draws', 0.13, 110)
    """
    check_pool(predictions)
    check_labels(predictions, plan)
    if predictions.classes is None:
        return None
    pair, purpose = only_pair(plan, pending=True), plan.header.parameters.get("goal", "best")
    half = _half_width(predictions, plan, CONTROL_VARIATE_GAIN if purpose == "estimate" else 1.0)
    if pair is not None:
        purpose = "pair"
    elif plan.header.method != "pooled":
        purpose = "choices" if np.isnan(half) else "draws"
    wanted, needed = _worth_asking_for(predictions, half, len(plan))
    return Outlook(
        purpose,
        int(np.count_nonzero(~plan.answered)),
        len(plan) - plan.skipped,
        nan if pair is not None else half,
        wanted,
        needed,
        pair,
        nan if pair is None else _detectable(predictions, pair, plan),
    )


def _worth_asking_for(predictions: Predictions, half: float, labels: int) -> tuple[float, int | None]:
    """The largest usual half width that is at most half as large and takes more labels, and how many it takes."""
    wanted, needed = STEPS[-1], None
    for wanted in (step for step in STEPS if not step > half / 2):
        needed = _labels_for(predictions, wanted)
        if needed is None or needed > labels:
            break
    return wanted, needed


def _half_width(predictions: Predictions, plan: Labels, control: float) -> float:
    """Of the accuracy of a typical model once all of the plan is labeled; nan: nothing is drawn.

    `control` is the factor of a control variate, which helps where models differ.
    """
    strata = draws_by_stratum(predictions, plan.answer_all(np.zeros(plan.pool)))
    if not any(len(draws.rows) for draws in strata):
        return 0.0 if len(plan) == plan.pool else nan
    halves = [
        _of_stratum(predictions, draws) * draws.size / plan.pool * (1.0 if draws.stratum == UNANIMOUS else control)
        for draws in strata
        if draws.size
    ]
    return float(np.sqrt(np.square(halves).sum()))


def _of_stratum(predictions: Predictions, draws: Draws) -> float:
    """The half width of the mean loss over one stratum, [0, 1] where nothing is drawn."""
    if not len(draws.rows):
        return 0.5
    return _half(_mistakes(predictions, draws.members), 1 / float((draws.variance_contribution / draws.weight).sum()))


def _half(mistakes: float, draws: float) -> float:
    of_draws = Z**2 / draws
    return float(np.sqrt(mistakes * (1 - mistakes) * of_draws + of_draws**2 / 4) / (1 + of_draws))


def _mistakes(predictions: Predictions, members: BoolArray | None) -> float:
    """How often a typical model is expected to be wrong there: as often as models contradict the vote."""
    counted = votes(predictions)
    agreement = counted.top / np.maximum(counted.present, 1)
    return float(np.clip(1 - (agreement if members is None else agreement[members]).mean(), MIN_MEAN_LOSS, 0.5))


def _labels_for(predictions: Predictions, wanted: float) -> int | None:
    """How many labels with the goal "estimate" give this half width."""
    in_dispute, samples = disputed(predictions), len(predictions.samples)
    share = float(in_dispute.mean())
    checks = min(ON_AGREED_TO_ESTIMATE, 1 - share)
    strata = [
        (factor * each.mean(), each.sum(), part, _mistakes(predictions, each))
        for each, part, factor in ((in_dispute, 1 - checks, CONTROL_VARIATE_GAIN), (~in_dispute, checks, 1.0))
        if each.any()
    ]

    def half(labels: int) -> float:
        parts = []
        for weight, size, part, mistakes in strata:
            drawn = min(labels * part, size)
            with np.errstate(divide="ignore"):
                parts.append(weight * _half(mistakes, max(drawn, 0.5) * float(np.float64(size) / (size - drawn))))
        return float(np.sqrt(np.square(parts).sum()))

    few, enough = 0, samples
    if half(samples) > wanted:
        return None
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if half(middle) <= wanted else (middle, enough)
    return enough


def _detectable(predictions: Predictions, pair: tuple[str, str], plan: Labels) -> float:
    """The smallest difference in accuracy that these draws detect, if one of the two is right wherever they differ."""
    differ = int(np.count_nonzero(disputed(predictions, pair)))
    drawn = int(np.count_nonzero(plan.stratum == with_pair(plan.header, pair)[1]))
    few, enough = 0, differ
    while enough - few > 1:
        apart = (few + enough) // 2
        losses = (differ - apart) // 2
        shown = McNemarPower(losses + apart, losses, differ, 0.05).power(min(drawn, differ), differ) >= POWER
        few, enough = (few, apart) if shown else (apart, enough)
    return enough / len(predictions.samples)
