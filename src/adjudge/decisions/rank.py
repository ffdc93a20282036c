"""The ranking of a pool: the ranker that suits its labels, or a metric, with label noise."""

from dataclasses import dataclass, replace
from math import inf
from warnings import catch_warnings, simplefilter

import numpy as np

from adjudge import registry
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.strata import only_pair
from adjudge.decisions.checks import check_labels, check_parts, check_pool, say, warn_about_labels, warn_about_pool
from adjudge.decisions.recommend import recommend
from adjudge.errors import AdjudgeWarning, InputError, NotEnoughLabels
from adjudge.inference.clusters import Clusters
from adjudge.inference.intervals import check_level
from adjudge.inference.label_noise import check_label_noise, with_label_noise
from adjudge.inference.metrics.ratios import FEWEST, LABELS_PER_CLASS, RatioMetric
from adjudge.inference.metrics.registry import as_mean, named_metric
from adjudge.inference.vote_trust import refutation
from adjudge.inference.weighted import weighted_ranking
from adjudge.losses.loss import Loss, default_loss, graded_samples

LEVEL = 0.95


@dataclass(frozen=True)
class RankOptions:
    """What can be said about a ranking besides predictions and labels: the other parameters of `rank`."""

    method: str | None = None
    loss: Loss | None = None
    options: registry.Options | None = None
    metric: str | None = None
    positive: str | None = None
    label_noise: float = 0.0
    margin: float | None = None
    cluster: str | None = None
    level: float = LEVEL


@dataclass(frozen=True)
class MetricRanker:
    """Rank by a metric as `rank` does, for those who ask for a ranker."""

    metric: str
    positive: str | None = None
    level: float = LEVEL

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        if not labels.usable.any():
            raise NotEnoughLabels(f"no sample is labeled yet, so nothing is known about {self.metric}")
        with catch_warnings():
            simplefilter("ignore", AdjudgeWarning)
            told = RankOptions(metric=self.metric, positive=self.positive, level=self.level)
            return _ranking(*_by_loss(predictions, labels, told), None)


def rank_pool(predictions: Predictions, labels: Labels | None, wanted: RankOptions) -> Ranking:
    """Check the pool and its labels, warn about what is odd, and rank: all of `adjudge.rank`."""
    check_pool(predictions)
    check_parts(predictions, wanted.method)  # first of all: the number of samples may take a read to know
    if labels is None:
        labels = graded_samples(predictions) or Labels.empty(predictions.values.shape[1])
    check_labels(predictions, labels)
    check_parts(predictions, wanted.method or registry.suited(labels))
    warn_about_pool(predictions)
    warn_about_labels(predictions, labels, cluster=wanted.cluster)
    ranking = rank_checked(predictions, labels, wanted)
    by_labels = wanted.metric is not None or wanted.method is None or registry.takes(wanted.method, "loss")
    if not by_labels and (against := refutation(ranking, predictions, labels)) is not None:
        say(f"the labels contradict {wanted.method}: {against}; leave out the method to rank by labels alone")
    return ranking


def rank_checked(predictions: Predictions, labels: Labels, wanted: RankOptions) -> Ranking:
    """Rank, with the recommendation; whoever calls has checked pool and labels, and warned about them."""
    check_level(wanted.level)
    predictions, labels, wanted = _by_loss(predictions, labels, wanted)
    clusters = None if wanted.cluster is None else Clusters.of(predictions, wanted.cluster)
    ranking = _ranking(predictions, labels, wanted, clusters)
    if wanted.margin is not None and not 0 < wanted.margin < inf:
        raise InputError(f"the margin {wanted.margin:g} is not a number above zero; give it in the units of the metric")
    advice = recommend(predictions, labels, ranking, wanted.loss, margin=wanted.margin, clusters=clusters)
    return replace(ranking, recommendation=advice)


def _by_loss(predictions: Predictions, labels: Labels, wanted: RankOptions) -> tuple[Predictions, Labels, RankOptions]:
    """A metric that is a mean of losses becomes its loss, and the pool that it is about."""
    if wanted.metric is None and wanted.positive is None:
        return predictions, labels, wanted
    found = metric_loss(predictions, labels, wanted.metric, wanted.positive, wanted.loss)
    if found is None:
        return predictions, labels, wanted
    return found[0], labels, replace(wanted, loss=found[1], metric=None)


