"""The pooled consensus: how likely each class is for each sample, from what the models said and the labels so far.

A log-linear pool: the chance of class c for sample i is proportional to exp(a_c + sum of b_h over the models h that
said c). Each model has a weight b_h and each class a bias a_c. Before any label, a model's weight follows from how
often it agrees with the others, scaled down because models share mistakes: the vote of many counts as that of a few
independent ones. Labels are a multinomial likelihood; a normal prior keeps the fit convex. How many models the vote is
worth, how agreement is measured and how far weights may move is not set but learned: several priors are fitted side by
side and weighted by their evidence (Laplace's approximation).
"""

from collections import OrderedDict
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.answers import Answers, answers, chances, sums_for_models
from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import kernel, patterns

INDEPENDENT = (1.5, 4.0, 10.0)  # models that the vote may be worth
FREEDOM = (2.0, 6.0)  # how far a weight may move, in mean weights
SPREAD_OF_BIAS = 1.0
SUREST = 0.99  # agreement is kept this far from certain
STEPS = 100  # of Newton's method; ten are usual
CLOSE = 1e-9  # a step that changes no weight by more is the last
CHUNK = 1 << 22  # predictions looked at together
KEPT = 64  # fits that are remembered for each pool
LEAST_PULL = 0.05  # of a pool whose models agree no more than by chance
NEGLIGIBLE = 1e-4  # the weight of a prior that plays no part


@dataclass(frozen=True, eq=False)
class Prior:
    """Where the weights start, and how far they may move."""

    weight: FloatArray  # (models,)
    spread: float


