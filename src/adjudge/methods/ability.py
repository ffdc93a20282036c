"""The ability of each model and the ease of each sample, fitted together by expectation-maximization: LaF and GLAD.

P(model j is right on sample i) = sigmoid(ability_j * ease_i), and a wrong model predicts each of the other classes with
the same probability.
"""

from dataclasses import dataclass, field, replace
from math import exp, log, pi

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import co_voters, patterns

TOLERANCE = 1e-5  # relative change of the expected log-likelihood that ends the rounds (LaF, Algorithm 1 line 21)
MAX_STEPS, GRADIENT_TOLERANCE = 25, 0.01  # of conjugate gradients in a round (LaF authors' code)
MAX_ROUNDS = 1000  # the authors set no limit; the tasks we know need 3 to 100
MAX_EXPONENT = 100.0  # e^100 is far beyond any fit, and its square is still finite
DIGITS = 9  # of an ability: far below the tolerance, and models that mirror each other shall tie
BLOCK, FOLD = 512, 512  # groups that stay in the processor cache; factors up to 2 whose product is below 2^1024


@dataclass(frozen=True, eq=False)
class SampleGroups:
    """Samples on which the models split in the same way: to this fit they are the same sample.

    No class is special, so it only matters which models predict the same class, and which of them predict the label.
    The order of the groups depends neither on class codes nor on the order of samples. The order of the models here
    does not depend on their order in the pool, except for identical models and mirror images.
    """

    order: IntArray  # (models,): the place of each model in the pool
    said: Array  # (models, groups): classes numbered in the order in which the models name them; -1 is missing
    truth: Array  # (groups,): the label in these numbers; -1 where there is none
    share: FloatArray  # (groups,): of the models that predict the label, or else the majority
    size: FloatArray  # (groups,): samples
    classes: int
    group: IntArray  # (counted samples,): the group of each


def group_samples(predictions: Predictions, labels: Labels, counted: BoolArray, start: FloatArray) -> SampleGroups:
    """Group the samples that are counted; the order of models follows from their start values."""
    assert predictions.classes is not None  # or else there would be no votes
    classes, models = len(predictions.classes), len(predictions.models)
    rows = np.vstack([predictions.values[:, counted], labels.codes[counted]]).astype(
        np.int32
    )  # the label is the last row
    company = co_voters(rows[:-1], classes)
    order = np.lexsort(((company**2).sum(axis=1), company.sum(axis=1), np.round(start, DIGITS)))
    said = _number_classes(rows[[*order, models]], classes)
    names = tuple(map(str, range(models + 1)))
    first, group = patterns(Predictions(said, names, range(said.shape[1]), names))
    said, truth, company = said[:-1, first], said[-1, first], company[:, first]
    chosen = np.where(truth < 0, company.max(axis=0), np.count_nonzero(said == truth, axis=0))
    share = chosen / np.count_nonzero(company, axis=0)
    return SampleGroups(order, said, truth, share, np.bincount(group).astype(np.float64), classes, group)


def fit(objective: "Objective") -> tuple[FloatArray, "Objective"]:
    """Expectation-maximization from the start values until the expected log-likelihood hardly changes."""
    point = objective.start
    objective = objective.expect(point)
    last = objective(point)[0]
    for _ in range(MAX_ROUNDS):
        point, now = _m_step(objective, point)
        if not abs(now - last) > TOLERANCE * abs(last):
            break
        last, objective = now, objective.expect(point)
    return point, objective


