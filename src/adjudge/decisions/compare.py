"""Compare two models: the paired difference with its interval and flips, and a test of superiority or equivalence."""

from dataclasses import replace
from math import ceil, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions, place_of
from adjudge.decisions.checks import check_labels, check_pool, warn_about_labels
from adjudge.decisions.comparison import FUTURE, POOL, UNDECIDED, Comparison, check_claim, claim_holds, counts_of
from adjudge.decisions.metric_difference import compare_by_metric
from adjudge.decisions.rank import drawn_in_clusters, metric_loss
from adjudge.errors import InputError
from adjudge.inference.clusters import Clusters
from adjudge.inference.label_noise import NoiseBounds, check_label_noise
from adjudge.inference.metrics.ratios import RatioMetric
from adjudge.inference.paired_difference import DifferenceEstimate, PairedDifference
from adjudge.inference.paired_future import by_clusters, paired_future
from adjudge.io.given import LabelsLike, PredictionsLike, given_labels
from adjudge.losses.loss import Loss, default_loss
from adjudge.methods.pooled.control_variate import with_control_variate


def compare(
    predictions: PredictionsLike,
    a: str,
    b: str,
    labels: LabelsLike,
    *,
    test: str = "superior",
    margin: float = 0.0,
    level: float = 0.95,
    loss: Loss | None = None,
    metric: str | None = None,
    positive: str | None = None,
    label_noise: float = 0.0,
    about: str | None = None,
    anytime: bool = False,
    cluster: str | None = None,
) -> Comparison:
    """Compare two models on the same labels; a claim holds if the interval of the difference satisfies it.

    Parameters
    ----------
    test
        "superior": a is better by more than the margin. "non-inferior": worse by less than that. "equivalent": they
        differ by less, either way. A wrong claim holds with a chance of about (1 - level) / 2.
    loss, metric, positive, label_noise, cluster
        As for `rank`.
    about, anytime
        "pool", these samples, or "future", data of the same kind; by default the pool, until all of it is labeled.
        Whether the interval about the pool holds however often one checks.

    Examples
    --------
    >>> from adjudge import fill, from_frame, select
    >>> pool = from_frame({"id": list("abcd"), "net": ["cat", "dog", "cat", "cat"], "tree": ["cat"] * 4})
    >>> labels = fill(select(pool, 4), pool, {"a": "cat", "b": "dog", "c": "dog", "d": "cat"})
    >>> compare(pool, "net", "tree", labels, about="pool")
    Comparison(net - tree: accuracy +0.250, 95% interval +0.250 to +0.250; superior: shown)
    """
    predictions, labels = given_labels(predictions, labels)
    _check_input(predictions, labels, label_noise)
    places = place_of(a, predictions), place_of(b, predictions)
    if metric is not None or positive is not None:
        found = metric_loss(predictions, labels, metric, positive, loss)
        if found is None:
            others = {"label noise": label_noise, "clusters": cluster, "anytime": anytime, "future": about == FUTURE}
            ranker = RatioMetric(str(metric), positive, level)
            return compare_by_metric(predictions, places, labels, ranker, test, margin, others)
        predictions, loss = found
    wanted = _Wanted(test, margin, level, label_noise, about, anytime, cluster)
    return _by_loss(predictions, places, labels, loss or default_loss(predictions, labels), wanted)


class _Wanted(NamedTuple):
    """The claim, and how it is looked at."""

    test: str
    margin: float
    level: float
    label_noise: float
    about: str | None
    anytime: bool
    cluster: str | None


def _by_loss(
    predictions: Predictions, places: tuple[int, int], labels: Labels, loss: Loss, wanted: _Wanted
) -> Comparison:
    a, b = (predictions.models[place] for place in places)
    check_claim(a, b, wanted.test, wanted.margin, wanted.level, loss, wanted.about)
    warn_about_labels(predictions, labels, places, wanted.cluster)
    pair = PairedDifference.of(predictions, places, labels.settled(), loss)
    if predictions.judges:
        pair = replace(pair, informed=with_control_variate(pair.mean, pair.labels, loss))
    about = wanted.about or (FUTURE if np.count_nonzero(labels.answered) == labels.pool else POOL)
    estimated = _estimated(pair, wanted.level, wanted.label_noise, loss, about, wanted.anytime, wanted.cluster)
    counts = counts_of(pair)
    found = Comparison(a=a, b=b, test=wanted.test, margin=wanted.margin, holds=False, **estimated, **counts)
    known = bool(pair.informative.any()) or not pair.differing_skipped
    return _with_more(replace(found, holds=known and claim_holds(found)))


