"""LaF: how difficult each sample is and how able each model, from predictions alone."""

from dataclasses import dataclass, field, replace
from math import exp, log, pi
from typing import ClassVar, Literal

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.estimate import Answer, Estimate
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import company_of, kernel, patterns, vote_share, votes
from adjudge.errors import MethodError
from adjudge.rankers.majority import accuracy_against_vote

ENOUGH = 1e-5  # relative change of the expected log likelihood that ends the rounds (LaF, Algorithm 1 line 21)
STEPS, FLAT = 25, 0.01  # steps of a climb, and the largest slope at its end (the authors' code)
ROUNDS = 1000  # the authors set no limit; the tasks we know need 3 to 100
STEEPEST = 100.0  # e^100 is far beyond any fit, and its square is still a number
DIGITS = 9  # of the specialty: a climb ends far above this, and models that mirror each other shall tie
BLOCK, FOLD = 512, 512  # groups that stay in the cache; factors up to 2 whose product is below 2^1024


@dataclass(frozen=True)
class LaF:
    """Rank models by a specialty that is fitted together with the difficulty of samples, without labels.

    Samples on which all models agree are left out. For the others
    P(model j is right on sample i) = sigmoid(specialty_j * ease_i), and a wrong model says each of
    the other classes with the same chance. Expectation-maximization starts from the vote: specialty_j
    is the accuracy of j against it. Every round finds the chances of the classes, then climbs 25 steps
    of conjugate gradients over all parameters. Two readings of the method:

    - "code", the authors' program: ease_i = exp(beta_i), beta_i starts at the share of models that
      voted with the majority, and all parameters have normal priors of variance 1 around their start.
    - "paper", the text: ease_i = alpha_i, which starts at the share of models that voted *against* the
      majority, and no priors. This likelihood has no maximum: the numbers depend on where the climb ends.

    A bought label is the truth of its sample, in the start and in every round. A tied vote is settled as by
    `majority`; with `lowest_code` the lowest code wins, as in the authors' code. A model that said nothing
    on any disputed sample has no specialty (nan). Where no sample is disputed the answer is that of `agreement`.
    Where the crowd is wrong, so is this ranking: it has no interval. 25 steps end before the top, so the second
    decimal of a specialty may depend on rounding. To keep that from depending on the order of models, samples
    or class codes as well, the fit sees them in an order of its own.

    >>> said = np.array([[0, 0, 1, 2], [0, 1, 1, 2], [1, 0, 1, 0]])
    >>> pool = Predictions(said, ("a", "b", "c"), range(4), ("x", "y", "z"))
    >>> LaF().rank(pool, Labels.empty(4)).rank
    array([1, 2, 3])
    """

    variant: Literal["code", "paper"] = "code"
    lowest_code: bool = False
    reference: ClassVar[str] = "LaF (Guo et al. 2022, arXiv 2204.03994)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    returns: ClassVar[str] = "specialty, no interval"

    def __post_init__(self) -> None:
        if self.variant not in ("code", "paper"):
            raise MethodError(f"LaF has no variant {self.variant!r}; use 'code' or 'paper'")

    def rank(self, predictions: Predictions, labels: Labels) -> Answer:
        disputed = ~votes(predictions).unanimous
        if disputed.any():
            start = accuracy_against_vote(predictions, labels, disputed, lowest_code=self.lowest_code)
            groups = _groups(predictions, labels, disputed, start)
            value = np.empty(len(start))
            value[groups.order] = _specialty(groups, start[groups.order], plain=self.variant == "paper")
            estimate = Estimate.without_interval(value, "specialty")
        else:
            estimate = Estimate.without_interval(vote_share(predictions, labels), "agreement")
        return Answer.by_value(
            predictions.models, estimate, labels=int(np.count_nonzero(labels.usable)), skipped=labels.skipped
        )


