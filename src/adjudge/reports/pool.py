"""What is in a pool, in words."""

import shlex
from collections.abc import Iterator, Sequence

import numpy as np

from adjudge.core.index import counted, listed, shortened
from adjudge.decisions.screening import Screening

NAMED = 5  # names in a sentence before "and 12 more"


def sentences(found: Screening) -> list[str]:
    """What a user needs to know before anything else, in one sentence each."""
    about_answers = *_on_gaps(found), *_on_abstentions(found), *_on_spelling(found)
    return [*_on_size(found), *about_answers, *_on_agreement(found), *_on_models(found)]


def facts(found: Screening) -> list[tuple[str, str]]:
    """Name and value of each fact that can be counted."""
    missing, predictions = int(found.missing.sum()), len(found.models) * found.samples
    rows = [
        ("models", f"{len(found.models):,}"),
        ("samples", f"{found.samples:,}"),
        ("classes", _NUMBERS[found.scores] if found.classes is None else _classes(found.classes)),
        ("missing", f"{missing:,} of {predictions:,} predictions" if missing else "nothing"),
        ("probabilities", _probabilities(found)),
    ]
    if found.abstain:
        rows.append(
            ("abstentions", f"{int(found.abstained.sum()):,} of {predictions:,} predictions ({_list(found.abstain)})")
        )
    if found.classes is not None:
        rows += [
            ("all agree", _percent(found.unanimous)),
            ("two models agree", _percent(found.agreement)),
        ]
    return rows


def _probabilities(found: Screening) -> str:
    if not found.probabilities:
        return "no"
    return (
        "yes"
        if found.probabilities == len(found.models)
        else f"of {found.probabilities:,} of {len(found.models):,} models"
    )


_NUMBERS = {False: "none: the predictions are numbers", True: "none: the values are scores"}


def _classes(classes: tuple[str, ...]) -> str:
    return f"{len(classes):,} ({_list(classes)})"


def _on_size(found: Screening) -> Iterator[str]:
    if len(found.models) == 1:
        yield "There is only one model, so there is nothing to rank."
    if found.samples == 1:
        yield "There is only one sample, too little to rank models by."


def _on_gaps(found: Screening) -> Iterator[str]:
    if silent := found.without_predictions:
        yield f"{_models(silent, 'has', 'have')} no prediction at all: {_list(silent)}."
    gaps = np.flatnonzero((found.missing > 0) & (found.missing < found.samples))
    if gaps.size:
        names = [found.models[model] for model in gaps]
        least, most = (_percent(end(found.missing[gaps]) / found.samples) for end in (np.min, np.max))
        share = most if least == most else f"{least} to {most}"
        yield f"{_models(names, 'lacks', 'lack')} {share} of {_its(names)} predictions: {_list(names)}."


def _on_abstentions(found: Screening) -> Iterator[str]:
    if found.abstained.any():
        most = np.argsort(-found.abstained, kind="stable")[: np.count_nonzero(found.abstained)]
        each = [f"{found.models[model]!r} ({_percent(found.abstained[model] / found.samples)})" for model in most]
        yield (
            f"{_models(each, 'abstains', 'abstain')} from samples, which is never right and agrees with nobody: "
            f"{shortened(each, NAMED)}."
        )
    if found.may_abstain:
        names = list(found.may_abstain)
        told = [f"{name!r} ({counted(count, 'time')})" for name, count in found.may_abstain.items()]
        options = " ".join(f"--abstain {shlex.quote(name)}" for name in names)
        yield (
            f"{shortened(told, NAMED)} {'reads' if len(names) == 1 else 'read'} like no answer, and yet "
            f"{'counts' if len(names) == 1 else 'count'} as one on which models agree. If so: {options}."
        )


