"""What a user calls: rank, estimate, select. The command line calls the same."""

from dataclasses import replace
from functools import partial
from operator import index

import numpy as np

from adjudge import registry
from adjudge._version import __version__
from adjudge.core.index import counted, fingerprint
from adjudge.core.labels import Labels, Names, RunHeader
from adjudge.core.predictions import Predictions, place_of
from adjudge.core.ranking import Ranking
from adjudge.core.sampling import draw_uniform_among, hand_out, still_open
from adjudge.core.strata import disputed, with_pair
from adjudge.decisions.checks import check_labels, check_parts, check_pool, say, warn_about_labels
from adjudge.decisions.rank import LEVEL, RankOptions, drawn_in_clusters, rank_checked, rank_pool
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.inference.clusters import Clusters
from adjudge.inference.weighted import weighted_ranking
from adjudge.io.given import LabelsLike, PredictionsLike, given_labels, given_pool
from adjudge.losses.loss import Loss, default_loss

PAIR_SELECTOR = "random"  # the method of a log that begins with draws where two models differ


def rank(
    predictions: PredictionsLike,
    labels: LabelsLike | None = None,
    method: str | None = None,
    *,
    loss: Loss | None = None,
    options: registry.Options | None = None,
    metric: str | None = None,
    positive: str | None = None,
    label_noise: float = 0.0,
    margin: float | None = None,
    cluster: str | None = None,
    level: float = LEVEL,
) -> Ranking:
    """Rank the models: by agreement without labels, by accuracy or another metric with them, by their mean score.

    Labels that were drawn give intervals and tiers; others give only an order.

    Parameters
    ----------
    predictions, labels
        Or a frame, as for `from_frame`; and a dict of sample ids to labels, or a frame, as for `read_labels`.
    method, options
        A ranker of `list_methods`, by default what suits the labels; and its options, by name.
    loss, metric, positive
        What an error costs, by default zero-one for classes, squared for numbers; or a metric such as "f1" (of the
        positive class), "mcc" or "rmse".
    label_noise, cluster, level
        The share of labels that may be wrong, and the column of samples that belong together: both widen the intervals.
    margin
        A loss that does not matter, by default 0.01; for MSE, costs and the like, 5% of the first model's.

    Examples
    --------
    >>> from adjudge import fill, from_frame
    >>> pool = from_frame({"id": list("abcd"), "net": ["cat", "dog", "cat", "cat"], "tree": ["cat"] * 4})
    >>> labels = fill(select(pool, 4), pool, {"a": "cat", "b": "dog", "c": "dog", "d": "cat"})
    >>> rank(pool, labels).best
    'net'
    """
    told = RankOptions(method, loss, options, metric, positive, label_noise, margin, cluster, level)
    return rank_pool(*given_pool(predictions, labels), told)


def estimate(
    predictions: PredictionsLike,
    model: str,
    labels: LabelsLike,
    loss: Loss | None = None,
    *,
    metric: str | None = None,
    positive: str | None = None,
    cluster: str | None = None,
    level: float = LEVEL,
) -> Ranking:
    """What one model is worth on the whole pool, with an interval where the labels were drawn.

    Labels chosen some other way give the mean on the labeled samples, which is no estimate for the pool.

    Parameters
    ----------
    metric, positive, cluster, level
        As for `rank`.

    Returns
    -------
    Ranking
        Of this model alone.

    Examples
    --------
    >>> from adjudge import fill, from_frame
    >>> pool = from_frame({"id": list("abcd"), "net": ["cat", "dog", "cat", "cat"], "tree": ["cat"] * 4})
    >>> truth = {"a": "cat", "b": "dog", "c": "dog", "d": "cat"}
    >>> estimate(pool, "net", fill(select(pool, 4), pool, truth))
    Ranking by accuracy, 4 labels
      rank  model  value    low   high
         1  net    0.750  0.750  0.750
    """
    predictions, labels = given_labels(predictions, labels)
    check_pool(predictions)
    check_labels(predictions, labels)
    place = place_of(model, predictions)
    if not labels.usable.any():
        raise NotEnoughLabels(
            f"none of the {labels.pool} samples has a label yet, so nothing can be said about {model!r}; "
            "get samples to label with `select`"
        )
    warn_about_labels(predictions, labels, cluster=cluster)
    told = RankOptions(loss=loss, metric=metric, positive=positive, cluster=cluster, level=level)
    return _estimated(predictions, labels, told).only(place)


def _estimated(predictions: Predictions, labels: Labels, told: RankOptions) -> Ranking:
    """Of all models, whose disputes make the strata and whose numbers the range, so that one is judged as by `rank`."""
    if told.metric is not None or told.positive is not None:
        return rank_checked(predictions, labels, told)
    if told.cluster is not None and drawn_in_clusters(labels):
        clusters = Clusters.of(predictions, told.cluster)
        return weighted_ranking(predictions, labels.settled(), told.loss, told.level, clusters=clusters)
    name = registry.estimator_for(labels)
    options = {"level": told.level} if registry.takes(name, "level") else {}
    answer = registry.ranker(name, told.loss or default_loss(predictions, labels), options).rank(predictions, labels)
    _warn_about_chosen(answer, labels)
    return answer


