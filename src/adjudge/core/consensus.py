"""The pooled consensus: how likely each class is for each sample, from what the models said and the labels so far.

A log-linear pool: the chance of class c for sample i is proportional to exp(a_c + sum of b_h over the models h that
said c). Each model has a weight b_h and each class a bias a_c; where models are few, the weight of a model may also
differ from class to class. Before any label, a model's weight follows from how
often it agrees with the others, scaled down because models share mistakes: the vote of many counts as that of a few
independent ones. Labels are a multinomial likelihood; a normal prior keeps the fit convex. How many models the vote is
worth, how agreement is measured and how far weights may move is not set but learned: several priors are fitted side by
side and weighted by their evidence (Laplace's approximation).
"""

from collections import OrderedDict
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.answers import Answers, answers, by_class, chances, sums_for_models
from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.climb import climb
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import kernel, patterns

INDEPENDENT = (1.5, 4.0, 10.0)  # models that the vote may be worth
FREEDOM = (2.0, 6.0)  # how far a weight may move, in mean weights
BY_CLASS = 1.0  # how far the weight of a model may differ from class to class, in mean weights
LESS_LIKELY = 4.0  # times that this is thought to be than one weight for all classes, before any label
MANY = 160  # weights above which a model has one for all classes
SPREAD_OF_BIAS = 1.0
SUREST = 0.99  # agreement is kept this far from certain
CHUNK = 1 << 22  # predictions looked at together
KEPT = 64  # fits that are remembered for each pool
LEAST_PULL = 0.05  # of a pool whose models agree no more than by chance
NEGLIGIBLE = 1e-4  # the weight of a prior that plays no part


@dataclass(frozen=True, eq=False)
class Prior:
    """Where the weights start, and how far they may move."""

    weight: FloatArray  # (voices,): of each model, and for each of its classes where these have their own
    spread: FloatArray  # (voices,)
    chance: float = 1.0  # before any label, up to a factor that all priors share


@dataclass(frozen=True, eq=False)
class Fit:
    """One prior after the labels: the most likely weights and biases, and what is left uncertain."""

    weight: FloatArray  # (voices,)
    bias: FloatArray  # (classes,)
    factor: FloatArray  # lower Cholesky factor of the precision of weights and biases together
    evidence: float  # log


