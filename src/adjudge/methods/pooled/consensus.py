"""The pooled consensus: how likely each class is for each sample, from what the models said and the labels so far.

A log-linear pool: the chance of class c for sample i is proportional to exp(a_c + sum of b_h over the models h that
said c). Each model has a weight b_h and each class a bias a_c; where models and classes are few, the weight of a model
may also differ from class to class; where models give probabilities, each may back all classes that were named
(`core.voices`), as they stand or as its habits have it (`core.habits`). Before any label, a model's weight follows from
its agreement with the vote, its own included, scaled down because models share mistakes: the vote of many counts as
that of a few independent ones. Habits already hold that agreement, so with them all models weigh the same. Biases start
from nothing and, with probabilities as they stand, also from where all classes are as common as each other
(`core.evened`). Labels are a multinomial likelihood; a normal prior keeps the fit convex. How many models the vote is
worth, how far weights may move and whether classes are equally common is not set but learned: several priors are fitted
side by side and weighted by their evidence (Laplace's approximation).
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import patterns, votes
from adjudge.methods.pooled.class_balance import evened
from adjudge.methods.pooled.design_matrix import Voices, has_room, heard
from adjudge.methods.pooled.newton import climb
from adjudge.methods.pooled.slots import sums_for_models, sums_for_samples
from adjudge.methods.pooled.soft_confusion import CERTAIN, has_habits

INDEPENDENT = (1.5, 4.0, 10.0)  # models that the vote may be worth
FREEDOM = (1.5, 4.0, 12.0)  # how far all weights together may move the log odds of a class
BY_CLASS = 0.5  # how far the weight of a model may differ from class to class, as a share of how far it may move
LESS_LIKELY = 4.0  # times that this is thought to be than one weight for all classes, before any label
SPREAD_OF_BIAS = 1.0
SPREAD_BESIDE_PROBABILITIES = 0.3  # these know how common a class is; labels that were chosen do not
MANY_CLASSES = 50  # above which those without a label share one bias: matrices grow with labels, not with classes
SUREST = 0.99  # agreement is kept this far from certain
CHUNK = 1 << 23  # predictions looked at together
FEWEST = 45  # models that a sample takes room for: each of up to 45 fits has a chance for each answer
KEPT = 16  # consensuses that are remembered for each pool
MOST_KEPT = 1 << 28  # bytes of their matrices, which are large where classes are many
LOOKED_AT = 10_000  # samples at most that tell how common classes are
NEGLIGIBLE = 1e-3  # the weight of a prior that plays no part


@dataclass(frozen=True, eq=False)
class Prior:
    """Where the weights start, and how far they may move."""

    voices: slice  # that it gives a weight; the others have none
    weight: FloatArray
    spread: FloatArray
    spread_of_bias: float = SPREAD_OF_BIAS
    chance: float = 1.0  # before any label, up to a factor that all priors share
    bias: FloatArray | None = None  # (classes,): where biases start, if not from nothing


@dataclass(frozen=True, eq=False)
class Fit:
    """One prior after the labels: the most likely weights and biases, and what is left uncertain."""

    voices: slice  # that have a weight
    weight: FloatArray
    bias: FloatArray  # (groups,)
    factor: FloatArray  # lower Cholesky factor of the precision of weights and biases together
    evidence: float  # log


@dataclass(frozen=True, eq=False)
class Consensus:
    """The fits of all priors, and how much each counts."""

    voices: int
    group: IntArray  # (classes,): those of one group share a bias
    fits: tuple[Fit, ...]
    share: FloatArray  # (fits,): adds up to one

    @property
    def room(self) -> int:
        """Bytes of all matrices."""
        return sum(fit.factor.nbytes for fit in self.fits)

    @property
    def main(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Shares, weights (voices, fits) and biases (classes, fits) of the fits that matter."""
        kept = np.flatnonzero(self.share > NEGLIGIBLE)
        weight = np.stack([self._filled(self.fits[each], self.fits[each].weight) for each in kept], axis=1)
        bias = np.stack([self.fits[each].bias[self.group] for each in kept], axis=1)
        return self.share[kept] / self.share[kept].sum(), weight.astype(np.float32), bias.astype(np.float32)

    def _filled(self, fit: Fit, weight: Array) -> Array:
        """With zeros for voices that a fit does not hear."""
        every = np.zeros((self.voices, *weight.shape[1:]), dtype=weight.dtype)
        every[fit.voices] = weight
        return every

    def draws(self, number: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Weights (voices, draws) and biases (classes, draws), from all fits by their shares."""
        turn = np.searchsorted(np.cumsum(self.share), (np.arange(number) + rng.random()) / number)
        weights, biases = [], []
        for each, many in zip(*np.unique(np.minimum(turn, len(self.fits) - 1), return_counts=True), strict=True):
            fit = self.fits[each]
            center = np.concatenate([fit.weight, fit.bias])
            noise = rng.standard_normal((len(center), many))
            drawn = (center[:, None] + np.linalg.solve(fit.factor.T, noise)).astype(np.float32)
            weights.append(self._filled(fit, drawn[: len(fit.weight)]))
            biases.append(drawn[len(fit.weight) :][self.group])
        return np.concatenate(weights, axis=1), np.concatenate(biases, axis=1)


_FITTED: "WeakKeyDictionary[Predictions, OrderedDict[bytes, Consensus]]" = WeakKeyDictionary()
_PRIORS: "WeakKeyDictionary[Predictions, tuple[Prior, ...]]" = WeakKeyDictionary()
_HEARD: "WeakKeyDictionary[Predictions, Voices]" = WeakKeyDictionary()
_PATTERNS: "WeakKeyDictionary[Predictions, tuple[IntArray, IntArray, IntArray]]" = WeakKeyDictionary()


def grouped(predictions: Predictions) -> tuple[IntArray, IntArray, IntArray]:
    """The first sample of each pattern, the pattern of each sample and how many share it; kept with the pool.

    Where models give probabilities, no two samples are taken to be the same.
    """
    if predictions not in _PATTERNS:
        if predictions.probabilities is None:
            first, group = patterns(predictions)
        else:
            first = group = np.arange(predictions.values.shape[1])
        _PATTERNS[predictions] = first, group, np.bincount(group, minlength=len(first))
    return _PATTERNS[predictions]


def consensus(predictions: Predictions, labels: Labels) -> Consensus:
    """Fit all priors to the labels; the last fits of a pool are kept."""
    assert predictions.classes is not None
    usable = labels.usable
    sample, value = labels.sample[usable], labels.value[usable].astype(np.int64)
    order = np.argsort(sample)  # in whatever order labels came, the fit is the same
    sample, value = sample[order], value[order]
    kept = _FITTED.setdefault(predictions, OrderedDict())
    key = sample.tobytes() + value.tobytes()
    if key not in kept:
        voices = heard(predictions, sample)
        features, group = voices.features(), _groups(value, len(predictions.classes))
        fits = tuple(_fit(prior, voices, features, value, group) for prior in _priors(predictions))
        evidence = np.array([fit.evidence for fit in fits])
        share = np.exp(evidence - evidence.max())
        kept[key] = Consensus(voices.count, group, fits, share / share.sum())
        while len(kept) > 1 and (len(kept) > KEPT or sum(each.room for each in kept.values()) > MOST_KEPT):
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
    for start, voices in _chunks(predictions):
        said, found = voices.said, voices.chances(weight, bias)
        here = slice(start, start + len(said.first) - 1)
        sums, taken = (sums_for_samples(each, said.first) for each in (found, unnamed[said.code]))
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
    """(models,): the mean chance that what a model said is right; nan for a model that said nothing.

    A model that always says the same is as often right as its class is common. Labels of chosen samples tell little
    about that, so it is put below the best of the others: it never comes first by accident.
    """
    first, group, size = grouped(predictions)
    usable = labels.usable
    sample, value = labels.sample[usable], labels.value[usable]
    unknown = size - np.bincount(group[sample], minlength=len(first))
    share, weight, bias = consensus(predictions, labels).main
    total = np.asarray((predictions.values[:, sample] == value).sum(axis=1), dtype=np.float64)
    for start, voices in _chunks(predictions):
        said, found = voices.said, voices.chances(weight, bias) @ share.astype(np.float32)
        total += sums_for_models(said.slot, found[:, None], unknown[start : start + len(said.first) - 1])[:, 0]
    with np.errstate(invalid="ignore"):
        found = np.asarray(total / predictions.said)
    others = found[~predictions.constant & (predictions.said > 0)]
    if others.size:
        one_sample_less = max(others.max() - 1 / len(group), 0.0)
        found[predictions.constant] = np.minimum(found[predictions.constant], one_sample_less)
    return found


def _chunks(predictions: Predictions) -> Iterator[tuple[int, Voices]]:
    """The voices about each pattern, a bounded part of them at a time; where one part is all, it is kept."""
    columns, _, _ = grouped(predictions)
    step = max(1, CHUNK // max(len(predictions.models), FEWEST))
    if len(columns) <= step:
        if predictions not in _HEARD:
            _HEARD[predictions] = heard(predictions, columns)
        yield 0, _HEARD[predictions]
        return
    for start in range(0, len(columns), step):
        yield start, heard(predictions, columns[start : start + step])


def _priors(predictions: Predictions) -> tuple[Prior, ...]:
    """Weights that follow from how a model agrees with the vote, which may be worth more or less."""
    if predictions not in _PRIORS:
        assert predictions.classes is not None
        models, classes = len(predictions.models), len(predictions.classes)
        one, by_class = slice(0, models), slice(0, models * (1 + classes))
        votes_end = by_class.stop if has_room(predictions) else models
        by_probability = slice(votes_end, votes_end + models)
        by_habit = slice(by_probability.stop, by_probability.stop + models)
        can_be_even = predictions.probabilities is not None and 1 < classes <= MANY_CLASSES
        pull = _pull(predictions)
        together = predictions.said.sum() / max(np.count_nonzero(votes(predictions).present), 1)  # speak of a sample
        found = []
        for independent in INDEPENDENT:
            worth = min(1.0, independent / max(together, 1.0))
            weight = pull * worth
            for freedom in FREEDOM:
                spread = np.full(models, freedom / np.sqrt(max(together, 1.0)))
                found.append(Prior(one, weight, spread))
                if has_room(predictions):
                    apart = BY_CLASS * np.repeat(spread, classes)
                    wide = np.append(weight, 0 * apart), np.append(spread, apart)
                    found.append(Prior(by_class, *wide, chance=1 / LESS_LIKELY))
                if predictions.probabilities is not None:
                    chance = 0.5 if can_be_even else 1.0  # the other half is for equally common classes
                    found.append(Prior(by_probability, weight, spread, SPREAD_BESIDE_PROBABILITIES, chance))
                if has_habits(predictions):
                    known = np.full(models, CERTAIN * worth)
                    found.append(Prior(by_habit, known, spread, SPREAD_BESIDE_PROBABILITIES))
        if can_be_even:
            found += _evened(predictions, [prior for prior in found if prior.voices == by_probability])
        _PRIORS[predictions] = tuple(found)
    return _PRIORS[predictions]


def _evened(predictions: Predictions, priors: list[Prior]) -> list[Prior]:
    """The same priors, with biases that start where all classes are as common as each other."""
    assert predictions.classes is not None
    assert predictions.probabilities is not None
    certain = np.zeros(len(predictions.samples))
    for given in predictions.probabilities:
        certain += np.nan_to_num(np.square(given, dtype=np.float32).sum(axis=1))
    step = max(1, -(-len(certain) // LOOKED_AT))
    voices = heard(predictions, np.sort(np.argsort(certain)[::step]))  # the same in whatever order samples came
    weight = np.zeros((voices.count, len(priors)), dtype=np.float32)
    for place, prior in enumerate(priors):
        weight[prior.voices, place] = prior.weight
    biases = evened(voices, weight, len(predictions.classes))
    return [replace(prior, bias=bias) for prior, bias in zip(priors, biases.T, strict=True)]


def _pull(predictions: Predictions) -> FloatArray:
    """(models,): the log odds that a model is right, if it is so as often as it agrees with the vote.

    It agrees by the share of the vote for each class that goes to what it said, mean over classes: a model that always
    says the same agrees often where that class is common, and tells nothing. Here it has the value of a guess, as has a
    model that said nothing. Votes on samples where a model is silent do not count for it.
    """
    assert predictions.classes is not None
    _, _, size = grouped(predictions)
    held = np.zeros((len(predictions.models), len(predictions.classes)))
    met = np.zeros_like(held)
    for start, voices in _chunks(predictions):
        said = voices.said
        backers = np.bincount(said.slot[said.slot >= 0], minlength=len(said.code))
        spoken = np.bincount(said.sample, backers, minlength=len(said.first) - 1)
        share = backers / np.maximum(spoken, 1)[said.sample] * size[start + said.sample]
        _add_by_class(said.slot, said.code, said.first, share, held, met)
    named = max(int(met.any(axis=0).sum()), 1)  # a guess is one of these
    classes = np.count_nonzero(met, axis=1)
    agreed = np.divide(held, met, out=held, where=met > 0).sum(axis=1)
    sure = np.clip(np.where(classes > 0, agreed / np.maximum(classes, 1), 1 / named), 1 - SUREST, SUREST)
    return np.asarray(np.log(sure * max(named - 1, 1) / (1 - sure)))


@kernel
def _add_by_class(slot: Array, code: Array, first: Array, share: FloatArray, held: FloatArray, met: FloatArray) -> None:
    """To (models, classes), add what stands at each model's answers, and all that stands where it has one."""
    for sample in range(slot.shape[0]):
        for model in range(slot.shape[1]):
            place = slot[sample, model]
            if place >= 0:
                held[model, code[place]] += share[place]
                for other in range(first[sample], first[sample + 1]):
                    met[model, code[other]] += share[other]


def _groups(label: IntArray, classes: int) -> IntArray:
    """(classes,): each class by itself; where there are many, all that have no label together."""
    if classes <= MANY_CLASSES:
        return np.arange(classes)
    group = np.zeros(classes, dtype=np.int64)
    seen = np.unique(label)
    group[seen] = 1 + np.arange(len(seen))
    return group if len(seen) < classes else group - 1


def _fit(prior: Prior, voices: Voices, features: FloatArray, label: IntArray, group: IntArray) -> Fit:
    """The most likely weights and biases, found from the prior's own, so that the same labels give the same fit."""
    feature, count, groups = np.ascontiguousarray(features[:, prior.voices]), len(prior.weight), group.max() + 1
    start = np.concatenate([prior.weight, np.zeros(groups) if prior.bias is None else prior.bias])
    precision = np.concatenate([prior.spread**-2.0, np.full(groups, prior.spread_of_bias**-2.0)])
    here, factor, height = climb(feature, voices.said.code, voices.said.first, label, group, start, precision)
    evidence = np.log(prior.chance) + height + 0.5 * np.log(precision).sum() - np.log(np.diag(factor)).sum()
    return Fit(prior.voices, here[:count], here[count:], factor, float(evidence))
