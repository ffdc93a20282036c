"""The default method: choose informative labels, rank by the pooled consensus, estimate accuracies from draws."""

from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.sampling import Picker, draw_by_score, draw_weighted, still_open
from adjudge.core.strata import DISPUTED, UNANIMOUS, disputed, only_pair
from adjudge.core.votes import added, joined, votes
from adjudge.errors import MethodError, NotEnoughLabels
from adjudge.inference.missing_predictions import n_lacking
from adjudge.inference.stratum import open_samples
from adjudge.inference.weighted import mean_of_draws, weighted_ranking
from adjudge.losses.loss import Loss, ZeroOne, default_loss
from adjudge.losses.numbers import Quantile
from adjudge.losses.probabilities import ProbabilityLoss
from adjudge.methods.pooled.acquisition import (
    contender_disagreement,
    information_gain_best,
    information_gain_lead,
    information_gain_parameters,
)
from adjudge.methods.pooled.control_variate import with_control_variate, with_expected_losses
from adjudge.methods.pooled.expected_accuracy import expected_accuracy
from adjudge.methods.pooled.judges import draws_by_dispute
from adjudge.methods.pooled.metric_draws import draws_for_metric
from adjudge.methods.pooled.numbers import disagreement, shrunken_losses
from adjudge.methods.pooled.patterns import prediction_patterns
from adjudge.methods.pooled.posterior import fit_posterior, likely

MAX_CHOSEN = 0.9  # share of chosen labels at the start: with a few draws, not all samples are unusual
PARAMETERS_EVERY = 3  # early labels: every third is about the parameters, in case the consensus is misleading
FLOOR = 0.4  # share of the draws with equal probabilities: no weight is above two and a half
ON_AGREED = 0.1  # share of labels for samples on which all models agree
ON_AGREED_TO_ESTIMATE = 0.35  # fewer, and accuracies gain little on uniform draws; more, and differences suffer
MAX_CONTENDED_SAMPLES = 128  # effective number of samples on which contenders disagree that may be labeled one by one
GOALS = ("best", "rank", "estimate")


