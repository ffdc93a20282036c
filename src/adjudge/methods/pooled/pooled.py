"""The default method: label what tells the models apart, rank by the pooled consensus, measure by the draws."""

from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels, Pick
from adjudge.core.losses import Loss, ZeroOne
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Picker
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.sampling import draw_by_score, draw_uniform, still_open
from adjudge.core.strata import DISPUTED, UNANIMOUS, disputed
from adjudge.core.votes import votes
from adjudge.errors import MethodError, NotEnoughLabels
from adjudge.inference.weighted import weighted_ranking
from adjudge.methods.pooled.acquisition import about_the_best, about_the_lead, about_the_weights, between_contenders
from adjudge.methods.pooled.consensus import expected_accuracy, grouped
from adjudge.methods.pooled.control_variate import with_proxy
from adjudge.methods.pooled.posterior import belief, chance_of_best

MOST_CHOSEN = 0.9  # share of chosen labels at the start: a few draws keep the consensus from what is odd only
TURN = 3  # one early label of so many is about the consensus itself: where that misleads, so do its questions
FLOOR = 0.4  # share of the draws with equal chances: no weight is above two and a half
ON_AGREED = 0.1  # share of labels for samples on which all models agree
ON_AGREED_TO_ESTIMATE = 0.35  # fewer, and accuracies gain little on uniform draws; more, and differences suffer
FEW = 128  # samples that part the contenders, if all are as likely to, that may be settled one by one
GOALS = ("best", "rank", "estimate")


@dataclass(frozen=True)
class Pooled:
    """Find the best model, rank all of them or estimate their accuracies, with the fewest labels.

    What the models say and the labels so far make one consensus (`core.consensus`), whose uncertainty says which label
    would tell most about which model is best, or every third time about the consensus itself. Early labels go to the
    sample that tells most. Later ones go to the sample that tells most about who is ahead of the leader, or, more and
    more of them, are drawn with a chance that grows with how likely the label parts two models that may still be the
    best; where few open samples do, every second label settles one of them. Every tenth label checks a sample on which
    all models agree, the likelier the more doubt there is about it. The consensus orders the models; accuracies and
    intervals come from the draws and their weights (`assisted`), with the chosen labels as known ones, not from the
    consensus.

    With the goal `estimate` all labels are drawn, with a chance that grows with the number of models that contradict
    each other, and seven in twenty check the other samples. The goal `rank` asks for the same labels as `best`: no
    choice that aims at all ranks was found to order models better.
    """

    goal: str = "best"
    chosen: int = 16  # labels that go to the most telling sample before draws take over
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
        if self.chosen < 0:
            raise MethodError(f"{self.chosen} labels cannot be chosen; give 0 or more")

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        if predictions.classes is None:
            return partial(draw_uniform, seed=seed)
        in_dispute = disputed(predictions, given.header.models)
        rest = 1 - float(in_dispute.mean())
        on_agreed = min(ON_AGREED_TO_ESTIMATE if self.goal == "estimate" else ON_AGREED, rest)
        score = np.where(
            in_dispute, _contradictions(predictions), _doubts(predictions, given.header.models, in_dispute)
        )

        def checks(rows: int) -> int:
            """How many of the first rows are checks: the first of them comes early."""
            return int(rows * on_agreed + 0.5)

        def pick(labels: Labels) -> Pick | None:
            rest, rows = still_open(labels), len(labels)
            check = checks(rows + 1) > checks(rows)
            for stratum in (UNANIMOUS, DISPUTED) if check else (DISPUTED, UNANIMOUS):
                among = rest[in_dispute[rest] == (stratum == DISPUTED)]
                if among.size:
                    rng = np.random.default_rng([seed, rows])
                    if stratum == UNANIMOUS or self.goal == "estimate":
                        return draw_by_score(among, score[among], FLOOR, rows, rng, stratum)
                    return self._informed(predictions, labels, among, rows - checks(rows), rng)
            return None

        return pick

    def _informed(
        self, predictions: Predictions, labels: Labels, among: IntArray, turn: int, rng: np.random.Generator
    ) -> Pick:
        """Of the open samples in dispute, the one that tells most or a draw, as it is the turn of either."""
        held = belief(predictions, labels)
        first, group, _ = grouped(predictions)

        def of_samples(tells: FloatArray) -> FloatArray:
            of_patterns = np.zeros(len(first))
            of_patterns[held.pattern] = tells
            return of_patterns[group[among]]

        chosen = self._chosen(turn + 1) > self._chosen(turn)
        if turn <= self._knee:
            score = of_samples(about_the_weights(held) if turn % TURN == 1 else about_the_best(held))
            score = score if chosen else np.sqrt(score)
        else:
            score = of_samples(between_contenders(held))
            chosen |= turn % 2 == 1 and self._few(score)
            score = of_samples(about_the_lead(held, predictions, labels)) if chosen else score
        if chosen:
            return Pick(int(rng.choice(among[score >= score.max()])), seen=len(labels), stratum=DISPUTED)
        return draw_by_score(among, score, FLOOR, len(labels), rng, DISPUTED)

    @staticmethod
    def _few(score: FloatArray) -> bool:
        """Whether samples that part the contenders are so few that one may settle them one by one."""
        return bool(0 < score.sum() ** 2 <= FEW * (score @ score))

    @property
    def _knee(self) -> float:
        """Rows in dispute before draws take over."""
        return self.chosen / MOST_CHOSEN

    def _chosen(self, rows: int) -> int:
        """How many of the first rows in dispute go to the sample that tells most: nine in ten, then a falling share.

        That share falls with the square of the rows, so there are never more than twice as many as at the knee.
        """
        return round(MOST_CHOSEN * rows if rows <= self._knee else self.chosen * (2 - self._knee / rows))

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        labels = labels.settled()
        votes_count = predictions.classes is not None and isinstance(self.loss or ZeroOne(), ZeroOne)
        expected = expected_accuracy(predictions, labels) if votes_count else None
        try:
            ranking = weighted_ranking(
                predictions, labels, self.loss, self.level, with_proxy, anytime=self.anytime, prefer=expected
            )
        except NotEnoughLabels:
            if expected is None:
                raise
            estimate = Estimate.without_interval(expected, "expected accuracy")
            ranking = Ranking.from_log(predictions.models, estimate, labels)
        return ranking if expected is None else replace(ranking, best=chance_of_best(predictions, labels))


