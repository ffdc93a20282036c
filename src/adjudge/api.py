"""What a user calls: rank, estimate, select. The command line does no more than this."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import index
from typing import Any
from warnings import warn

import numpy as np

from adjudge import registry
from adjudge._version import __version__
from adjudge.core.index import as_index, counted, fingerprint, ids_at, listed
from adjudge.core.labels import Labels, RunHeader
from adjudge.core.losses import Loss, default_loss
from adjudge.core.predictions import Predictions, place_of
from adjudge.core.ranking import Ranking
from adjudge.core.sampling import hand_out
from adjudge.core.votes import votes
from adjudge.errors import AdjudgeWarning, InputError, LabelsError, NotEnoughLabels
from adjudge.inference.cluster_check import clustered_by
from adjudge.inference.label_noise import check_label_noise, with_label_noise
from adjudge.inference.ratios import LABELS_PER_CLASS, RatioMetric
from adjudge.inference.vote_trust import refutation
from adjudge.io.labels.values import as_written, parse_labels

DEFAULT_SELECTOR = "pooled"


@dataclass(frozen=True)
class RankOptions:
    """What can be said about a ranking besides predictions and labels.

    `metric` is one of "balanced-accuracy", "macro-f1" and "f1", the last with the class it is about; `label_noise`
    the share of labels that may be wrong.
    """

    method: str | None = None
    loss: Loss | None = None
    options: registry.Options | None = None
    metric: str | None = None
    positive: str | None = None
    label_noise: float = 0.0


def rank(
    predictions: Predictions,
    labels: Labels | None = None,
    method: str | None = None,
    *,
    loss: Loss | None = None,
    options: registry.Options | None = None,
    metric: str | None = None,
    positive: str | None = None,
    label_noise: float = 0.0,
) -> Ranking:
    """Rank the models: by agreement without labels, by accuracy or another metric with them.

    Labels that were drawn give intervals and tiers; labels chosen some other way give only an order. `options` are
    those of the method, by name. `metric` is one of "balanced-accuracy", "macro-f1" and "f1", the last of the
    `positive` class. `label_noise` is the share of labels that may be wrong, which widens the intervals.
    """
    check_pool(predictions)
    labels = Labels.empty(predictions.values.shape[1]) if labels is None else labels
    check_labels(predictions, labels)
    _warn_about_pool(predictions)
    warn_about_labels(predictions, labels)
    answer = rank_quietly(predictions, labels, RankOptions(method, loss, options, metric, positive, label_noise))
    by_labels = metric is not None or method is None or registry.takes(method, "loss")
    if not by_labels and (against := refutation(answer, predictions, labels)) is not None:
        _say(f"the labels contradict {method}: {against}; leave out the method to rank by labels alone")
    return answer


def rank_quietly(predictions: Predictions, labels: Labels, wanted: RankOptions) -> Ranking:
    """The ranking of a pool and a log that were looked at before."""
    method = wanted.method or registry.suited(labels)
    check_label_noise(wanted.label_noise, classes=predictions.classes is not None)
    if wanted.metric is not None or wanted.positive is not None:
        return _rank_by_metric(predictions, labels, wanted)
    if wanted.loss is not None and not registry.takes(method, "loss"):
        _say(f"`loss` is ignored by `{method}`, which looks at votes only")
    answer = registry.ranker(method, wanted.loss, wanted.options).rank(predictions, labels)
    if not wanted.label_noise:
        return answer
    if not answer.estimate.has_interval:
        raise InputError(
            "label noise widens intervals, and this ranking has none; intervals need labels drawn at random"
        )
    bound = (wanted.loss or default_loss(predictions, labels)).bound
    return with_label_noise(answer, predictions, labels.settled(), wanted.label_noise, bound)


def _rank_by_metric(predictions: Predictions, labels: Labels, wanted: RankOptions) -> Ranking:
    if wanted.metric is None:
        raise InputError(
            f"the class {wanted.positive!r} is given without a metric; add the metric f1, which is about one class"
        )
    others = (
        ("a method", wanted.method),
        ("its options", wanted.options),
        ("a loss", wanted.loss),
        ("label noise", wanted.label_noise),
    )
    for what, given in others:
        if given:
            raise InputError(f"{wanted.metric} cannot be combined with {what}; leave out one of the two")
    answer = RatioMetric(wanted.metric, wanted.positive).rank(predictions, labels)
    if not answer.estimate.has_interval and registry.suited(labels) == "drawn":
        _say(
            f"{wanted.metric} has a value once a sample of each class is labeled, and an interval once "
            f"{LABELS_PER_CLASS} are"
        )
    return answer


def estimate(predictions: Predictions, model: str, labels: Labels, loss: Loss | None = None) -> Ranking:
    """What one model is worth on the whole pool, with an interval where the labels were drawn.

    Labels chosen some other way give the mean on the labeled samples, which is no estimate for the pool.

    >>> from adjudge import from_frame
    >>> pool = from_frame({"id": list("abcd"), "net": ["cat", "dog", "cat", "cat"], "tree": ["cat"] * 4})
    >>> truth = {"a": "cat", "b": "dog", "c": "dog", "d": "cat"}
    >>> estimate(pool, "net", fill(select(pool, 4), pool, truth))
    Ranking by accuracy, 4 labels
      rank  model  value    low   high
         1  net    0.750  0.750  0.750
    """
    check_pool(predictions)
    check_labels(predictions, labels)
    place = place_of(model, predictions)
    if not labels.usable.any():
        raise NotEnoughLabels(
            f"none of the {labels.pool} samples has a label yet, so nothing can be said about {model!r}; "
            "get samples to label with `select`"
        )
    warn_about_labels(predictions, labels)
    # with all models, whose disputes make the strata and whose numbers the range, so that it is judged as by `rank`
    ranker = registry.ranker(registry.suited(labels), loss or default_loss(predictions, labels))
    answer = ranker.rank(predictions, labels).only(place)
    _warn_about_chosen(answer, labels)
    return answer


def select(
    predictions: Predictions,
    budget: int,
    method: str | None = None,
    *,
    labels: Labels | None = None,
    seed: int | None = None,
    options: registry.Options | None = None,
) -> Labels:
    """The log with `budget` more samples to label, pending; earlier rows are kept as they are.

    Method, seed and each option are those of the log that is gone on with, where nothing else is said.
    """
    check_pool(predictions)
    samples = predictions.values.shape[1]
    given = Labels.empty(samples) if labels is None else labels
    method = method or given.header.method or DEFAULT_SELECTOR
    seed = (given.header.seed or 0) if seed is None else seed
    if method == given.header.method:
        options = {**given.header.parameters, **(options or {})}
    left = samples - len(given)
    if seed < 0:
        raise InputError(f"the seed {seed} is below zero; give a whole number from 0 up")
    count = _whole(budget)
    if count is None or not 1 <= count <= left:
        raise InputError(
            f"a budget of {budget} was asked for but {left} of {samples} samples are left to label; "
            f"give a whole number from 1 to {left}"
        )
    header = header_for(predictions, method, seed, options)
    # the strata of a run are those of the models it began with: weights drawn from them stay valid
    given = given.with_header(replace(header, models=given.header.models or header.models))
    picker = registry.selector(method, options).start(predictions, given, count, seed)
    return hand_out(picker, given, count)


def _whole(number: object) -> int | None:
    """None: it is not a whole number, of Python or of numpy."""
    try:
        return None if isinstance(number, bool) else index(number)  # type: ignore[arg-type]
    except TypeError:
        return None


def fill(plan: Labels, predictions: Predictions, answers: Mapping[Any, object]) -> Labels:
    """The plan with answers by sample id: a class name, a number, or SKIP; what has no answer stays pending.

    >>> from adjudge import SKIP, from_frame
    >>> pool = from_frame({"id": ["a", "b"], "net": ["cat", "dog"], "tree": ["cat", "cat"]})
    >>> fill(select(pool, 2), pool, {"a": "cat", "b": SKIP})
    Labels(2 of 2 samples: 1 labeled, 1 skipped)
    """
    names = ids_at(predictions.samples, plan.sample)
    answers = {str(name): answer for name, answer in answers.items()}  # 7 and "7" are the same sample, as in files
    if strangers := sorted(set(answers) - set(names)):
        raise LabelsError(f"sample {strangers[0]!r} is not in the plan; answer the samples that were handed out")
    rows = np.array([row for row, name in enumerate(names) if name in answers], dtype=np.int64)
    given = [names[row] for row in rows]
    parsed = parse_labels(as_written(answers[name] for name in given), predictions, as_index(given))
    known = len(predictions.classes or ())
    for name, number, said in zip(given, parsed.value, parsed.answered, strict=True):
        if not said or (parsed.new and number >= known):
            found = "is not one of the classes; add it with `with_classes`," if said else "is blank;"
            raise LabelsError(
                f"the answer {answers[name]!r} for sample {name!r} {found} leave the sample out to keep it pending, or "
                "answer SKIP if nobody can tell"
            )
    value, answered = plan.value.copy(), plan.answered.copy()
    value[rows], answered[rows] = parsed.value, True
    return replace(plan, value=value, answered=answered)


def header_for(predictions: Predictions, method: str, seed: int, options: registry.Options | None = None) -> RunHeader:
    """What a log says about the run that made it; arrays are too large to be said."""
    told = {name: str(value) for name, value in (options or {}).items() if not isinstance(value, np.ndarray)}
    return RunHeader(method, told, seed, fingerprint(predictions.samples), __version__, predictions.models)


def check_pool(predictions: object) -> None:
    if not isinstance(predictions, Predictions):
        raise InputError(
            f"a {type(predictions).__name__} is given where predictions are needed; make them with "
            "`adjudge.from_frame(...)` or `adjudge.read(path)`"
        )


def check_labels(predictions: Predictions, labels: object) -> None:
    if not isinstance(labels, Labels):
        raise InputError(
            f"a {type(labels).__name__} is given where labels are needed; read them with `adjudge.read_labels(path, "
            "pool)`"
        )
    if labels.pool != predictions.values.shape[1]:
        raise InputError(
            f"the labels belong to a pool of {labels.pool} samples, the predictions have "
            f"{predictions.values.shape[1]}; read them with the predictions they were made for"
        )
    predictions.check_labels(labels.value)


def _warn_about_pool(predictions: Predictions) -> None:
    """Things that are allowed, and what they mean."""
    models, samples = predictions.values.shape
    if models == 1:
        _say("there is only one model, so there is nothing to compare it with")
    if samples == 1:
        _say("there is only one sample, which tells little about the models")
    if models > 1 and predictions.classes is not None and bool(votes(predictions).unanimous.all()):
        _say("all models say the same about every sample, so no label can tell them apart")


def warn_about_labels(predictions: Predictions, labels: Labels) -> None:
    if labels.skipped:
        _say(f"{counted(labels.skipped, 'sample')} could not be labeled; the numbers are about the samples that can be")
    if (column := clustered_by(predictions, labels)) is not None:
        _say(
            f"the labeled samples share a {column!r} far more often than samples drawn one by one would; if whole "
            "groups were drawn, the intervals are too narrow: draw single samples with `adjudge select`"
        )
    if len(labels) and not labels.usable.any():
        _say(f"none of the {len(labels)} samples in the log has a label yet")
    pending = np.flatnonzero(~labels.answered)
    waiting = int(labels.usable[pending[0] :].sum()) if pending.size else 0
    if waiting and registry.suited(labels) != "labeled":
        blank = ids_at(predictions.samples, labels.sample[pending[pending < np.flatnonzero(labels.usable)[-1]]])
        _say(
            f"{waiting} of {labels.labeled} labels are not used yet: they were drawn after {listed(blank, 3)}, which "
            f"{'has' if len(blank) == 1 else 'have'} no label; label {'it' if len(blank) == 1 else 'them'}, or write "
            "SKIP where nobody can"
        )


def _warn_about_chosen(answer: Ranking, labels: Labels) -> None:
    if registry.suited(labels) == "labeled" and not answer.estimate.has_interval:
        _say(
            "as far as is known, these labels were not drawn at random: the value is the mean on the labeled samples, "
            "not an estimate for the whole pool"
        )


def _say(sentence: str) -> None:
    warn(sentence, AdjudgeWarning, stacklevel=4)
