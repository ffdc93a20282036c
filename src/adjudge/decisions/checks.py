"""What is refused or warned about before a pool and its labels are looked at."""

import shlex
from inspect import currentframe
from warnings import warn

import numpy as np

from adjudge import registry
from adjudge.core.index import counted, ids_at, listed, named
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.strata import disputed, only_pair
from adjudge.core.votes import all_unanimous, any_shared
from adjudge.decisions.abstentions import may_abstain
from adjudge.errors import AdjudgeWarning, InputError, MethodError
from adjudge.inference.cluster_check import clustered_by
from adjudge.inference.uniform_check import unlike_uniform
from adjudge.io.runs.records import runs_of_models


def check_pool(predictions: object) -> None:
    if not isinstance(predictions, Predictions):
        raise InputError(
            f"a {type(predictions).__name__} is given where predictions are needed; make them with "
            "`adjudge.from_frame(...)` or `adjudge.read(path)`"
        )


def check_parts(predictions: Predictions, method: str | None) -> None:
    """Refuse a method that needs all predictions in memory, before any is read."""
    if predictions.in_parts and method is not None and not registry.works_in_parts(method):
        able = ", ".join(each for each in registry.methods() if registry.works_in_parts(each))
        raise MethodError(
            f"{method!r} needs all predictions in memory, and these are read in parts; give more memory (--memory, "
            f"memory= in Python), or one of the methods that work so: {able}"
        )


def check_labels(predictions: Predictions, labels: object) -> None:
    if not isinstance(labels, Labels):
        raise InputError(
            f"a {type(labels).__name__} is given where labels are needed; read them with `pool, labels = "
            "adjudge.read_labels(path, pool)`"
        )
    if labels.pool != predictions.values.shape[1]:
        raise InputError(
            f"the labels belong to a pool of {labels.pool} samples, the predictions have "
            f"{predictions.values.shape[1]}; read them with the predictions they were made for"
        )
    predictions.check_labels(labels.value)


def warn_about_pool(predictions: Predictions) -> None:
    """Things that are allowed, and what they mean."""
    models, samples = predictions.values.shape
    if models == 1:
        say("there is only one model, so there is nothing to compare it with")
    if samples == 1:
        say("there is only one sample, which tells little about the models")
    if predictions.classes is not None and all_unanimous(predictions) and any_shared(predictions):
        say("all models say the same about every sample, so no label can tell them apart")
    if not predictions.declared and not predictions.in_parts and (silent := may_abstain(predictions)):
        answer, times = max(silent.items(), key=lambda item: item[1])
        say(
            f"models say {answer!r} {times:,} times; if that means that they have no answer, tell it "
            f"(--abstain {shlex.quote(answer)}, abstain= in Python)"
        )
    repeated = [name for name, runs in runs_of_models(predictions.models).items() if len(runs) > 1]
    if repeated:
        say(
            f"several runs of {named(repeated)} are ranked as models of their own, so that the luckiest run may come "
            "first; `adjudge repeats` puts them together (`repeats` in Python)"
        )


def warn_about_labels(
    predictions: Predictions, labels: Labels, pair: tuple[int, int] | None = None, cluster: str | None = None
) -> None:
    """Things about the labels that are allowed, and what they mean.

    `pair`: of two models that are compared; `cluster`: the column of clusters that intervals allow for already.
    """
    if labels.skipped:
        say(f"{counted(labels.skipped, 'sample')} could not be labeled; the numbers are about the samples that can be")
    if cluster is None and (column := clustered_by(predictions, labels)) is not None:
        say(
            f"the labeled samples share a {column!r} far more often than samples drawn one by one would; if whole "
            f"groups were drawn, the intervals are too narrow: say so (--cluster {column}, cluster= in Python)"
        )
    if (unlike := unlike_uniform(predictions, labels, pair)) is not None:
        say(
            f"{unlike.sentence}; if the samples were picked for another reason, intervals and tests do not hold: treat "
            "the labels as not randomly drawn (--drawn unknown, drawn= in Python), and draw some with `adjudge select`"
        )
    _warn_about_pair(predictions, labels, pair)
    if len(labels) and not labels.usable.any():
        say(f"none of the {len(labels)} samples in the log has a label yet")
    pending = np.flatnonzero(~labels.answered)
    waiting = int(labels.usable[pending[0] :].sum()) if pending.size else 0
    if waiting and registry.suited(labels) != "labeled":
        blank = ids_at(predictions.samples, labels.sample[pending[pending < np.flatnonzero(labels.usable)[-1]]])
        have, them = ("has", "it") if len(blank) == 1 else ("have", "them")
        say(
            f"{waiting} of {labels.labeled} labels are not used yet: they come after {listed(blank, 3)}, which {have} "
            f"no label; label {them}, or write SKIP where nobody can"
        )


def _warn_about_pair(predictions: Predictions, labels: Labels, pair: tuple[int, int] | None) -> None:
    """Labels from where two models differ tell these two apart, and little else."""
    drawn_for = only_pair(labels)
    pair_names = set() if pair is None else {predictions.models[place] for place in pair}
    if drawn_for is None or pair_names == set(drawn_for):
        return
    first, second = drawn_for
    outside = int(np.count_nonzero(~disputed(predictions, drawn_for)))
    say(
        f"all labels were drawn where {first!r} and {second!r} differ: they tell these two apart (`compare`), and say "
        f"nothing about the other {counted(outside, 'sample')}, so no accuracy is known and other models can hardly be "
        "told apart; draw from the whole pool too with `adjudge select --goal estimate`"
    )


def say(sentence: str) -> None:
    """Warn in one sentence, about the line outside of adjudge that led here."""
    level, frame = 1, currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("adjudge."):
        level, frame = level + 1, frame.f_back
    warn(sentence, AdjudgeWarning, stacklevel=level)
