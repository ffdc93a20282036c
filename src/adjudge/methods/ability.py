"""How able each model is and how easy each sample, fitted together: the machinery of LaF and GLAD.

P(model j is right on sample i) = sigmoid(ability_j * ease_i), and a wrong model says each of the other classes
with the same chance.
"""

from dataclasses import dataclass, field, replace
from math import exp, log, pi

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import company_of, patterns

ENOUGH = 1e-5  # relative change of the expected log likelihood that ends the rounds (LaF, Algorithm 1 line 21)
STEPS, FLAT = 25, 0.01  # steps of a climb, and the largest slope at its end (LaF authors' code)
ROUNDS = 1000  # the authors set no limit; the tasks we know need 3 to 100
STEEPEST = 100.0  # e^100 is far beyond any fit, and its square is still a number
DIGITS = 9  # of an ability: a climb ends far above this, and models that mirror each other shall tie
BLOCK, FOLD = 512, 512  # groups that stay in the cache; factors up to 2 whose product is below 2^1024


@dataclass(frozen=True, eq=False)
class Groups:
    """Samples on which the models split in the same way: to this fit they are the same sample.

    No class is special, so it only matters which models said the same, and which of them said the bought
    label. The order of the groups depends on neither the codes of classes nor the order of samples, and that of
    the models here (all but twins and mirror images) not on their order in the pool.
    """

    order: IntArray  # (models,): the place of each model in the pool
    said: Array  # (models, groups): classes numbered in the order in which the models name them; -1 is missing
    truth: Array  # (groups,): the bought label in these numbers; -1 where there is none
    share: FloatArray  # (groups,): of the models that said the bought label, or else what most models said
    size: FloatArray  # (groups,): samples
    classes: int
    group: IntArray  # (counted samples,): the group of each


def group_samples(predictions: Predictions, labels: Labels, counted: BoolArray, start: FloatArray) -> Groups:
    """Group the samples that are counted; the order of models follows from a first value of each."""
    assert predictions.classes is not None  # or else there would be no votes
    classes, models = len(predictions.classes), len(predictions.models)
    rows = np.vstack([predictions.values[:, counted], labels.codes[counted]]).astype(
        np.int32
    )  # the label is the last row
    company = company_of(rows[:-1], classes)
    order = np.lexsort(((company**2).sum(axis=1), company.sum(axis=1), np.round(start, DIGITS)))
    said = _number_classes(rows[[*order, models]], classes)
    names = tuple(map(str, range(models + 1)))
    first, group = patterns(Predictions(said, names, range(said.shape[1]), names))
    said, truth, company = said[:-1, first], said[-1, first], company[:, first]
    chosen = np.where(truth < 0, company.max(axis=0), np.count_nonzero(said == truth, axis=0))
    share = chosen / np.count_nonzero(company, axis=0)
    return Groups(order, said, truth, share, np.bincount(group).astype(np.float64), classes, group)


def fit(surface: "Surface") -> tuple[FloatArray, "Surface"]:
    """Expectation-maximization from the start of a surface until the expected log likelihood hardly changes."""
    point = surface.start
    surface = surface.expect(point)
    last = surface(point)[0]
    for _ in range(ROUNDS):
        point, now = _climb(surface, point)
        if not abs(now - last) > ENOUGH * abs(last):
            break
        last, surface = now, surface.expect(point)
    return point, surface