@dataclass(frozen=True, eq=False)
class Fit:
    """One prior after the labels: the most likely weights and biases, and what is left uncertain."""

    weight: FloatArray  # (models,)
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
        """Shares, weights (models, fits) and biases (classes, fits) of the fits that matter."""
        kept = np.flatnonzero(self.share > NEGLIGIBLE)
        weight = np.stack([self.fits[each].weight for each in kept], axis=1)
        bias = np.stack([self.fits[each].bias for each in kept], axis=1)
        return self.share[kept] / self.share[kept].sum(), weight.astype(np.float32), bias.astype(np.float32)

    def draws(self, number: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Weights (models, draws) and biases (classes, draws), from all fits by their shares."""
        turn = np.searchsorted(np.cumsum(self.share), (np.arange(number) + rng.random()) / number)
        drawn = []
        for each in np.unique(np.minimum(turn, len(self.fits) - 1)):
            fit, many = self.fits[each], np.count_nonzero(np.minimum(turn, len(self.fits) - 1) == each)
            center = np.concatenate([fit.weight, fit.bias])
            noise = rng.standard_normal((len(center), many))
            drawn.append(center[:, None] + np.linalg.solve(fit.factor.T, noise))
        both = np.concatenate(drawn, axis=1).astype(np.float32)
        models = len(self.fits[0].weight)
        return np.ascontiguousarray(both[:models]), np.ascontiguousarray(both[models:])


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
        found = chances(said.slot, said.code, said.first, weight, bias)
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
        found = (chances(said.slot, said.code, said.first, weight, bias) @ share.astype(np.float32))[:, None]
        total += sums_for_models(said.slot, found, unknown[start : start + len(said.first) - 1])[:, 0]
    with np.errstate(invalid="ignore"):
        return np.asarray(total / predictions.said)


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
                found += [Prior(weight, freedom * mean) for freedom in FREEDOM]
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
    start = np.concatenate([prior.weight, np.zeros(classes)])
    precision = np.concatenate([np.full(models, prior.spread**-2.0), np.full(classes, SPREAD_OF_BIAS**-2.0)])
    here, factor, height = _climb(said.slot, said.code, said.first, label, start, precision, classes)
    evidence = height + 0.5 * np.log(precision).sum() - np.log(np.diag(factor)).sum()
    return Fit(here[:models], here[models:], factor, float(evidence))


@kernel
def _climb(
    slot: Array, code: Array, first: Array, label: Array, start: FloatArray, precision: FloatArray, classes: int
) -> tuple[FloatArray, FloatArray, float]:
    """Newton's method; a step that leads down is halved. In one thread, so that its bits are the same everywhere."""
    here = start.copy()
    height, slope, curve = _look(slot, code, first, label, here, classes)
    for _ in range(STEPS):
        for place in range(len(here)):
            slope[place] -= precision[place] * (here[place] - start[place])
            curve[place, place] += precision[place]
        _factorize(curve)
        step = _solve(curve, slope)
        length, longest = 1.0, np.abs(step).max()
        while longest * length > CLOSE:
            there = here + length * step
            likelihood, slope, wider = _look(slot, code, first, label, there, classes)
            reached = likelihood - 0.5 * (precision * (there - start) ** 2).sum()
            if reached >= height:
                break
            length /= 2
        if longest * length <= CLOSE:
            return here, curve, height
        here, height, curve = there, reached, wider
    for place in range(len(here)):
        curve[place, place] += precision[place]
    _factorize(curve)
    return here, curve, height


@kernel
def _factorize(matrix: FloatArray) -> None:
    """The lower Cholesky factor, in place; what is above the diagonal becomes zero."""
    for row in range(len(matrix)):
        for column in range(row):
            rest = matrix[row, column] - _product(matrix[row], matrix[column], column)
            matrix[row, column] = rest / matrix[column, column]
        matrix[row, row] = np.sqrt(matrix[row, row] - _product(matrix[row], matrix[row], row))
        matrix[row, row + 1 :] = 0.0


@kernel
def _product(left: FloatArray, right: FloatArray, length: int) -> float:
    total = 0.0
    for place in range(length):
        total += left[place] * right[place]
    return total


@kernel
def _solve(factor: FloatArray, right: FloatArray) -> FloatArray:
    found = right.copy()
    for row in range(len(found)):
        for column in range(row):
            found[row] -= factor[row, column] * found[column]
        found[row] /= factor[row, row]
    for row in range(len(found) - 1, -1, -1):
        found[row] /= factor[row, row]
        for column in range(row):
            found[column] -= factor[row, column] * found[row]
    return found


@kernel
def _look(
    slot: Array, code: Array, first: Array, label: Array, here: FloatArray, classes: int
) -> tuple[float, FloatArray, FloatArray]:
    """Log-likelihood of the labels, slope and (negative) curvature at these weights of models and biases of classes."""
    samples, models = slot.shape
    likelihood, slope, curve = 0.0, np.zeros(len(here)), np.zeros((len(here), len(here)))
    score, expected = np.empty(classes), np.empty(len(here))
    for sample in range(samples):
        score[:] = here[models:]
        for model in range(models):
            if slot[sample, model] >= 0:
                score[code[slot[sample, model]]] += here[model]
        score -= score.max()
        score[:] = np.exp(score)
        score /= score.sum()
        likelihood += np.log(max(score[label[sample]], 1e-300))
        for model in range(models):
            named = slot[sample, model]
            expected[model] = score[code[named]] if named >= 0 else 0.0
            slope[model] += (named >= 0 and code[named] == label[sample]) - expected[model]
            if named < 0:
                continue
            curve[model, models + code[named]] += expected[model]
            for other in range(model + 1):
                if slot[sample, other] == named:
                    curve[model, other] += expected[model]
        for place in range(classes):
            expected[models + place] = score[place]
            slope[models + place] += (place == label[sample]) - score[place]
            curve[models + place, models + place] += score[place]
        for place in range(len(here)):
            if expected[place] > 0:
                for other in range(place + 1):
                    curve[place, other] -= expected[place] * expected[other]
    for model in range(models):  # these were counted above the diagonal
        for place in range(models, len(here)):
            curve[place, model] += curve[model, place]
    for place in range(len(here)):
        for other in range(place):
            curve[other, place] = curve[place, other]
    return likelihood, slope, curve