def _on_spelling(found: Screening) -> Iterator[str]:
    if found.normalization is None and not found.merged:
        return
    groups = [f"{_list(written)} = {name!r}" for name, written in found.merged.items()]
    many, examples = sum(map(len, found.merged.values())), shortened(groups, NAMED, "; ")
    if found.normalization is None:
        yield (
            f"{counted(many, 'answer')} may be others in another spelling, and count as different: {examples}. "
            "If they are the same: --normalize auto."
        )
    elif found.normalization == "none":
        yield "Answers are compared as they are written."
    elif groups:
        now = counted(len(groups), "answer")
        yield f"Answers are compared by {found.normalization}; {many:,} spellings became {now}: {examples}."
    else:
        yield f"Answers are compared by {found.normalization}; in this file each is in one spelling already."


def _on_agreement(found: Screening) -> Iterator[str]:
    speaking = len(found.models) - len(found.without_predictions)
    if speaking < 2:
        return
    if _all_equal(found):
        yield "All models agree on everything, so nothing can be ranked."
    elif found.classes is None:
        return
    elif np.isnan(found.agreement):
        yield "No two models have a prediction for the same sample, so no two can be compared."
    elif found.agreement == 1:
        yield "All models agree wherever they have a prediction; only what they leave out tells them apart."
    else:
        together = (
            f"All models agree on {_percent(found.unanimous)} of {_complete(found)}, which cannot change the ranking"
            if found.unanimous
            else "There is no sample on which all models agree"
        )
        if np.isnan(found.unanimous):
            together = "No sample has a prediction of all models"
        yield f"{together}; two models agree on {_percent(found.agreement)} on average."


def _complete(found: Screening) -> str:
    """The samples on which it can be told whether all models agree."""
    partly = found.complete not in (None, found.samples)
    return f"the {found.complete:,} samples that all predict" if partly else "the samples"


def _on_models(found: Screening) -> Iterator[str]:
    in_other_spellings = found.normalization is None and found.merged  # which is told, and may be all that is wrong
    if (names := found.disjoint_classes) and not in_other_spellings:
        yield (
            f"{_list(names)} {'says' if len(names) == 1 else 'say'} no class that another model says. Spell classes "
            f"the same way; if this is not a model but a fact about the samples: --columns {','.join(names)}."
        )
    if found.in_unit_interval:
        yield (
            "All predictions are numbers from 0 to 1. If they are probabilities, give a table with a row for each "
            "model and sample: the class as the prediction, the probabilities in columns p_<class>."
        )
    if found.constant:
        says = [f"{name!r} says {_value(value)}" for name, value in found.constant.items()]
        yield f"{_models(says, 'always says', 'always say')} the same: {shortened(says, NAMED)}."
    if found.duplicates and not _all_equal(found):
        groups = shortened([_list(group, " = ") for group in found.duplicates], NAMED, "; ")
        yield f"Some models made exactly the same predictions and will always tie: {groups}."
    if found.inverted:
        names = found.inverted
        yield (
            f"{_list(names)} {'contradicts' if len(names) == 1 else 'contradict'} the vote of the others "
            f"more often than chance; if the crowd is right, {_its(names)} classes look swapped."
        )
    if names := tuple(name for name in found.below_chance if name not in found.inverted):
        yield (
            f"{_list(names)} {'agrees' if len(names) == 1 else 'agree'} with the vote of the others "
            "less often than chance."
        )
    if found.below_chance:
        yield "The crowd may be wrong itself: get some labels before you drop a model that disagrees with it."


def _all_equal(found: Screening) -> bool:
    return any(len(group) == len(found.models) - len(found.without_predictions) for group in found.duplicates)


def _models(names: Sequence[str], one: str, many: str) -> str:
    return f"{counted(len(names), 'model')} {one if len(names) == 1 else many}"


def _its(names: Sequence[str]) -> str:
    return "its" if len(names) == 1 else "their"


def _value(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


def _percent(share: float) -> str:
    """Rounded, but never to all or nothing."""
    if np.isnan(share):
        return "cannot be said"
    if 0 < share < 0.001:
        return "less than 0.1%"
    return "more than 99.9%" if 0.999 < share < 1 else f"{share:.1%}"


def _list(names: Sequence[str], separator: str = ", ") -> str:
    return listed(names, NAMED, separator)
