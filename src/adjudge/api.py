"""What a user calls: rank, select. The command line does no more than this."""

from warnings import warn

import numpy as np

from adjudge import registry
from adjudge._version import __version__
from adjudge.core.estimate import Answer
from adjudge.core.index import fingerprint, ids_at
from adjudge.core.labels import Labels, RunHeader
from adjudge.core.losses import Loss
from adjudge.core.predictions import Predictions
from adjudge.core.votes import votes
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.loop import hand_out

DEFAULT_SELECTOR = "random"


def rank(
    predictions: Predictions,
    labels: Labels | None = None,
    method: str | None = None,
    *,
    loss: Loss | None = None,
    options: registry.Options | None = None,
) -> Answer:
    """Rank the models: by agreement without labels, by accuracy with them.

    `options` are those of the method, by name.
    Labels that were drawn give intervals and tiers; labels chosen some other way give only an order.
    """
    labels = Labels.empty(predictions.values.shape[1]) if labels is None else labels
    if labels.pool != predictions.values.shape[1]:
        raise InputError(
            f"the labels belong to a pool of {labels.pool} samples, the predictions have "
            f"{predictions.values.shape[1]}; read them with the predictions they were made for"
        )
    _warn_about(predictions, labels)
    return registry.ranker(method or _suited(labels), loss, options).rank(predictions, labels)


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

    Method and seed are those of the log that is gone on with, where nothing else is said.
    """
    samples = predictions.values.shape[1]
    given = Labels.empty(samples) if labels is None else labels
    method = method or given.header.method or DEFAULT_SELECTOR
    seed = (given.header.seed or 0) if seed is None else seed
    left = samples - len(given)
    if not 1 <= budget <= left:
        raise InputError(
            f"a budget of {budget} was asked for but {left} of {samples} samples are open; "
            f"give a number from 1 to {left}"
        )
    picker = registry.selector(method, options).start(predictions, given, budget, seed)
    return hand_out(picker, given.with_header(header_for(predictions, method, seed, options)), budget)


def header_for(predictions: Predictions, method: str, seed: int, options: registry.Options | None = None) -> RunHeader:
    """What a log says about the run that made it; arrays are too large to be said."""
    told = {name: str(value) for name, value in (options or {}).items() if not isinstance(value, np.ndarray)}
    return RunHeader(method, told, seed, fingerprint(predictions.samples), __version__)


def _suited(labels: Labels) -> str:
    """The ranker for these labels."""
    if not labels.usable.any():
        return "agreement"
    return "labeled" if np.isnan(labels.weight).all() else "drawn"


def _warn_about(predictions: Predictions, labels: Labels) -> None:
    """Things that are allowed, and what they mean."""
    models, samples = predictions.values.shape
    if models == 1:
        _say("there is one model only, so there is nothing to compare it with")
    if samples == 1:
        _say("there is one sample only, which cannot tell models apart by more than one answer")
    if models > 1 and predictions.classes is not None and bool(votes(predictions).unanimous.all()):
        _say("all models say the same about every sample, so no label can tell them apart")
    if labels.skipped:
        _say(
            f"{labels.skipped} sample{'s' * (labels.skipped > 1)} could not be labeled; the numbers "
            "are about the samples that can be"
        )
    pending = np.flatnonzero(~labels.answered)
    waiting = int(labels.usable[pending[0] :].sum()) if pending.size else 0
    if waiting and not np.isnan(labels.weight).all():
        name = ids_at(predictions.samples, labels.sample[pending[:1]])[0]
        _say(
            f"sample {name!r} was drawn before {waiting} labeled sample{'s' * (waiting > 1)} but has no "
            "label yet, so these wait for it; label it, or write SKIP if nobody can"
        )


def _say(sentence: str) -> None:
    warn(sentence, AdjudgeWarning, stacklevel=4)