def metric_loss(
    predictions: Predictions, labels: Labels, metric: str | None, positive: str | None, loss: Loss | None = None
) -> tuple[Predictions, Loss] | None:
    """The pool and the loss of a metric that is a mean of losses; None: it is not."""
    if metric is None:
        raise InputError(
            f"the class {positive!r} is given without a metric; add a metric that is about one class, such as f1"
        )
    if loss is not None:
        raise InputError(f"{metric} cannot be combined with a loss; leave out one of the two")
    return as_mean(metric, predictions, labels, positive)


def drawn_in_clusters(labels: Labels) -> bool:
    """Whether labels may have been drawn cluster by cluster, as those may that adjudge did not draw itself.

    Once all samples are labeled, it does not matter.
    """
    given = labels.header.given if labels.header.method else len(labels)
    drawn = bool((~np.isnan(labels.weight[:given])).any())
    return drawn and int(labels.answered.sum()) < labels.pool


def _ranking(predictions: Predictions, labels: Labels, wanted: RankOptions, clusters: Clusters | None) -> Ranking:
    method = wanted.method or registry.suited(labels, predictions)
    check_label_noise(wanted.label_noise, classes=predictions.classes is not None)
    if wanted.metric is not None:
        return _rank_by_metric(predictions, labels, wanted)
    if clusters is not None and drawn_in_clusters(labels):
        if wanted.method not in (None, "drawn") or wanted.options or wanted.label_noise:
            raise InputError(
                "with labels of whole clusters, models are ranked by `drawn`, without options and label noise; leave "
                "out another method, options and label noise"
            )
        return weighted_ranking(predictions, labels.settled(), wanted.loss, wanted.level, clusters=clusters)
    if predictions.grades is not None and not labels.usable.any():
        raise NotEnoughLabels(
            "no sample has grades for all of its answers yet, so nothing orders the models; add grades"
        )
    if wanted.loss is not None and not registry.takes(method, "loss"):
        say(f"`loss` is ignored by `{method}`, which looks at votes only")
    options = dict(wanted.options or {})
    if wanted.level != LEVEL and registry.takes(method, "level"):
        options.setdefault("level", wanted.level)
    answer = registry.ranker(method, wanted.loss, options).rank(predictions, labels)
    if not wanted.label_noise:
        return answer
    if not answer.estimate.has_interval:
        raise InputError(
            "label noise widens intervals, and this ranking has none; intervals need labels drawn at random"
        )
    max_loss = (wanted.loss or default_loss(predictions, labels)).max_loss
    return with_label_noise(answer, predictions, labels.settled(), wanted.label_noise, max_loss)


def _rank_by_metric(predictions: Predictions, labels: Labels, wanted: RankOptions) -> Ranking:
    assert wanted.metric is not None
    others = (
        ("a method", wanted.method),
        ("its options", wanted.options),
        ("label noise", wanted.label_noise),
        ("clusters", wanted.cluster),
    )
    for what, given in others:
        if given:
            raise InputError(f"{wanted.metric} cannot be combined with {what}; leave out one of the two")
    if (pair := only_pair(labels)) is not None:
        raise InputError(
            f"{wanted.metric} needs labels from the whole pool, and these were drawn where {pair[0]!r} and {pair[1]!r} "
            "differ; draw more with `adjudge select --goal estimate`"
        )
    answer = RatioMetric(wanted.metric, wanted.positive, wanted.level).rank(predictions, labels)
    if not answer.estimate.has_interval and registry.suited(labels) == "pooled":
        say(_why_no_interval(wanted.metric))
    return answer


def _why_no_interval(metric: str) -> str:
    kind = named_metric(metric).metric
    if kind.scale is None:
        return f"{metric} has no interval: its estimate is too high where labels are few, and by how much is not known"
    if kind.classes is not None or kind.one_class:
        return (
            f"{metric} has a value once a sample of each class is labeled, and an interval once {LABELS_PER_CLASS} are"
        )
    return f"{metric} has an interval from {FEWEST} labels on"
