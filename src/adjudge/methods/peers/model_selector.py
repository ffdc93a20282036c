"""Model Selector: the sample whose label is expected to tell most about which model is best."""

from dataclasses import dataclass
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Picker
from adjudge.core.sampling import choose_highest, still_open
from adjudge.core.votes import broken_vote, votes
from adjudge.errors import MethodError

AUTO = "auto"
GRID = tuple(percent / 100 for percent in range(35, 50))
PLAYS, PLAY_SIZE, PLAY_LABELS = 10, 1000, 100  # rehearsals of the tuning, their largest pool, and their labels
CLOSE = 1e-10  # entropies nearer than this are equal: sums of floats differ in the last bits

_TUNED: "WeakKeyDictionary[Predictions, float]" = WeakKeyDictionary()


@dataclass(frozen=True)
class ModelSelector:
    """Label the sample after which the best model is expected to be least uncertain.

    The best model is taken to be right with the chance 1 - epsilon, so a right answer multiplies the belief w that a
    model is the best by g = (1 - epsilon) / epsilon. Next comes the disputed sample with the lowest mean entropy of w
    over the classes its label could have. With s the belief held by the models that said a class, and t their sum of
    w log w, the entropy after that label has the closed form

        log Z - (sum of all w log w + (g - 1) t + g log(g) s) / Z,     Z = 1 + (g - 1) s.

    The answer is the model with the highest accuracy on the labels, which is what `labeled` ranks by. Ties are broken
    by the seed, and a missing prediction counts as a wrong one.

    `epsilon="auto"` tunes it without labels, by rehearsals in which the majority vote is the truth: 10 random pools of
    up to 1000 samples, 100 labels each, for epsilon from .35 to .49. The value under which the model that comes out
    first is most often the best one wins, the median one where several do equally well. A pool is tuned once, the same
    for all seeds. It finds the values that the authors name for several pools, and a bad one where the best model is
    not the one that is nearest to the vote.
    """

    epsilon: float | str = 0.46
    reference: ClassVar[str] = "Okanovic et al. 2025 (Model Selector, arXiv 2410.13609)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    draws: ClassVar[bool] = False
    ranker: ClassVar[str] = "labeled"

    def __post_init__(self) -> None:
        if self.epsilon != AUTO and not (isinstance(self.epsilon, float) and 0 < self.epsilon <= 0.5):
            raise MethodError(
                f"model-selector has the epsilon {self.epsilon!r}; give a number above 0 and up to 0.5, or {AUTO!r}"
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
    """The epsilon that does best when the vote plays the truth; kept as long as the pool is."""
    if predictions not in _TUNED:
        score = np.mean([_rehearse(predictions, play) for play in range(PLAYS)], axis=0)
        best = np.flatnonzero(score >= score.max() - CLOSE)
        _TUNED[predictions] = GRID[best[len(best) // 2]]
    return _TUNED[predictions]


def _rehearse(predictions: Predictions, play: int) -> FloatArray:
    """(grid,): how often the first model was the best against the vote, over the labels of one rehearsal."""
    rng = np.random.default_rng(play)
    assert predictions.classes is not None
    classes, pool = len(predictions.classes), len(predictions.samples)
    chosen = rng.choice(pool, min(pool, PLAY_SIZE), replace=False)
    columns, truth = np.ascontiguousarray(predictions.values[:, chosen].T), broken_vote(predictions, rng)[chosen]
    agree = columns == truth[:, None]
    best = agree.sum(axis=0) == agree.sum(axis=0).max()
    return np.array([_success(columns, agree, best, _odds(epsilon), classes, play) for epsilon in GRID])


def _success(columns: Array, agree: Array, best: Array, odds: float, classes: int, play: int) -> float:
    """How often the model that leads is one of the best, averaged over the labels and over models that tie."""
    rng = np.random.default_rng([play, 1])
    disputed = np.flatnonzero((columns != columns[:, :1]).any(axis=1))
    right, hits = np.zeros(columns.shape[1], dtype=np.int64), [float(best.mean())]
    for _ in range(min(PLAY_LABELS, len(disputed))):
        sample = choose_highest(disputed, -expected_entropy(columns, disputed, right, odds, classes), CLOSE, rng).sample
        disputed = disputed[disputed != sample]
        right += agree[sample]
        hits.append(float(best[right == right.max()].mean()))
    return float(np.mean(hits))


def _odds(epsilon: float) -> float:
    return (1 - epsilon) / epsilon


def expected_entropy(columns: Array, candidates: IntArray, right: IntArray, odds: float, classes: int) -> FloatArray:
    """(candidates,): the mean entropy of the belief after a label, when each class is as likely as any other.

    `columns` (samples, models) holds what was said, `right` (models,) how many labels each model got right.
    """
    log_belief = np.log(odds) * (right - right.max())
    belief = np.exp(log_belief)
    belief /= belief.sum()
    product = belief * np.log(np.where(belief > 0, belief, 1.0))
    return _entropies(columns, candidates, belief, product, odds, classes)


@kernel
def _entropies(
    columns: Array, candidates: Array, belief: Array, product: Array, odds: float, classes: int
) -> FloatArray:
    now, gain = -product.sum(), odds * np.log(odds)
    held, part = np.zeros(classes), np.zeros(classes)
    found = np.empty(len(candidates))
    for place in range(len(candidates)):
        row = columns[candidates[place]]
        for model in range(len(row)):
            if row[model] >= 0:
                held[row[model]] += belief[model]
                part[row[model]] += product[model]
        total, unsaid = 0.0, classes
        for code in row:
            if code >= 0 and held[code] > 0:
                scale = 1 + (odds - 1) * held[code]
                total += np.log(scale) - (-now + (odds - 1) * part[code] + gain * held[code]) / scale
                unsaid -= 1
                held[code], part[code] = 0.0, 0.0
        found[place] = (total + unsaid * now) / classes  # a label that nobody said changes nothing
    return found