def select(
    predictions: PredictionsLike,
    budget: int,
    method: str | None = None,
    *,
    labels: LabelsLike | None = None,
    seed: int | None = None,
    options: registry.Options | None = None,
    models: tuple[str, str] | None = None,
    metric: str | None = None,
    positive: str | None = None,
) -> Labels:
    """Choose the samples to label next.

    Parameters
    ----------
    method, options
        A selector of `list_methods`, by default `pooled`; and its options.
    labels
        The log to go on from, with its method, seed and options where nothing else is said.
    models
        Draw uniformly where these two differ, for `compare`: such labels say nothing about accuracies.
    metric, positive
        Draw where it is decided: samples that may be of the positive class.

    Returns
    -------
    Labels
        The log with the new samples, pending. `fill` adds their labels.

    Examples
    --------
    >>> from adjudge import from_frame
    >>> pool = from_frame({"id": list("abcd"), "net": [0, 1, 0, 0], "tree": [0, 0, 0, 1]})
    >>> select(pool, 2, models=("net", "tree")).sample.tolist()
    [3, 1]
    """
    predictions, given = _begun(*given_pool(predictions, labels))
    check_parts(predictions, registry.selector_for(method, given.header))
    seed = _checked_seed(given.header.seed or 0 if seed is None else seed)
    options = registry.aimed(registry.selector_for(method, given.header), options, metric, positive)
    if models is not None:
        return _select_where_two_differ(predictions, given, budget, method, seed, options, models)
    if (method := registry.selector_for(method, given.header)) == given.header.method:
        options = {**given.header.parameters, **(options or {})}
    count = _budget(budget, left := given.pool - len(given), f"{left} of {given.pool} samples are left to label")
    given = given.with_header(_continued(header_for(predictions, method, seed, options), given))
    picker = registry.selector(method, options).start(predictions, given, count, seed)
    return hand_out(picker, given, count)


def _begun(predictions: Predictions, labels: Labels | None) -> tuple[Predictions, Labels]:
    """The pool and the log to go on from, which may be empty."""
    check_pool(predictions)
    log = Labels.empty(len(predictions.samples)) if labels is None else labels
    check_labels(predictions, log)
    return predictions, replace(log, names=Names.of(predictions))


def _continued(header: RunHeader, given: Labels) -> RunHeader:
    """The strata of a run are those of the models it began with: weights drawn from them stay valid."""
    before = given.header
    rows = before.given if before.method else len(given)
    return replace(header, models=before.models or header.models, pairs=before.pairs, given=rows)


def _select_where_two_differ(
    predictions: Predictions,
    given: Labels,
    budget: int,
    method: str | None,
    seed: int,
    options: registry.Options | None,
    models: tuple[str, str],
) -> Labels:
    """More samples from those on which two models differ, each with the same chance."""
    if method not in (None, PAIR_SELECTOR) or options:
        what = "it takes no options" if options else f"which {method!r} does not; leave out the method"
        raise InputError(f"a selection for two models draws uniformly where the two differ, {what}")
    if len(models) != 2 or len({place_of(name, predictions) for name in models}) < 2:
        raise InputError("samples on which two models differ are asked for; name two different models")
    first, second = models
    differ = disputed(predictions, (first, second))
    if not differ.any():
        raise InputError(f"{first!r} and {second!r} say the same about every sample, so no label can tell them apart")
    left = int(np.count_nonzero(differ[still_open(given)]))
    total = counted(int(differ.sum()), "sample")
    count = _budget(budget, left, f"{first!r} and {second!r} differ on {total}, of which {left:,} are left to label")
    header = header_for(predictions, given.header.method or PAIR_SELECTOR, seed, given.header.parameters)
    header, stratum = with_pair(_continued(header, given), (first, second))
    picker = partial(draw_uniform_among, members=differ, stratum=stratum, seed=seed)
    return hand_out(picker, given.with_header(header), count)


def _checked_seed(seed: int) -> int:
    if seed < 0:
        raise InputError(f"the seed {seed} is below zero; give a whole number from 0 up")
    return seed


def _budget(budget: object, left: int, why: str) -> int:
    """A number of samples that are left, of Python or of numpy."""
    count = _whole(budget)
    if count is None or not 1 <= count <= left:
        asked = f"give a whole number from 1 to {left:,}" if left else "there is nothing left to label"
        raise InputError(f"a budget of {budget} was asked for but {why}; {asked}")
    return count


def _whole(number: object) -> int | None:
    """None: it is not a whole number, of Python or of numpy."""
    try:
        return None if isinstance(number, bool) else index(number)  # type: ignore[arg-type]
    except TypeError:
        return None


def header_for(predictions: Predictions, method: str, seed: int, options: registry.Options | None = None) -> RunHeader:
    """What a log says about the run that made it; arrays are too large to be said."""
    told = {name: str(value) for name, value in (options or {}).items() if not isinstance(value, np.ndarray)}
    return RunHeader(method, told, seed, fingerprint(predictions.samples), __version__, predictions.models)


def _warn_about_chosen(answer: Ranking, labels: Labels) -> None:
    if registry.suited(labels) == "labeled" and not answer.estimate.has_interval:
        say(
            "as far as is known, these labels were not drawn at random: the value is the mean on the labeled samples, "
            "not an estimate for the whole pool"
        )
