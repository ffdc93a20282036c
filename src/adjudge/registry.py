"""The methods by name: a new one is one file, one line here, and one test file."""

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, NamedTuple, get_args
from warnings import warn

import numpy as np

from adjudge.core.labels import Labels, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranker
from adjudge.core.sampling import Selector
from adjudge.errors import AdjudgeWarning, MethodError
from adjudge.inference.missing_predictions import n_lacking
from adjudge.losses.loss import Loss
from adjudge.methods.baselines.agreement import Agreement
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.baselines.labeled import Labeled
from adjudge.methods.baselines.majority import Majority
from adjudge.methods.baselines.random import Random
from adjudge.methods.papers.ces import CES
from adjudge.methods.papers.css import CSS
from adjudge.methods.papers.deepgini import DDG, RDG
from adjudge.methods.papers.laf import LaF
from adjudge.methods.papers.sds import SDS
from adjudge.methods.peers.active_testing import ActiveTesting
from adjudge.methods.peers.coda import CODA, CODAAccuracy
from adjudge.methods.peers.dawid_skene import DawidSkene
from adjudge.methods.peers.glad import GLAD
from adjudge.methods.peers.model_selector import ModelSelector
from adjudge.methods.peers.vma import VMA
from adjudge.methods.peers.vote_entropy import VoteEntropy
from adjudge.methods.pooled.assisted import Assisted
from adjudge.methods.pooled.pooled import Pooled

BUILT_IN: Mapping[str, type[Any]] = MappingProxyType(
    {
        "pooled": Pooled,
        "random": Random,
        "sds": SDS,
        "ddg": DDG,
        "rdg": RDG,
        "css": CSS,
        "ces": CES,
        "vote-entropy": VoteEntropy,
        "model-selector": ModelSelector,
        "active-testing": ActiveTesting,
        "vma": VMA,
        "agreement": Agreement,
        "labeled": Labeled,
        "drawn": Drawn,
        "assisted": Assisted,
        "majority": Majority,
        "laf": LaF,
        "dawid-skene": DawidSkene,
        "glad": GLAD,
        "coda": CODA,
        "coda-accuracy": CODAAccuracy,
    }
)
Options = Mapping[str, Any]
DEFAULT_SELECTOR = "pooled"
PLUGINS = "adjudge.methods"  # the entry point group of other packages' methods


class Description(NamedTuple):
    """A row of the table of methods.

    Attributes
    ----------
    kind
        "selects", "ranks" or both.
    """

    name: str
    kind: str
    summary: str
    reference: str
    needs: tuple[str, ...]
    draws: bool
    returns: str


@cache
def methods() -> Mapping[str, type[Any]]:
    """Every method, the ones of installed plugins last."""
    found = dict(BUILT_IN)
    for point in entry_points(group=PLUGINS):
        if point.name in found:
            warn(f"a plugin offers {point.name!r}, which exists already; it is ignored", AdjudgeWarning, stacklevel=2)
            continue
        try:
            found[point.name] = point.load()
        except Exception as problem:  # whatever a plugin does, the other methods go on working
            warn(f"the plugin {point.name!r} does not load ({problem})", AdjudgeWarning, stacklevel=2)
    return MappingProxyType(found)


def list_methods() -> tuple[Description, ...]:
    """What each method is, where it comes from, what it needs and what it returns."""
    return tuple(describe(name) for name in methods())


def can_select(name: str) -> bool:
    return hasattr(_find(name), "start")


def can_rank(name: str) -> bool:
    return hasattr(_find(name), "rank")


def selector(name: str, options: Options | None = None) -> Selector:
    """Make the selector of this name; options may be given as text."""
    if not can_select(name):
        raise MethodError(f"{name!r} ranks but does not select; {_choice(can_select)}")
    made: Selector = _make(name, dict(options or {}))
    return made


def ranker(name: str, loss: Loss | None = None, options: Options | None = None) -> Ranker:
    """Make the ranker of this name; the loss goes to those that take one."""
    if not can_rank(name):
        raise MethodError(f"{name!r} selects but does not rank; {_choice(can_rank)}")
    given = {"loss": loss} if takes(name, "loss") else {}
    made: Ranker = _make(name, dict(options or {}), given)
    return made