def _with_more(found: Comparison) -> Comparison:
    """With the number of labels that the claim still takes where the two differ, to be shown or to be refuted.

    The half width of an interval shrinks with the root of 1/n - 1/N, where n of N samples are labeled.
    """
    value, (low, high), (done, size) = found.gain, found.decisive, (found.differing_labeled, found.differing)
    if found.verdict != UNDECIDED or found.about == FUTURE or not done or isnan(value):
        return found
    gap, half = value - found.margin if found.test == "superior" else value + found.margin, value - low
    if found.test == "equivalent":
        gap, half = found.margin - abs(value), max(half, high - value)
    if gap < 0:  # as it looks now, the claim is wrong, and the other end decides
        gap, half = -gap, half if found.test == "equivalent" else high - value
    gap, half = gap - found.from_noise, half - found.from_noise
    if gap <= 0 or half <= 0:
        return found
    needed = 1 / (1 / size + (1 / done - 1 / size) * min(1.0, gap / half) ** 2)
    return replace(found, more=max(1, min(ceil(needed), size) - done))


def _estimated(
    pair: PairedDifference, level: float, label_noise: float, loss: Loss, about: str, anytime: bool, cluster: str | None
) -> dict[str, Any]:
    """The difference with its intervals, by the names of a comparison's fields."""
    _check_anytime(anytime, about, cluster, pair)
    on_pool = pair.estimate(level, anytime=anytime)
    clusters = None if cluster is None else Clusters.of(pair.predictions, cluster)
    if clusters is not None and not pair.complete and drawn_in_clusters(pair.labels):
        on_pool = by_clusters(pair, on_pool, level, clusters)
    found, shift = _with_label_noise(pair, on_pool, label_noise)
    future = found._replace(low=nan, high=nan)
    if pair.complete or about == FUTURE:
        future = paired_future(pair, on_pool, level, clusters)
    if shift:
        future = future._replace(low=max(-1.0, future.low - shift), high=min(1.0, future.high + shift), p_value=nan)
    told = future if about == FUTURE else found
    (low, high), (future_low, future_high) = (_in_units(loss, each.low, each.high) for each in (found, future))
    return {
        "about": about,
        "anytime": anytime,
        "quantity": loss.quantity,
        "lower_is_better": loss.lower_is_better,
        "difference": _in_units(loss, found.value, found.value)[0],
        "low": low,
        "high": high,
        "level": level,
        "p_value": told.p_value,
        "method": told.method,
        "ties": found.ties,
        "label_noise": label_noise,
        "from_noise": shift * loss.max_loss,
        "future_low": future_low,
        "future_high": future_high,
    }


def _in_units(loss: Loss, low: float, high: float) -> tuple[float, float]:
    """The ends of a gain, as the difference a minus b that users see: where lower is better, it has the other sign."""
    low, high = low * loss.max_loss, high * loss.max_loss
    return (0.0 - high, 0.0 - low) if loss.lower_is_better else (low, high)


def _with_label_noise(
    pair: PairedDifference, found: DifferenceEstimate, label_noise: float
) -> tuple[DifferenceEstimate, float]:
    """The estimate with an interval that allows for label noise, and by how much that moves each end."""
    if not label_noise:
        return found, 0.0
    bounds = NoiseBounds.of(pair.predictions, pair.labels, label_noise, first=0)
    shift = float(bounds.shift[1])
    if not shift:
        return found, shift
    low, high = (float(end[1]) for end in bounds.widened(np.array(found.low), np.array(found.high)))
    return found._replace(low=low, high=high, p_value=nan), shift


def _check_input(predictions: Predictions, labels: Labels, label_noise: float) -> None:
    check_pool(predictions)
    check_labels(predictions, labels)
    check_label_noise(label_noise, classes=predictions.classes is not None)


def _check_anytime(anytime: bool, about: str, cluster: str | None, pair: PairedDifference) -> None:
    if not anytime or pair.complete:
        return
    what = "an interval for future data" if about == FUTURE else "an interval by clusters"
    if about == FUTURE or (cluster is not None and drawn_in_clusters(pair.labels)):
        other = "compare on the pool, or " if about == FUTURE else ""
        raise InputError(
            f"{what} is for a number of labels fixed in advance; {other}leave out --anytime (anytime= in Python)"
        )
