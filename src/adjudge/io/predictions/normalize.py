"""Answers of a pool brought to one spelling, as `--normalize` says; labels follow, since the pool remembers how."""

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import BoolArray, IntArray
from adjudge.core.labels import NONE_RIGHT
from adjudge.core.normalization import STEPS, Normalization, merged_by
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import AdjudgeWarning, InputError, PredictionsError
from adjudge.io.files import TABLE_SUFFIXES
from adjudge.io.functions import function_of, imported
from adjudge.io.notes import Notes, values_of
from adjudge.io.predictions.abstain import with_abstentions
from adjudge.io.predictions.align import Normalize, Options
from adjudge.io.predictions.distinct import Place, canonical, in_order
from adjudge.io.predictions.equal_answers import read_equivalences
from adjudge.io.predictions.matrix import redeclare

NONE, AUTO = "none", "auto"
NOTE, EQUAL, BY = "normalize", "equal", "normalized by"
ALWAYS = ("space", "punctuation", "numbers")  # what `auto` does to answers in words, and to labels of them
WHERE_SEEN = ("latex", "markdown", "json")
LITERAL = ('"', "'", "[", "{", "(")  # how values of a program begin, which mean what they say to the last blank
LOOKED_AT = 50_000  # different answers, above which nobody is told of those that may be the same
LITERAL_SHARE = 0.2  # of all answers, from which on they are taken for such values


def as_they_stand(options: Options) -> Options:
    """The options to read answers by before `finished` brings them to one spelling and sets abstentions apart."""
    if options.abstain:
        if options.regression:
            raise PredictionsError("--abstain is for answers that are compared, and these are numbers; leave out one")
        options = replace(options, classes=_with_abstentions(options), regression=False)
    if options.normalize in (None, NONE):
        return options
    if options.regression:
        raise PredictionsError("--normalize is for answers in words, and these are numbers; leave out one of the two")
    return replace(options, classes=None, regression=False)


def finished(pool: Predictions, options: Options) -> Predictions:
    """A pool that was read by `as_they_stand`, with answers in one spelling, and abstentions apart, where asked for."""
    if options.normalize not in (None, NONE):
        pool = normalized(pool, options.normalize, _with_abstentions(options), declared=options.declared)
    elif options.normalize == NONE and pool.classes is not None:
        pool = replace(pool, normalization=Normalization())
    return with_abstentions(pool, options.abstain) if options.abstain else pool


def _with_abstentions(options: Options) -> tuple[str, ...] | None:
    """The classes that were told, if any, and abstentions after them."""
    if options.classes is None:
        return None
    return tuple(dict.fromkeys((*options.classes, *filter(None, options.abstain))))


def normalized(
    pool: Predictions, told: Normalize, classes: Sequence[str] | None = None, *, declared: bool = True
) -> Predictions:
    """The same pool with answers in one spelling; `classes` is their list, if there is one."""
    names = pool.classes or ()
    by = auto(pool) if told == AUTO else normalization_of(told)
    news = _spelled(names, by)
    merged = merged_by(dict(zip(names, news, strict=True)).__getitem__, names)
    did = {} if by.function is None else {old: new for old, new in zip(names, news, strict=True) if old != new}
    by = replace(by, merged=merged, equal={**did, **by.equal})
    pool = replace(_renamed(pool, news), normalization=by)
    if classes is None:
        return pool
    if pool.probabilities is not None:
        raise PredictionsError("classes cannot be declared for probabilities that --normalize merges; leave out one")
    listed = tuple(dict.fromkeys(_spelled(classes, by)))
    now = pool.classes or ()
    values, _ = redeclare((pool.values, now), listed, [Place(model, pool.samples) for model in pool.models])
    return replace(pool, values=values, classes=listed, declared=declared)