@dataclass(frozen=True, eq=False)
class Groups:
    """Disputed samples on which the models split in the same way: to LaF they are the same sample.

    No class is special to LaF, so it only matters which models said the same, and which of them said the bought
    label. The order of the groups depends on neither the codes of classes nor the order of samples, and that of
    the models here (all but twins and mirror images) not on their order in the pool.
    """

    order: IntArray  # (models,): the place of each model in the pool
    said: Array  # (models, groups): classes numbered in the order in which the models name them; -1 is missing
    truth: Array  # (groups,): the bought label in these numbers; -1 where there is none
    share: FloatArray  # (groups,): of the models that said the bought label, or else what most models said
    size: FloatArray  # (groups,): samples
    classes: int


def _groups(predictions: Predictions, labels: Labels, disputed: BoolArray, start: FloatArray) -> Groups:
    assert predictions.classes is not None  # or else there would be no votes
    classes, models = len(predictions.classes), len(predictions.models)
    known = np.full(labels.pool, -1)
    known[labels.sample[labels.usable]] = labels.value[labels.usable]
    rows = np.vstack([predictions.values[:, disputed], known[disputed]]).astype(np.int32)  # the label is the last row
    company = company_of(rows[:-1], classes)
    order = np.lexsort(((company**2).sum(axis=1), company.sum(axis=1), np.round(start, DIGITS)))
    said = _number_classes(rows[[*order, models]], classes)
    names = tuple(map(str, range(models + 1)))
    first, group = patterns(Predictions(said, names, range(said.shape[1]), names))
    said, truth, company = said[:-1, first], said[-1, first], company[:, first]
    chosen = np.where(truth < 0, company.max(axis=0), np.count_nonzero(said == truth, axis=0))
    share = chosen / np.count_nonzero(company, axis=0)
    return Groups(order, said, truth, share, np.bincount(group).astype(np.float64), classes)


def _specialty(groups: Groups, start: FloatArray, *, plain: bool) -> FloatArray:
    """(models,): expectation-maximization until the expected log likelihood hardly changes."""
    silent = np.isnan(start)
    first = np.where(silent, np.mean(start[~silent]), start)  # no cell depends on it
    share = 1 - groups.share if plain else groups.share
    point = np.concatenate([first, share * np.sqrt(groups.size)])
    surface = Surface(groups, point, plain).expect(point)
    last = surface(point)[0]
    for _ in range(ROUNDS):
        point, now = _climb(surface, point)
        if not abs(now - last) > ENOUGH * abs(last):
            break
        last, surface = now, surface.expect(point)
    return np.where(silent, np.nan, np.round(point[: len(start)], DIGITS))


@dataclass(frozen=True, eq=False)
class Surface:
    """The expected log likelihood, its sign turned, over a point: the specialties, then a number for each group.

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
        specialty, ease = self._split(point)
        slope = np.empty(point.size)
        by_specialty, by_ease = slope[:models], slope[models:]
        doubt = log(groups.classes - 1)
        value = _likelihood(self.belief, groups.size, specialty, ease, doubt, by_specialty, by_ease)
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
def _beliefs(said: Array, truth: Array, classes: int, specialty: Array, ease: Array) -> Array:
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
                odds[number] += specialty[model] * ease[group] + doubt
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
    belief: Array, size: Array, specialty: Array, ease: Array, doubt: float, by_specialty: Array, by_ease: Array
) -> float:
    """Of what models said, over all groups, with the slope by specialty, and by the ease of one sample."""
    models, groups = belief.shape
    by_specialty[:], by_ease[:] = 0.0, 0.0
    value, sums, product = 0.0, np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, groups, BLOCK):
        rows = min(BLOCK, groups - start)
        sums[:], product[:] = 0.0, 1.0
        for model in range(models):
            slope, able = 0.0, specialty[model]
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
            by_specialty[model] += slope
            if model % FOLD == FOLD - 1:
                for row in range(rows):
                    sums[row] -= log(product[row])
                    product[row] = 1.0
        for row in range(rows):
            value += size[start + row] * (sums[row] - log(product[row]))
    return value
