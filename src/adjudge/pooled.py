"""The default method: label what tells the models apart, rank by the pooled consensus, measure by the draws."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.belief import Belief, about_all_ranks, about_the_best, belief, chance_of_best
from adjudge.core.consensus import expected_accuracy, grouped
from adjudge.core.draws import draw_uniform
from adjudge.core.estimate import Answer, Estimate
from adjudge.core.frames import AGREED, DISPUTED, disputed
from adjudge.core.labels import Labels, Pick
from adjudge.core.losses import Loss, ZeroOne
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Picker
from adjudge.errors import MethodError, NotEnoughLabels
from adjudge.estimators.proxy import with_proxy
from adjudge.estimators.weighted import weighted_answer

GREEDY = 20  # labels that go to the most telling sample rather than to a draw, before draws take over
MOST_GREEDY = 0.9
FLOOR = 0.2  # share of the other draws that is uniform, so that no sample is out of reach
ON_AGREED = 0.1  # share of labels for samples on which all models agree
ON_AGREED_TO_ESTIMATE = 1 / 3
GOALS = ("best", "rank", "estimate")


@dataclass(frozen=True)
class Pooled:
    """Find the best model, rank all of them or estimate their accuracies, with the fewest labels.

    The models' votes and the labels so far make one consensus (`core.consensus`), whose uncertainty says which label
    would tell most about the goal. Samples in dispute are drawn with a chance that grows with that; a share of labels
    that falls with their number goes to the most telling sample itself; every tenth label checks a sample on which
    all models agree. The consensus orders the models; accuracies and intervals come from the draws and their weights
    (`assisted`), not from the consensus. With the goal `estimate` draws are uniform among the
    samples in dispute, and a third of the labels checks the others.
    """

    goal: str = "best"
    loss: Loss | None = None
    level: float = 0.95
    anytime: bool = False  # intervals that hold whenever one stops; wider
    reference: ClassVar[str] = "ours"
    needs: ClassVar[tuple[str, ...]] = ()
    draws: ClassVar[bool] = True
    returns: ClassVar[str] = "order, chance of being best, accuracy with interval and tiers"

    def __post_init__(self) -> None:
        if self.goal not in GOALS:
            raise MethodError(f"the goal {self.goal!r} is none of {', '.join(GOALS)}")

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        if predictions.classes is None:

            def pick_number(labels: Labels) -> Pick | None:
                sample = draw_uniform(labels, seed)
                return None if sample is None else Pick(sample, 1.0, len(labels))

            return pick_number
        in_dispute = disputed(predictions, given.header.models)
        rest = 1 - float(in_dispute.mean())
        on_agreed = min(ON_AGREED_TO_ESTIMATE if self.goal == "estimate" else ON_AGREED, rest)

        def checks(rows: int) -> int:
            """How many of the first rows are checks: the first of them comes early."""
            return int(rows * on_agreed + 0.5)

        def pick(labels: Labels) -> Pick | None:
            open_samples = np.ones(labels.pool, dtype=bool)
            open_samples[labels.sample] = False
            rows = len(labels)
            check = checks(rows + 1) > checks(rows)
            for frame in (AGREED, DISPUTED) if check else (DISPUTED, AGREED):
                inside = open_samples & (in_dispute if frame == DISPUTED else ~in_dispute)
                if inside.any():
                    rng = np.random.default_rng([seed, rows])
                    if frame == AGREED or self.goal == "estimate":
                        return Pick(int(rng.choice(np.flatnonzero(inside))), 1.0, rows, frame, 1.0)
                    return self._draw(predictions, labels, inside, rng)
            return None

        return pick

    def _draw(self, predictions: Predictions, labels: Labels, inside: BoolArray, rng: np.random.Generator) -> Pick:
        """A draw among the open samples in dispute, with its weight."""
        held = belief(predictions, labels)
        telling = about_the_best(held) if self.goal == "best" else about_all_ranks(held)
        chance = _chances(predictions, held, telling, inside, len(labels), rng)
        sample = int(rng.choice(len(chance), p=chance))
        uniform = 1 / np.count_nonzero(inside)
        weight, most = uniform / chance[sample], uniform / chance[inside].min()
        return Pick(sample, float(weight), len(labels), DISPUTED, float(most))

    def rank(self, predictions: Predictions, labels: Labels) -> Answer:
        labels = labels.settled()
        votes_count = predictions.classes is not None and isinstance(self.loss or ZeroOne(), ZeroOne)
        expected = expected_accuracy(predictions, labels) if votes_count else None
        try:
            answer = weighted_answer(
                predictions, labels, self.loss, self.level, with_proxy, anytime=self.anytime, prefer=expected
            )
        except NotEnoughLabels:
            if expected is None:
                raise
            estimate = Estimate.without_interval(expected, "expected accuracy")
            count = int(labels.usable.sum())
            answer = Answer.by_value(predictions.models, estimate, labels=count, skipped=labels.skipped)
        return answer if expected is None else replace(answer, best=chance_of_best(predictions, labels))


def _chances(
    predictions: Predictions,
    held: Belief,
    telling: FloatArray,
    inside: BoolArray,
    rows: int,
    rng: np.random.Generator,
) -> FloatArray:
    """(samples,): the chance of each open sample in dispute to be drawn next."""
    _, group, _ = grouped(predictions)
    of_pattern = np.zeros(group.max() + 1)
    of_pattern[held.pattern] = telling
    score = np.where(inside, np.sqrt(of_pattern[group]), 0.0)
    uniform = inside / np.count_nonzero(inside)
    spread = (1 - FLOOR) * score / score.sum() + FLOOR * uniform if score.sum() > 0 else uniform
    greedy = min(MOST_GREEDY, GREEDY / (rows + 1))
    jitter = rng.random(len(of_pattern)) * 1e-9 * max(telling.max(), 1e-12)  # equal patterns: any of them
    top = group == np.argmax(
        np.where(np.bincount(group[inside], minlength=len(of_pattern)) > 0, of_pattern + jitter, -1)
    )
    found = (1 - greedy) * spread + greedy * (inside & top) / np.count_nonzero(inside & top)
    return np.asarray(found / found.sum())