@dataclass(frozen=True, eq=False)
class Objective:
    """The negative expected log-likelihood as a function of a point: the abilities, then a parameter for each group.

    The parameter of a group is beta (or alpha) times the square root of its size. With that, distances, gradients and
    the steps of conjugate gradients are those of a point with a parameter for every sample.
    """

    groups: SampleGroups
    start: FloatArray
    plain: bool  # whether ease is the parameter itself, with no priors
    posterior: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    # (models, groups): the probability that the prediction is right; -1 where it is missing

    def expect(self, point: FloatArray) -> "Objective":
        """The E step: the objective for the class posterior under these parameters."""
        groups = self.groups
        return replace(self, posterior=_posterior(groups.said, groups.truth, groups.classes, *self._split(point)))

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        groups, models = self.groups, self.groups.said.shape[0]
        ability, ease = self._split(point)
        gradient = np.empty(point.size)
        by_ability, by_ease = gradient[:models], gradient[models:]
        doubt = log(groups.classes - 1)
        value = _likelihood(self.posterior, groups.size, ability, ease, doubt, by_ability, by_ease)
        value -= groups.size.sum() * log(groups.classes)  # the uniform prior of the classes
        by_ease *= np.sqrt(groups.size)
        if not self.plain:
            away = point - self.start
            value -= (away @ away + (models + groups.size.sum()) * log(2 * pi)) / 2
            by_ease *= ease
            gradient -= away
        return -value, -gradient

    def is_flat(self, gradient: FloatArray) -> bool:
        """Whether the gradient by the parameters of models and of single samples is close to zero."""
        models = self.groups.said.shape[0]
        largest = max(np.abs(gradient[:models]).max(), (np.abs(gradient[models:]) / np.sqrt(self.groups.size)).max())
        return bool(largest <= GRADIENT_TOLERANCE)

    def _split(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        models = self.groups.said.shape[0]
        parameter = point[models:] / np.sqrt(self.groups.size)
        return point[:models], parameter if self.plain else np.exp(np.minimum(parameter, MAX_EXPONENT))


def _m_step(objective: Objective, point: FloatArray) -> tuple[FloatArray, float]:
    """The M step: a few steps of conjugate gradients (Polak-Ribiere), and the value at their end."""
    from scipy.optimize import minimize

    at, value, gradient = point, *objective(point)

    def evaluate(place: FloatArray) -> tuple[float, FloatArray]:
        nonlocal at, value, gradient
        if not np.array_equal(place, at):
            at, (value, gradient) = place.copy(), objective(place)
        return value, gradient

    def stop(xk: FloatArray) -> None:  # scipy knows this argument by its name
        if objective.is_flat(evaluate(xk)[1]):
            raise StopIteration

    if objective.is_flat(gradient):
        return point, value
    found = minimize(evaluate, point, jac=True, method="CG", callback=stop, options={"maxiter": MAX_STEPS, "gtol": 0.0})
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
def _posterior(said: Array, truth: Array, classes: int, ability: Array, ease: Array) -> Array:
    """The class posterior by Bayes' rule, in logs. A class that no model predicts has the log odds 0."""
    models, groups = said.shape
    posterior = np.empty((models, groups))
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
                posterior[model, group] = -1.0
            elif truth[group] >= 0:
                posterior[model, group] = 1.0 if number == truth[group] else 0.0
            else:
                posterior[model, group] = odds[number] / total
    return posterior


@kernel
def _likelihood(
    posterior: Array, size: Array, ability: Array, ease: Array, doubt: float, by_ability: Array, by_ease: Array
) -> float:
    """Of the predictions, over all groups, with the gradient by ability, and by the ease of one sample."""
    models, groups = posterior.shape
    by_ability[:], by_ease[:] = 0.0, 0.0
    value, sums, product = 0.0, np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, groups, BLOCK):
        rows = min(BLOCK, groups - start)
        sums[:], product[:] = 0.0, 1.0
        for model in range(models):
            gradient, able = 0.0, ability[model]
            for row in range(rows):
                group = start + row
                right = posterior[model, group]
                if right < 0:
                    continue
                both = able * ease[group]
                tail = exp(-abs(both))
                residual = right - (1.0 if both >= 0 else tail) / (1.0 + tail)
                gradient += size[group] * ease[group] * residual
                by_ease[group] += able * residual
                # log sigmoid(x) = min(x, 0) - log(1 + exp(-|x|)); the logs are taken of products, once a block
                sums[row] += right * both - max(both, 0.0) - (1.0 - right) * doubt
                product[row] *= 1.0 + tail
            by_ability[model] += gradient
            if model % FOLD == FOLD - 1:
                for row in range(rows):
                    sums[row] -= log(product[row])
                    product[row] = 1.0
        for row in range(rows):
            value += size[start + row] * (sums[row] - log(product[row]))
    return value
