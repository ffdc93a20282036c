"""Compare two models: the paired difference with its interval and flips, and a test of superiority or equivalence."""

from dataclasses import replace
from math import ceil, inf, isnan, nan
from typing import Any

import numpy as np

from adjudge.core.labels import Labels
from adjudge.core.losses import Loss, ZeroOne, default_loss
from adjudge.core.predictions import Predictions, place_of
from adjudge.decisions.checks import check_labels, check_pool, warn_about_labels
from adjudge.decisions.comparison import FUTURE, POOL, TESTS, UNDECIDED, Comparison
from adjudge.decisions.rank import drawn_in_clusters
from adjudge.errors import InputError
from adjudge.inference.clusters import Clusters
from adjudge.inference.intervals import check_level
from adjudge.inference.label_noise import NoiseBounds, check_label_noise
from adjudge.inference.paired_difference import DifferenceEstimate, PairedDifference
from adjudge.inference.paired_future import by_clusters, paired_future
from adjudge.methods.pooled.control_variate import with_control_variate


def compare(
    predictions: Predictions,
    a: str,
    b: str,
    labels: Labels,
    *,
    test: str = "superior",
    margin: float = 0.0,
    level: float = 0.95,
    loss: Loss | None = None,
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
    label_noise, cluster
        The share of labels that may be wrong; the column of samples that belong together.
    about, anytime
        "pool", these samples, or "future", data of the same kind; by default the pool, until all of it is labeled.
        Whether the interval about the pool holds at every number of labels at once, for repeated checks.

    Examples
    --------
    >>> from adjudge import fill, from_frame, select
    >>> pool = from_frame({"id": list("abcd"), "net": ["cat", "dog", "cat", "cat"], "tree": ["cat"] * 4})
    >>> labels = fill(select(pool, 4), pool, {"a": "cat", "b": "dog", "c": "dog", "d": "cat"})
    >>> compare(pool, "net", "tree", labels, about="pool")
    Comparison(net - tree: accuracy +0.250, 95% interval +0.250 to +0.250; superior: shown)
    """
    _check_input(predictions, labels, label_noise)
    places = place_of(a, predictions), place_of(b, predictions)
    loss = loss or default_loss(predictions, labels)
    _check_claim(a, b, test, margin, level, loss, about)
    warn_about_labels(predictions, labels, places, cluster)
    judges = with_control_variate if predictions.judges else None
    pair = PairedDifference.of(predictions, places, labels.settled(), loss, judges)
    about = about or (FUTURE if np.count_nonzero(labels.answered) == labels.pool else POOL)
    estimated = _estimated(pair, level, label_noise, loss, about, anytime, cluster)
    found = Comparison(a=a, b=b, test=test, margin=margin, holds=False, **estimated, **_counts(pair))
    known = bool(pair.informative.any()) or not pair.differing_skipped
    return _with_more(replace(found, holds=known and _holds(found)))


def _with_more(found: Comparison) -> Comparison:
    """With the number of labels that the claim still takes where the two differ.

    The half width of an interval shrinks with the root of 1/n - 1/N, where n of N samples are labeled.
    """
    value, (low, high), (done, size) = found.gain, found.decisive, (found.differing_labeled, found.differing)
    if found.verdict != UNDECIDED or found.about == FUTURE or not done or isnan(value):
        return found
    gap, half = value - found.margin if found.test == "superior" else value + found.margin, value - low
    if found.test == "equivalent":
        gap, half = found.margin - abs(value), max(half, high - value)
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


def _counts(pair: PairedDifference) -> dict[str, Any]:
    """The numbers of samples and labels in a comparison, by the names of its fields."""
    a_better_share, b_better_share = pair.flip_shares()
    return {
        "complete": pair.complete,
        "labels": int(pair.counted.sum()),
        "skipped": pair.labels.skipped,
        "samples": pair.samples,
        "differing": pair.differing,
        "differing_skipped": pair.differing_skipped,
        "differing_labeled": int(pair.informative.sum()),
        "a_better": int((pair.gain > 0).sum()),
        "b_better": int((pair.gain < 0).sum()),
        "a_better_share": a_better_share,
        "b_better_share": b_better_share,
    }


def _holds(found: Comparison) -> bool:
    (low, high), margin = found.decisive, found.margin
    if found.test == "superior":
        return bool(low > margin)
    return bool(low > -margin and (found.test == "non-inferior" or high < margin))


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


def _check_claim(a: str, b: str, test: str, margin: float, level: float, loss: Loss, about: str | None) -> None:
    if a == b:
        raise InputError(f"{a!r} is compared with itself; name two models")
    if test not in TESTS:
        raise InputError(f"there is no test {test!r}; use one of {', '.join(TESTS)}")
    if about not in (None, POOL, FUTURE):
        raise InputError(f"about={about!r} is not known; use {POOL!r} or {FUTURE!r}")
    if not 0 <= margin < inf:
        raise InputError(f"the margin {margin:g} is not a number from 0 up; give it in the units of the difference")
    if margin == 0 and test != "superior":
        raise InputError(f"{test!r} needs a margin above zero: the difference that would still be small enough")
    if loss.bounded and margin >= loss.max_loss:
        smaller = f"points are written as fractions, 5 as 0.05, so this may be {margin / 100:g}"
        raise InputError(
            f"a margin of {margin:g} {'can never be shown' if test == 'superior' else 'asks for nothing'}, since no "
            f"difference in {loss.quantity} is above {loss.max_loss:g}; "
            f"{smaller if isinstance(loss, ZeroOne) else 'give a smaller one'}"
        )
    check_level(level)