def plans_for_budget(name: str) -> bool:
    """Whether the first labels of a run depend on how many there will be."""
    return getattr(_find(name), "for_budget", False) is True


def works_in_parts(name: str) -> bool:
    """Whether a pool that is larger than memory will do."""
    return getattr(_find(name), "by_parts", False) is True


def takes(name: str, option: str) -> bool:
    return option in {field.name for field in fields(_find(name))}


def _make(name: str, options: dict[str, Any], given: Options = MappingProxyType({})) -> Any:
    known = {field.name: field for field in fields(_find(name)) if field.name != "loss"}
    for option, value in options.items():
        if option not in known:
            choice = f"it takes {', '.join(known)}" if known else "it takes none"
            choice = "give it by --loss (loss= in Python)" if option == "loss" else choice
            raise MethodError(f"{name!r} has no option {option!r}; {choice}")
        if isinstance(value, str):
            words = str in get_args(known[option].type)  # such as "auto" in place of a number
            options[option] = _parsed(value, known[option].default, f"{option} of {name!r}", words=words)
    return _find(name)(**options, **given)


def _parsed(text: str, default: object, what: str, *, words: bool) -> object:
    """Text as a value of the default's type, or as it is where words are allowed."""
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[text.lower()]
        if isinstance(default, tuple):
            return tuple(type(default[0])(part) for part in text.split(","))
        return type(default)(text) if isinstance(default, int | float) else text
    except (KeyError, ValueError):
        if words:
            return text
        raise MethodError(f"the option {what} is {text!r}; give a value like {default!r}") from None


def aimed(
    method: str, options: Options | None, metric: str | None, positive: str | None, *, strict: bool = True
) -> Options | None:
    """The options of a selector, with those that make it aim at a metric; `strict`: or else it is refused."""
    if metric is None and positive is None:
        return options
    if metric is None:
        raise MethodError(
            f"the class {positive!r} is given without a metric; add one that is about a class, such as f1"
        )
    if takes(method, "metric"):
        return {**(options or {}), "metric": metric, **({} if positive is None else {"positive": positive})}
    if strict:
        raise MethodError(f"{method!r} does not aim at a metric; leave it out, or use pooled")
    return options


def selector_for(told: str | None, header: RunHeader | None = None) -> str:
    """The selector by name: the one that is told, or that of the log that is gone on with, or the default."""
    return told or (header.method if header is not None else "") or DEFAULT_SELECTOR


def ranker_for(name: str) -> str:
    """The ranker that suits the labels which a selector buys; a method that ranks suits itself."""
    fit: str = name if can_rank(name) else _find(name).ranker
    return fit


def estimator_for(labels: Labels) -> str:
    """The ranker whose values suit these labels, by name."""
    if not labels.usable.any():
        return "agreement"
    if labels.stratum.any():
        return "pooled"
    complete = np.count_nonzero(labels.answered) == labels.pool  # then it does not matter how they were chosen
    return "labeled" if np.isnan(labels.weight).all() and not complete else "drawn"


def suited(labels: Labels, predictions: Predictions | None = None) -> str:
    """The default ranker, by name: that of `estimator_for`, but `pooled` for drawn labels, and where answers lack.

    The consensus orders models better than draws do; and to `agreement`, a vote of few counts as much as one of many,
    and a model that lacks the hard samples seems the best.
    """
    without = estimator_for(labels)
    if without == "agreement" and predictions is not None and predictions.classes is not None:
        abstained = predictions.abstain and predictions.n_abstained.any()
        return "pooled" if abstained or n_lacking(predictions).any() else without
    return "pooled" if without == "drawn" else without


def describe(name: str) -> Description:
    method = _find(name)
    selects, ranks = can_select(name), can_rank(name)
    return Description(
        name=name,
        kind=" and ".join(["selects"] * selects + ["ranks"] * ranks),
        summary=(method.__doc__ or "").strip().split("\n")[0],
        reference=method.reference,
        needs=method.needs,
        draws=selects and method.draws,
        returns=method.returns if ranks else "samples to label",
    )


def _find(name: str) -> type[Any]:
    if name in methods():
        return methods()[name]
    near = get_close_matches(name, methods(), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the methods are {', '.join(methods())}"
    raise MethodError(f"there is no method {name!r}; {hint}")


def _choice(able: Any) -> str:
    return f"use one of {', '.join(name for name in methods() if able(name))}"
