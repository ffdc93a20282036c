"""Compare two models by a metric that is not a mean of losses."""

from collections.abc import Mapping
from dataclasses import replace
from math import nan

import numpy as np

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.checks import warn_about_labels
from adjudge.decisions.comparison import Comparison, check_claim, claim_holds, counts_of
from adjudge.errors import InputError
from adjudge.inference.metrics.ratios import RatioMetric
from adjudge.inference.paired_difference import PairedDifference
from adjudge.losses.loss import ZeroOne, default_loss

LINEARIZED = "influence values, Student interval"


def compare_by_metric(
    predictions: Predictions,
    places: tuple[int, int],
    labels: Labels,
    metric: RatioMetric,
    test: str,
    margin: float,
    others: Mapping[str, object],
) -> Comparison:
    """The difference of the metric, with the interval of its influence values.

    `others` are options that such a metric cannot be combined with.
    """
    for what, given in others.items():
        if given:
            raise InputError(f"{metric.metric} cannot be combined with {what}; leave out one of the two")
    a, b = (predictions.models[place] for place in places)
    check_claim(a, b, test, margin, metric.level, ZeroOne(bounded=False), None)
    warn_about_labels(predictions, labels, places)
    log, estimate = labels.settled(), metric.rank(predictions, labels).estimate
    (first, second), half = places, 0.0
    value = float(estimate.value[first] - estimate.value[second])
    if not estimate.has_interval or np.isnan(estimate.low[[first, second]]).any():
        half = nan
    elif (estimate.low < estimate.high).any():
        drawn = metric.estimated(predictions, log)
        half = float(drawn.half_width(np.array([first]), np.array([second]), metric.level)[0, 0])
    found = Comparison(
        a=a,
        b=b,
        quantity=estimate.quantity,
        difference=value,
        low=value - half,
        high=value + half,
        level=metric.level,
        test=test,
        margin=margin,
        holds=False,
        p_value=nan,
        method=LINEARIZED,
        lower_is_better=estimate.lower_is_better,
        **counts_of(PairedDifference.of(predictions, places, log, default_loss(predictions, log)))
        | {"complete": half == 0.0},
    )
    return replace(found, holds=claim_holds(found))