@dataclass(frozen=True)
class Pooled:
    """Find the best model, rank all of them or estimate their accuracies, with the fewest labels.

    The predictions and the labels so far give a consensus about the class of each sample (`pooled.consensus`). Early
    labels are chosen by the information gain about which model is best, every third time about the parameters of the
    consensus. Later labels are chosen by the information gain about which models are better than the leader, or, more
    and more of them, drawn with a probability that grows with how likely the label separates two models that may be the
    best; where few open samples do, every second label is chosen among them. Every tenth label is drawn from the
    samples on which all models agree, with a probability that grows with how likely they are wrong. The consensus
    orders the models; accuracies and intervals come from the draws and their weights, not from the consensus, which
    only makes them more precise (`pooled.control_variate`), and chosen labels count as known. Samples to be graded, or
    labeled by a number, are all drawn, more often where models differ (`pooled.judges`, `pooled.numbers`). `loss`,
    `level` and `anytime` are those of `drawn`.

    Parameters
    ----------
    goal
        "best", as told above. With "estimate" all labels are drawn, with a probability that grows with the number of
        pairs of models that disagree, and seven in twenty come from the samples on which all agree. "rank" asks for the
        same labels as "best": no acquisition function that aims at all ranks was found to order models better.
    chosen
        Labels that go to the most informative sample before draws take over.
    metric, positive
        A metric that all labels are drawn for, and its class if it is about one (`pooled.metric_draws`).
    """

    goal: str = "best"
    chosen: int = 16
    metric: str = ""
    positive: str = ""
    loss: Loss | None = None
    level: float = 0.95
    anytime: bool = False
    reference: ClassVar[str] = "ours"
    needs: ClassVar[tuple[str, ...]] = ()
    draws: ClassVar[bool] = True
    by_parts: ClassVar[bool] = True
    returns: ClassVar[str] = "order, chance of being best, accuracy with interval and tiers"

    def __post_init__(self) -> None:
        if self.goal not in GOALS:
            raise MethodError(f"the goal {self.goal!r} is unknown; give one of {', '.join(GOALS)}")
        if self.chosen < 0:
            raise MethodError(f"`chosen` is {self.chosen}; give 0 or more")

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        if self.metric and predictions.in_parts:
            raise MethodError(
                f"samples are chosen for {self.metric} with all predictions in memory, and these are read in parts; "
                "give more memory (--memory, memory= in Python), or leave out the metric"
            )
        if predictions.grades is not None:
            return draws_by_dispute(predictions, seed)
        if self.metric and (aimed := draws_for_metric(predictions, self.metric, self.positive or None, seed)):
            return aimed
        if predictions.classes is None:
            score = disagreement(predictions, default_loss(predictions, given))
            return partial(draw_weighted, score=score, floor=FLOOR, seed=seed)
        in_dispute = disputed(predictions, given.header.models)
        agreed = 1 - float(in_dispute.mean())
        on_agreed = min(ON_AGREED_TO_ESTIMATE if self.goal == "estimate" else ON_AGREED, agreed)
        score = np.where(
            in_dispute,
            _disagreeing_pairs(predictions),
            _unanimous_error_score(predictions.whole or predictions, given.header.models, in_dispute),
        )

        def checks(rows: int) -> int:
            """How many of the first rows are samples on which all models agree; the first comes early."""
            return int(rows * on_agreed + 0.5)

        def pick(labels: Labels) -> Pick | None:
            still, rows = still_open(labels), len(labels)
            check = checks(rows + 1) > checks(rows)
            for stratum in (UNANIMOUS, DISPUTED) if check else (DISPUTED, UNANIMOUS):
                among = still[in_dispute[still] == (stratum == DISPUTED)]
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
        """A choice or a draw among the open samples in dispute, whichever comes next."""
        posterior = fit_posterior(predictions, labels)
        first, group, _ = prediction_patterns(predictions)

        def of_samples(gain: FloatArray) -> FloatArray:
            of_patterns = np.zeros(len(first))
            of_patterns[posterior.pattern] = gain
            return of_patterns[group[among]]

        chosen = self._chosen(turn + 1) > self._chosen(turn)
        if turn <= self._knee:
            about_parameters = turn % PARAMETERS_EVERY == 1
            gain = information_gain_parameters(posterior) if about_parameters else information_gain_best(posterior)
            score = of_samples(gain) if chosen else np.sqrt(of_samples(gain))
        else:
            score = of_samples(contender_disagreement(posterior))
            chosen |= turn % 2 == 1 and self._few(score)
            score = of_samples(information_gain_lead(posterior, predictions, labels)) if chosen else score
        if chosen:
            return Pick(int(rng.choice(among[score >= score.max()])), seen=len(labels), stratum=DISPUTED)
        return draw_by_score(among, score, FLOOR, len(labels), rng, DISPUTED)

    @staticmethod
    def _few(score: FloatArray) -> bool:
        """Whether contenders disagree on few samples, by the effective number of samples (Kish)."""
        return bool(0 < score.sum() ** 2 <= MAX_CONTENDED_SAMPLES * (score @ score))

    @property
    def _knee(self) -> float:
        """Rows in dispute before draws take over."""
        return self.chosen / MAX_CHOSEN

    def _chosen(self, rows: int) -> int:
        """How many of the first rows in dispute are chosen: nine in ten, then a falling share.

        The share falls with the square of the rows, so there are never more than twice as many as at the knee.
        """
        return round(MAX_CHOSEN * rows if rows <= self._knee else self.chosen * (2 - self._knee / rows))

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        """Order by the consensus, estimate from the draws, and add the posterior unless the draws refute it."""
        labels = labels.settled()
        has_votes = predictions.classes is not None and isinstance(self.loss or ZeroOne(), ZeroOne)
        expected = expected_accuracy(predictions, labels) if has_votes else None
        order_by, numbers = expected, predictions.classes is None and predictions.grades is None
        # a median of predictions stands neither for a class nor for a quantile
        numbers = numbers and not isinstance(self.loss, ProbabilityLoss | Quantile)
        if numbers and labels.usable.any():
            order_by = -shrunken_losses(predictions, labels, self.loss or default_loss(predictions, labels))
        # draws of other methods are few or uneven, where a control variate may make intervals too narrow
        informed = labels.stratum.any() or predictions.judges or numbers
        add_expectations = with_control_variate if informed else with_expected_losses
        loss = self.loss or default_loss(predictions, labels)
        try:
            mean = mean_of_draws(predictions, labels, loss)
            mean = None if mean is None else add_expectations(mean, labels, loss)
            ranking = weighted_ranking(
                predictions, labels, loss, self.level, mean=mean, anytime=self.anytime, order_by=order_by
            )
        except NotEnoughLabels:
            if expected is None:
                raise
            estimate = Estimate.without_interval(expected, "expected accuracy")
            ranking = Ranking.from_log(predictions.models, estimate, labels)
        refuted = ranking.guaranteed is not None and ranking.guaranteed.refutes
        # once all is labeled, only missing predictions are open, about which a consensus knows nothing
        refuted |= not open_samples(predictions, labels).any() and bool(n_lacking(predictions).any())
        pair = only_pair(labels)
        # labels drawn only where two models differ do not test the consensus about other models
        if expected is None or refuted or (pair is not None and set(pair) != set(predictions.models)):
            return ranking
        return replace(ranking, likely=likely(predictions, labels, ranking.order, self.level))