def _renamed(pool: Predictions, names: Sequence[str]) -> Predictions:
    """The pool with another name for each class; classes of the same name are one."""
    now = in_order(list(dict.fromkeys(names)))
    place = {name: at for at, name in enumerate(now)}
    table = np.array([place[name] for name in names], dtype=pool.values.dtype)
    probabilities = pool.probabilities
    if probabilities is not None:
        together = np.zeros((*pool.values.shape, len(now)), dtype=probabilities.dtype)
        for old, new in enumerate(table.tolist()):
            together[:, :, new] += probabilities[:, :, old]
        probabilities = together
    values = np.where(pool.values < 0, pool.values, table[np.maximum(pool.values, 0)])  # which are no classes
    return replace(pool, values=values, classes=now, probabilities=probabilities)


def with_merges(pool: Predictions, merges: Mapping[str, str]) -> Predictions:
    """The pool in which some answers are taken for others, as people found while they labeled.

    Labels that were drawn before stay valid: the strata are those of the pool without the merges (`Predictions.whole`).

    >>> before = Predictions(np.array([[0, 2], [1, 2]]), ("a", "b"), range(2), ("1/2", "0.5", "7"))
    >>> after = with_merges(before, {"1/2": "0.5"})
    >>> after.classes, after.values.tolist(), merges_of(after)
    (('0.5', '7'), [[0, 1], [0, 1]], {'1/2': '0.5'})
    """
    names = pool.classes or ()
    if not merges or not set(merges).intersection(names):
        return pool
    if pool.in_parts:
        raise InputError("answers were merged while these labels were given, so all predictions are needed in memory")
    if pool.declared:
        raise InputError(
            "answers were merged while these labels were given, and the classes are declared; leave them out"
        )
    by = pool.normalization or Normalization()
    equal = {answer: merges.get(meant, meant) for answer, meant in by.equal.items()}
    by = replace(by, equal={**equal, **merges})
    return replace(
        _renamed(pool, [merges.get(name, name) for name in names]), normalization=by, whole=pool.whole or pool
    )


def merges_of(pool: Predictions) -> dict[str, str]:
    """What `with_merges` merged."""
    if pool.normalization is None or pool.whole is None:
        return {}
    before, now = set(pool.whole.classes or ()), set(pool.classes or ())
    return {answer: meant for answer, meant in pool.normalization.equal.items() if answer in before - now}


def normalization_of(told: Normalize) -> Normalization:
    """What was asked for: names of steps, package.module:function, files of equal answers, with commas between."""
    if isinstance(told, Normalization):
        return told
    if callable(told):
        return Normalization(function=told, name=getattr(told, "__name__", ""))
    steps: list[str] = []
    found = Normalization()
    for part in filter(None, (each.strip() for each in (told or "").split(","))):
        if part in STEPS:
            steps.append(part)
        elif Path(part).suffix.lower() in TABLE_SUFFIXES:
            found = replace(found, equal={**found.equal, **read_equivalences(part)})
        elif ":" in part:
            module, _, name = part.rpartition(":")
            found = replace(found, function=function_of(imported(module), name, module), name=part)
        else:
            raise InputError(
                f"--normalize {part!r} is not known; give {AUTO}, {NONE}, some of {','.join(STEPS)}, "
                "package.module:function, or a CSV file with the columns answer and canonical"
            )
    return replace(found, steps=tuple(name for name in STEPS if name in steps))


def auto(pool: Predictions) -> Normalization:
    """What suits the answers: nothing that could merge different ones where they are values of a program.

    Capitals are ignored only where two models say the same about one sample but for them.
    """
    names = pool.classes or ()
    if sum(name.startswith(LITERAL) for name in names) > LITERAL_SHARE * len(names):
        return Normalization(("json",))
    seen = {name for name in WHERE_SEEN if any(STEPS[name](each).strip() != each.strip() for each in names)}
    steps = tuple(name for name in STEPS if name in seen or name in ALWAYS)
    with_case = (*steps, "case")
    return Normalization(with_case if _tells_apart(pool, Normalization(steps), Normalization(with_case)) else steps)


def _tells_apart(pool: Predictions, fine: Normalization, coarse: Normalization) -> bool:
    """Whether there is a sample on which two models differ by `fine` and agree by `coarse`."""
    names = pool.classes or ()
    finely, coarsely = _codes(names, fine), _codes(names, coarse)
    shared = np.bincount(coarsely)[coarsely] > np.bincount(finely)[finely]  # classes that only `coarse` merges
    if not shared.any():
        return False
    return any(bool(apart) for (apart,) in pool.over_parts(partial(_told_apart, finely, coarsely, shared)))