@dataclass(frozen=True, eq=False)
class Surface:
    """The expected log likelihood, its sign turned, over a point: the abilities, then a number for each group.

    The number of a group is beta (or alpha) times the root of its size. So distances, slopes and with them the
    steps of conjugate gradients are those of a point that holds every sample by itself.
    """

    groups: Groups
    start: FloatArray
    plain: bool  # whether ease is the parameter itself, with no priors
    belief: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    # (models, groups): the chance that what the model said is right; -1 where it said nothing

    def expect(self, point: FloatArray) -> "Surface":
        """The surface for the chances that the classes have under these parameters."""
        groups = self.groups
        return replace(self, belief=_beliefs(groups.said, groups.truth, groups.classes, *self._split(point)))

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        groups, models = self.groups, self.groups.said.shape[0]
        ability, ease = self._split(point)
        slope = np.empty(point.size)
        by_ability, by_ease = slope[:models], slope[models:]
        doubt = log(groups.classes - 1)
        value = _likelihood(self.belief, groups.size, ability, ease, doubt, by_ability, by_ease)
        value -= groups.size.sum() * log(groups.classes)  # of the classes, which all have the same chance before
        by_ease *= np.sqrt(groups.size)
        if not self.plain:
            away = point - self.start
            value -= (away @ away + (models + groups.size.sum()) * log(2 * pi)) / 2
            by_ease *= ease
            slope -= away
        return -value, -slope

    def flat(self, slope: FloatArray) -> bool:
        """Whether no parameter of a model or of a single sample has a slope."""
        models = self.groups.said.shape[0]
        steepest = max(np.abs(slope[:models]).max(), (np.abs(slope[models:]) / np.sqrt(self.groups.size)).max())
        return bool(steepest <= FLAT)

    def _split(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        models = self.groups.said.shape[0]
        parameter = point[models:] / np.sqrt(self.groups.size)
        return point[:models], parameter if self.plain else np.exp(np.minimum(parameter, STEEPEST))


def _climb(surface: Surface, point: FloatArray) -> tuple[FloatArray, float]:
    """A few steps of conjugate gradients (Polak-Ribiere), and the value at their end."""
    from scipy.optimize import minimize

    at, value, slope = point, *surface(point)

    def evaluate(place: FloatArray) -> tuple[float, FloatArray]:
        nonlocal at, value, slope
        if not np.array_equal(place, at):
            at, (value, slope) = place.copy(), surface(place)
        return value, slope

    def stop(xk: FloatArray) -> None:  # scipy knows this argument by its name
        if surface.flat(evaluate(xk)[1]):
            raise StopIteration

    if surface.flat(slope):
        return point, value
    found = minimize(evaluate, point, jac=True, method="CG", callback=stop, options={"maxiter": STEPS, "gtol": 0.0})
    return found.x, float(found.fun)


@kernel
def _number_classes(rows: Array, classes: int) -> Array:
    """The same rows, with the classes of each sample numbered in the order in which they come."""
    number, said = np.full(classes, -1, dtype=np.int32), np.full(rows.shape, -1, dtype=np.int32)
    for sample in range(rows.shape[1]):
        named = 0
        for row in range(rows.shape[0]):
            code = rows[row, sample]
            if code >= 0:
                if number[code] < 0:
                    number[code] = named
                    named += 1
                said[row, sample] = number[code]
        for row in range(rows.shape[0]):
            number[rows[row, sample]] = -1  # -1 is the last class: no harm in clearing it too
    return said


@kernel
def _beliefs(said: Array, truth: Array, classes: int, ability: Array, ease: Array) -> Array:
    """Bayes' rule in logs. A class that nobody said has the log odds 0, and is not looked at."""
    models, groups = said.shape
    belief = np.empty((models, groups))
    odds, doubt = np.empty(models), log(classes - 1.0)
    for group in range(groups):
        named = 0
        for model in range(models):
            number = said[model, group]
            if number >= 0:
                if number == named:
                    odds[number] = 0.0
                    named += 1
                odds[number] += ability[model] * ease[group] + doubt
        highest = odds[:named].max()
        if named < classes:
            highest = max(highest, 0.0)
        total = (classes - named) * exp(-highest)
        for number in range(named):
            odds[number] = exp(odds[number] - highest)
            total += odds[number]
        for model in range(models):
            number = said[model, group]
            if number < 0:
                belief[model, group] = -1.0
            elif truth[group] >= 0:
                belief[model, group] = 1.0 if number == truth[group] else 0.0
            else:
                belief[model, group] = odds[number] / total
    return belief


@kernel
def _likelihood(
    belief: Array, size: Array, ability: Array, ease: Array, doubt: float, by_ability: Array, by_ease: Array
) -> float:
    """Of what models said, over all groups, with the slope by ability, and by the ease of one sample."""
    models, groups = belief.shape
    by_ability[:], by_ease[:] = 0.0, 0.0
    value, sums, product = 0.0, np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, groups, BLOCK):
        rows = min(BLOCK, groups - start)
        sums[:], product[:] = 0.0, 1.0
        for model in range(models):
            slope, able = 0.0, ability[model]
            for row in range(rows):
                group = start + row
                right = belief[model, group]
                if right < 0:
                    continue
                both = able * ease[group]
                tail = exp(-abs(both))
                residual = right - (1.0 if both >= 0 else tail) / (1.0 + tail)
                slope += size[group] * ease[group] * residual
                by_ease[group] += able * residual
                # log sigmoid(x) = min(x, 0) - log(1 + exp(-|x|)); the logs are taken of products, once a block
                sums[row] += right * both - max(both, 0.0) - (1.0 - right) * doubt
                product[row] *= 1.0 + tail
            by_ability[model] += slope
            if model % FOLD == FOLD - 1:
                for row in range(rows):
                    sums[row] -= log(product[row])
                    product[row] = 1.0
        for row in range(rows):
            value += size[start + row] * (sums[row] - log(product[row]))
    return value