def _unanimous_error_score(predictions: Predictions, models: tuple[str, ...], in_dispute: BoolArray) -> FloatArray:
    """(samples,): the square root of the probability that models which agree are all wrong, without labels.

    The root is Neyman's (1934) allocation for rare errors. The probability is one minus the mean probability of their
    class. Without probabilities, it is the square of the share of that class's predictions that are in dispute: two
    mistakes of the same kind.
    """
    assert predictions.classes is not None
    places = [predictions.models.index(name) for name in models or predictions.models]
    predicted = joined(predictions.over_parts(partial(_highest_code, places))).astype(np.int64)
    if predictions.probabilities is None:
        counts = added(predictions.over_parts(_class_counts, in_dispute))
        return np.asarray((counts[1] / np.maximum(counts[0], 1))[predicted + 1])
    return joined(predictions.over_parts(partial(_root_of_doubt, places), predicted))


def _root_of_doubt(places: list[int], part: Predictions, predicted: IntArray) -> tuple[FloatArray]:
    """(samples,): the square root of one minus the mean probability that some models give to a class."""
    assert part.probabilities is not None
    wrong, given = np.zeros((2, len(predicted)))
    for place in places:
        probability = part.probabilities[place][np.arange(len(wrong)), predicted].astype(np.float64)
        wrong += np.nan_to_num(1 - probability)
        given += ~np.isnan(probability)
    return (np.sqrt(np.maximum(wrong, 0.0) / np.maximum(given, 1)),)


def _highest_code(places: list[int], part: Predictions) -> tuple[Array]:
    """(samples,): the class of some models where they agree; MISSING where none of them names one."""
    named = reduce(np.maximum, (part.values[place] for place in places))
    return (np.maximum(named, part.values.dtype.type(MISSING)),)


def _class_counts(part: Predictions, in_dispute: BoolArray) -> tuple[FloatArray]:
    """(2, 1 + classes): how often each class is predicted, then where models differ; first, how often none is."""
    counts = np.zeros((2, len(part.classes or ()) + 1))
    for row in part.values:
        for place, some in enumerate((row, row[in_dispute])):
            counts[place] += np.bincount(np.maximum(some.astype(np.int64), MISSING) + 1, minlength=counts.shape[1])
    return (counts,)


def _disagreeing_pairs(predictions: Predictions) -> FloatArray:
    """(samples,): the ordered pairs of models that disagree: the label changes no other difference.

    Two models that abstain are both wrong, whatever the label.
    """
    counted = votes(predictions)
    present = counted.present.astype(np.float64)
    abstained = joined(predictions.over_parts(_abstentions)) if predictions.abstain else 0.0
    return np.asarray(present * (present - 1) - abstained * (abstained - 1) - counted.pairs)


def _abstentions(part: Predictions) -> tuple[FloatArray]:
    return (sum((row < MISSING for row in part.values), np.zeros(part.values.shape[1])),)