@dataclass(frozen=True, eq=False)
class Consensus:
    """The fits of all priors, and how much each counts."""

    fits: tuple[Fit, ...]
    share: FloatArray  # (fits,): adds up to one

    @property
    def main(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Shares, weights (voices, fits) and biases (classes, fits) of the fits that matter."""
        kept = np.flatnonzero(self.share > NEGLIGIBLE)
        voices = self._voices
        weight = np.stack([_filled(self.fits[each].weight, voices) for each in kept], axis=1)
        bias = np.stack([self.fits[each].bias for each in kept], axis=1)
        return self.share[kept] / self.share[kept].sum(), weight.astype(np.float32), bias.astype(np.float32)

    @property
    def _voices(self) -> int:
        return max(len(fit.weight) for fit in self.fits)

    def draws(self, number: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Weights (voices, draws) and biases (classes, draws), from all fits by their shares."""
        turn = np.searchsorted(np.cumsum(self.share), (np.arange(number) + rng.random()) / number)
        weights, biases = [], []
        for each in np.unique(np.minimum(turn, len(self.fits) - 1)):
            fit, many = self.fits[each], np.count_nonzero(np.minimum(turn, len(self.fits) - 1) == each)
            center = np.concatenate([fit.weight, fit.bias])
            noise = rng.standard_normal((len(center), many))
            drawn = (center[:, None] + np.linalg.solve(fit.factor.T, noise)).astype(np.float32)
            weights.append(_filled(drawn[: len(fit.weight)], self._voices))
            biases.append(drawn[len(fit.weight) :])
        return np.concatenate(weights, axis=1), np.concatenate(biases, axis=1)


def _filled(weight: Array, voices: int) -> Array:
    """With zeros for voices that a fit does not know."""
    return np.concatenate([weight, np.zeros((voices - len(weight), *weight.shape[1:]), dtype=weight.dtype)])


_FITTED: "WeakKeyDictionary[Predictions, OrderedDict[bytes, Consensus]]" = WeakKeyDictionary()
_PRIORS: "WeakKeyDictionary[Predictions, tuple[Prior, ...]]" = WeakKeyDictionary()
_PATTERNS: "WeakKeyDictionary[Predictions, tuple[IntArray, IntArray, IntArray]]" = WeakKeyDictionary()


def grouped(predictions: Predictions) -> tuple[IntArray, IntArray, IntArray]:
    """The first sample of each pattern, the pattern of each sample and how many share it; kept with the pool."""
    if predictions not in _PATTERNS:
        first, group = patterns(predictions)
        _PATTERNS[predictions] = first, group, np.bincount(group, minlength=len(first))
    return _PATTERNS[predictions]


def consensus(predictions: Predictions, labels: Labels) -> Consensus:
    """Fit all priors to the labels; the last fits of a pool are kept."""
    usable = labels.usable
    sample, value = labels.sample[usable], labels.value[usable].astype(np.int64)
    order = np.argsort(sample)  # in whatever order labels came, the fit is the same
    sample, value = sample[order], value[order]
    kept = _FITTED.setdefault(predictions, OrderedDict())
    key = sample.tobytes() + value.tobytes()
    if key not in kept:
        fits = tuple(_fit(prior, predictions, sample, value) for prior in _priors(predictions))
        evidence = np.array([fit.evidence for fit in fits])
        share = np.exp(evidence - evidence.max())
        kept[key] = Consensus(fits, share / share.sum())
        if len(kept) > KEPT:
            kept.popitem(last=False)
    return kept[key]


def truth_chances(predictions: Predictions, labels: Labels) -> Array:
    """(samples, classes): how likely each class is for each sample; certain where there is a label."""
    assert predictions.classes is not None
    first, group, _ = grouped(predictions)
    classes = len(predictions.classes)
    share, weight, bias = consensus(predictions, labels).main
    table = np.empty((len(first), classes), dtype=np.float32)
    unnamed = np.exp(bias - bias.max(axis=0))
    unnamed /= unnamed.sum(axis=0)
    for start, said in _chunks(predictions, first):
        here = slice(start, start + len(said.first) - 1)
        found = chances(voices(predictions, said), said.code, said.first, weight, bias)
        sums = np.zeros((len(said.first) - 1, found.shape[1]))
        np.add.at(sums, said.sample, found)
        taken = np.zeros_like(sums)
        np.add.at(taken, said.sample, unnamed[said.code])
        rest = np.clip(1 - sums, 0, None) / np.maximum(1 - taken, 1e-9)
        table[here] = rest @ (unnamed * share).T
        table[start + said.sample, said.code] = found @ share
    table /= table.sum(axis=1, keepdims=True)
    spread = table[group]
    usable = labels.usable
    spread[labels.sample[usable]] = 0.0
    spread[labels.sample[usable], labels.value[usable].astype(np.int64)] = 1.0
    return spread


def expected_accuracy(predictions: Predictions, labels: Labels) -> FloatArray:
    """(models,): the mean chance that what a model said is right; nan for a model that said nothing."""
    first, group, size = grouped(predictions)
    usable = labels.usable
    sample, value = labels.sample[usable], labels.value[usable]
    unknown = size - np.bincount(group[sample], minlength=len(first))
    share, weight, bias = consensus(predictions, labels).main
    total = np.asarray((predictions.values[:, sample] == value).sum(axis=1), dtype=np.float64)
    for start, said in _chunks(predictions, first):
        found = chances(voices(predictions, said), said.code, said.first, weight, bias) @ share.astype(np.float32)
        total += sums_for_models(said.slot, found[:, None], unknown[start : start + len(said.first) - 1])[:, 0]
    with np.errstate(invalid="ignore"):
        return np.asarray(total / predictions.said)


def voices(predictions: Predictions, said: Answers) -> Array:
    """(samples, voices): the slot that each weight adds to. Where models are few, each has a voice for each class."""
    assert predictions.classes is not None
    return by_class(said, len(predictions.classes)) if _has_room(predictions) else said.slot


def _has_room(predictions: Predictions) -> bool:
    models, classes = len(predictions.models), len(predictions.classes or ())
    return classes > 1 and models * (1 + classes) + classes <= MANY


def _chunks(predictions: Predictions, columns: IntArray) -> list[tuple[int, Answers]]:
    assert predictions.classes is not None
    step = max(1, CHUNK // len(predictions.models))
    classes = len(predictions.classes)
    return [
        (start, answers(predictions.values[:, columns[start : start + step]], classes))
        for start in range(0, len(columns), step)
    ]


def _priors(predictions: Predictions) -> tuple[Prior, ...]:
    """For each way to measure how a model agrees with the others, the vote may be worth more or less."""
    if predictions not in _PRIORS:
        assert predictions.classes is not None
        wrong = max(len(predictions.classes) - 1, 1)
        found = []
        for agreement in _agreements(predictions):
            sure = np.clip(agreement, 1 - SUREST, SUREST)
            pull = np.log(sure * wrong / (1 - sure))
            for independent in INDEPENDENT:
                weight = pull * min(1.0, independent / len(pull))
                mean = max(float(np.abs(weight).mean()), LEAST_PULL)
                for freedom in FREEDOM:
                    spread = np.full(len(weight), freedom * mean)
                    found.append(Prior(weight, spread))
                    if _has_room(predictions):
                        apart = np.full(len(weight) * (1 + wrong), BY_CLASS * mean)
                        found.append(Prior(np.append(weight, 0 * apart), np.append(spread, apart), 1 / LESS_LIKELY))
        _PRIORS[predictions] = tuple(found)
    return _PRIORS[predictions]


def _agreements(predictions: Predictions) -> tuple[FloatArray, FloatArray]:
    """(models,) each: the mean share of the vote for what a model said, over samples and over classes.

    A model that always says the same agrees often where that class is common, and tells nothing: only the mean over
    classes shows it. It has the value of a guess, as has a model that said nothing.
    """
    assert predictions.classes is not None
    first, _, size = grouped(predictions)
    held = np.zeros((len(predictions.models), len(predictions.classes)))
    total = np.zeros(held.shape[1])
    for start, said in _chunks(predictions, first):
        backers = np.bincount(said.slot[said.slot >= 0], minlength=len(said.code))
        spoken = np.bincount(said.sample, backers, minlength=len(said.first) - 1)
        share = backers / np.maximum(spoken, 1)[said.sample] * size[start + said.sample]
        _add_by_class(said.slot, said.code, share, held)
        total += np.bincount(said.code, share, minlength=len(total))
    guess = 1 / held.shape[1]
    voted = total > 0
    with np.errstate(invalid="ignore"):
        over_samples = held.sum(axis=1) / predictions.said
    over_classes = (held[:, voted] / total[voted]).mean(axis=1)
    silent = predictions.said == 0
    return np.where(silent, guess, over_samples), np.where(silent, guess, over_classes)


@kernel
def _add_by_class(slot: Array, code: Array, share: FloatArray, held: FloatArray) -> None:
    """To (models, classes), add what stands at each model's answers."""
    for sample in range(slot.shape[0]):
        for model in range(slot.shape[1]):
            place = slot[sample, model]
            if place >= 0:
                held[model, code[place]] += share[place]


def _fit(prior: Prior, predictions: Predictions, sample: IntArray, label: IntArray) -> Fit:
    """The most likely weights and biases, found from the prior's own, so that the same labels give the same fit."""
    assert predictions.classes is not None
    classes, models = len(predictions.classes), len(prior.weight)
    said = answers(predictions.values[:, sample], classes)
    slot = said.slot if models == len(predictions.models) else voices(predictions, said)
    start = np.concatenate([prior.weight, np.zeros(classes)])
    precision = np.concatenate([prior.spread**-2.0, np.full(classes, SPREAD_OF_BIAS**-2.0)])
    here, factor, height = climb(slot, said.code, label, start, precision, classes)
    evidence = np.log(prior.chance) + height + 0.5 * np.log(precision).sum() - np.log(np.diag(factor)).sum()
    return Fit(here[:models], here[models:], factor, float(evidence))