def _doubts(predictions: Predictions, models: tuple[str, ...], in_dispute: BoolArray) -> FloatArray:
    """(samples,): the square root of how likely models that agree are wrong together (Neyman, 1934), without labels.

    How likely that is, is one less the mean probability of what they say. Without probabilities, it is the square of
    the share of all answers of that class that are in dispute: two mistakes of the same kind.
    """
    assert predictions.classes is not None
    places = [predictions.models.index(name) for name in models or predictions.models]
    class_said = reduce(np.maximum, (predictions.values[place] for place in places)).astype(np.int64)  # -1: nothing
    if predictions.probabilities is None:
        answers = np.zeros((2, len(predictions.classes) + 1))  # the first is for what is missing
        for said in predictions.values:
            for place, some in enumerate((said, said[in_dispute])):
                answers[place] += np.bincount(some.astype(np.int64) + 1, minlength=answers.shape[1])
        return np.asarray((answers[1] / np.maximum(answers[0], 1))[class_said + 1])
    doubt, given = np.zeros((2, len(in_dispute)))
    for place in places:
        chance = predictions.probabilities[place][np.arange(len(doubt)), class_said].astype(np.float64)
        doubt += np.nan_to_num(1 - chance)
        given += ~np.isnan(chance)
    return np.asarray(np.sqrt(np.maximum(doubt, 0.0) / np.maximum(given, 1)))


def _contradictions(predictions: Predictions) -> FloatArray:
    """(samples,): ordered pairs of models that contradict each other; no other pair learns from the label."""
    counted = votes(predictions)
    present = counted.present.astype(np.float64)
    return np.asarray(present * (present - 1) - counted.pairs)