def _told_apart(finely: IntArray, coarsely: IntArray, shared: BoolArray, part: Predictions) -> tuple[BoolArray]:
    there = np.append(shared, False)[part.values].any(axis=0)
    for sample in np.flatnonzero(there):
        said = np.unique(part.values[:, sample])
        said = said[said != MISSING]
        if len(np.unique(finely[said])) > len(np.unique(coarsely[said])):
            return (np.array(True),)
    return (np.array(False),)


def _codes(names: Sequence[str], by: Normalization) -> IntArray:
    place: dict[str, int] = {}
    return np.array([place.setdefault(name, len(place)) for name in _spelled(names, by)], dtype=np.int64)


def spellings(pool: Predictions) -> tuple[str | None, Mapping[str, tuple[str, ...]]]:
    """How answers were normalized, and what became the same; None: nothing was asked for, so what `auto` would do."""
    if pool.normalization is not None:
        return str(pool.normalization), pool.normalization.merged
    names = pool.classes or ()
    if not names or pool.declared or len(names) > LOOKED_AT:
        return None, {}
    return None, merged_by(dict(zip(names, _spelled(names, auto(pool)), strict=True)).__getitem__, names)


def spelled(texts: pa.LargeStringArray, predictions: Predictions) -> pa.LargeStringArray:
    """Labels in the spelling of the pool's answers; one that is a class as it stands is left as it is."""
    by, names = predictions.normalization, set(predictions.classes or ())
    if by is None:
        return texts
    names |= {NONE_RIGHT}  # a sign of ours, not an answer
    other = [each for each in texts.unique().to_pylist() if each is not None and each not in names]
    known = dict(zip(other, _spelled(other, by), strict=True))
    return pa.array([known.get(each, each) for each in texts.to_pylist()], pa.large_string())


def _spelled(texts: Sequence[str], by: Normalization) -> list[str]:
    now = [by(text) for text in texts]
    for text, each in zip(texts, now, strict=True):
        if not isinstance(each, str):
            raise InputError(f"{by} turns the answer {text!r} into {each!r}, which is not text; return text")
    compared = canonical(pa.array(now, pa.large_string())).to_pylist()
    return [text if each is None else each for text, each in zip(texts, compared, strict=True)]  # None would be missing


def to_notes(by: Normalization | None) -> list[tuple[str, str]]:
    """What a file of predictions remembers: a function by what it did, since no file may name code to run."""
    if by is None:
        return []
    return [
        (NOTE, ",".join(by.steps) if by else NONE),
        *noted_equal(by.equal),
        *([(BY, by.name or "a function")] if by.function else []),
    ]


def noted_equal(equal: Mapping[str, str]) -> list[tuple[str, str]]:
    """Answers and what each stands for, as notes of a file."""
    return [(EQUAL, json.dumps(pair, ensure_ascii=False)) for pair in equal.items()]


def stated_equal(notes: Notes) -> dict[str, str]:
    """The same, from the notes of a file."""
    try:
        return {str(answer): str(name) for answer, name in map(json.loads, values_of(notes, EQUAL))}
    except (ValueError, TypeError) as problem:
        raise InputError(f"its notes on equal answers cannot be read ({problem}); write the file again") from None


def from_notes(notes: Notes) -> Normalize:
    """What a file of predictions remembers."""
    steps = values_of(notes, NOTE)
    if not steps:
        return None
    if steps[0] == NONE:
        return NONE
    if names := values_of(notes, BY):
        warnings.warn(
            f"the answers were normalized by {names[0]}, which a file cannot call; give it again (--normalize), or "
            "labels are only known in the spellings that models used",
            AdjudgeWarning,
            stacklevel=4,
        )
    known = tuple(name for name in STEPS if name in steps[0].split(","))
    return Normalization(known, stated_equal(notes))
