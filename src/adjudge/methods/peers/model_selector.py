"""Model Selector: the sample with the highest expected information gain about which model is best."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, choose_highest, still_open
from adjudge.core.votes import tie_broken_vote, votes
from adjudge.errors import MethodError

AUTO = "auto"
GRID = tuple(percent / 100 for percent in range(35, 50))
TRIALS, TRIAL_SIZE, TRIAL_LABELS = 10, 1000, 100  # simulations of the tuning, their largest pool, and their labels
CLOSE = 1e-10  # entropies that differ by less are equal: sums of floats differ in the last bits


@dataclass(frozen=True)
class ModelSelector:
    """Label the sample after which the best model is expected to be least uncertain.

    The best model is assumed to be right with probability 1 - epsilon, so a right prediction multiplies the posterior
    probability w that a model is the best by g = (1 - epsilon) / epsilon. Next comes the disputed sample with the
    lowest mean entropy of w over the classes that its label could be. With s the sum of w over the models that predict
    a class, and t their sum of w log w, the entropy after that label has the closed form

        log Z - (sum of all w log w + (g - 1) t + g log(g) s) / Z,     Z = 1 + (g - 1) s.

    The model with the highest accuracy on the labels comes first (`labeled`). Ties are broken by the seed, and a
    missing prediction counts as wrong.

    Parameters
    ----------
    epsilon
        The assumed error of the best model. "auto" tunes it without labels, by simulations in which the majority vote
        is the truth: 10 random pools of up to 1000 samples, 100 labels each, for epsilon from .35 to .49. The value
        wins under which the model ranked first is most often the best one; of several equal values, the median. The
        result does not depend on the seed. It finds the values that the authors report for several pools, and a bad one
        where the best model is not the one that agrees most with the vote.

    References
    ----------
    P. Okanovic et al. 2025, "All Models Are Wrong, Some Are Useful: Model Selection with Limited Labels".
    arXiv 2410.13609
    """

    epsilon: float | str = 0.46
    reference: ClassVar[str] = "Okanovic et al. 2025 (Model Selector, arXiv 2410.13609)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    draws: ClassVar[bool] = False
    ranker: ClassVar[str] = "labeled"

    def __post_init__(self) -> None:
        if self.epsilon != AUTO and not (isinstance(self.epsilon, float) and 0 < self.epsilon <= 0.5):
            raise MethodError(
                f"epsilon of model-selector is {self.epsilon!r}; give a number above 0 and up to 0.5, or {AUTO!r}"
            )

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        disputed = ~votes(predictions).unanimous
        assert predictions.classes is not None  # or else there would be no votes
        columns, classes = np.ascontiguousarray(predictions.values.T), len(predictions.classes)
        odds = _odds(tuned(predictions) if isinstance(self.epsilon, str) else self.epsilon)

        def pick(labels: Labels) -> Pick | None:
            rest = still_open(labels)
            if not rest.size:
                return None
            candidates = rest[disputed[rest]] if disputed[rest].any() else rest
            usable = labels.usable
            right = (columns[labels.sample[usable]] == labels.value[usable, None]).sum(axis=0)
            entropy = expected_entropy(columns, candidates, right, odds, classes)
            return choose_highest(candidates, -entropy, CLOSE, np.random.default_rng([seed, len(labels)]))

        return pick


def tuned(predictions: Predictions) -> float:
    """The epsilon that does best when the vote is taken as the truth."""

    def search() -> float:
        score = np.mean([_simulate(predictions, trial) for trial in range(TRIALS)], axis=0)
        best = np.flatnonzero(score >= score.max() - CLOSE)
        return GRID[int(best[len(best) // 2])]

    return cache.get(predictions, "tuned epsilon", search)


def _simulate(predictions: Predictions, trial: int) -> FloatArray:
    """(grid,): how often the first model was the best against the vote, over the labels of one simulation."""
    rng = np.random.default_rng(trial)
    assert predictions.classes is not None
    classes, pool = len(predictions.classes), len(predictions.samples)
    chosen = rng.choice(pool, min(pool, TRIAL_SIZE), replace=False)
    columns, truth = np.ascontiguousarray(predictions.values[:, chosen].T), tie_broken_vote(predictions, rng)[chosen]
    agree = columns == truth[:, None]
    best = agree.sum(axis=0) == agree.sum(axis=0).max()
    return np.array([_success(columns, agree, best, _odds(epsilon), classes, trial) for epsilon in GRID])


def _success(columns: Array, agree: Array, best: Array, odds: float, classes: int, trial: int) -> float:
    """How often the model that leads is one of the best, averaged over the labels and over models that tie."""
    rng = np.random.default_rng([trial, 1])
    disputed = np.flatnonzero((columns != columns[:, :1]).any(axis=1))
    right, hits = np.zeros(columns.shape[1], dtype=np.int64), [float(best.mean())]
    for _ in range(min(TRIAL_LABELS, len(disputed))):
        sample = choose_highest(disputed, -expected_entropy(columns, disputed, right, odds, classes), CLOSE, rng).sample
        disputed = disputed[disputed != sample]
        right += agree[sample]
        hits.append(float(best[right == right.max()].mean()))
    return float(np.mean(hits))


def _odds(epsilon: float) -> float:
    return (1 - epsilon) / epsilon


def expected_entropy(columns: Array, candidates: IntArray, right: IntArray, odds: float, classes: int) -> FloatArray:
    """(candidates,): the mean entropy of which model is best after a label, with all classes equally likely.

    `columns` (samples, models) holds the predictions, `right` (models,) how many labels each model predicted.
    """
    log_posterior = np.log(odds) * (right - right.max())
    posterior = np.exp(log_posterior)
    posterior /= posterior.sum()
    product = posterior * np.log(np.where(posterior > 0, posterior, 1.0))
    return _entropies(columns, candidates, posterior, product, odds, classes)


@kernel
def _entropies(
    columns: Array, candidates: Array, posterior: Array, product: Array, odds: float, classes: int
) -> FloatArray:
    now, gain = -product.sum(), odds * np.log(odds)
    held, part = np.zeros(classes), np.zeros(classes)
    found = np.empty(len(candidates))
    for place in range(len(candidates)):
        row = columns[candidates[place]]
        for model in range(len(row)):
            if row[model] >= 0:
                held[row[model]] += posterior[model]
                part[row[model]] += product[model]
        total, unpredicted = 0.0, classes
        for code in row:
            if code >= 0 and held[code] > 0:
                scale = 1 + (odds - 1) * held[code]
                total += np.log(scale) - (-now + (odds - 1) * part[code] + gain * held[code]) / scale
                unpredicted -= 1
                held[code], part[code] = 0.0, 0.0
        found[place] = (total + unpredicted * now) / classes  # a label that no model predicts changes nothing
    return found
