from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import entr
from scipy.stats import beta

from adjudge import registry
from adjudge.core.arrays import Array, FloatArray
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.errors import MethodError
from adjudge.methods.peers.coda import CODA, CODAAccuracy, DisputedSamples
from adjudge.simulation.contract import example_pool

GRID = np.linspace(1e-6, 1 - 1e-6, 256)


def hard_pool(models: int = 5, samples: int = 60, classes: int = 3, seed: int = 7) -> tuple[Predictions, Array]:
    pool, truth = example_pool(models, samples, classes, seed)
    return replace(pool, probabilities=None), truth


class PlainCODA:
    """The definition, with an array for everything and a loop over samples and classes."""

    def __init__(self, said: FloatArray, codes: Array) -> None:
        classes = said.shape[2]
        self.said, self.codes = said, codes
        pooled = said.sum(axis=0)
        winners = pooled == pooled.max(axis=1, keepdims=True)
        confusion = np.einsum("nc,hns->hcs", winners / winners.sum(axis=1, keepdims=True), said)
        confusion /= np.maximum(confusion.sum(axis=2, keepdims=True), 1e-6)
        base = np.where(np.eye(classes), 1.0, 1 / (classes - 1))
        self.dirichlet = 2.0 * (base + 0.1 * confusion)

    def learn(self, sample: int, label: int, weight: float = 0.01) -> None:
        for model, code in enumerate(self.codes[:, sample]):
            self.dirichlet[model, label, code] += weight

    def class_probability(self) -> FloatArray:
        weight = np.einsum("hcs,hns->nc", self.dirichlet, self.said)
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def row_best(self, row: int) -> FloatArray:
        right = self.dirichlet[:, row, row]
        variables = [beta(one, two) for one, two in zip(right, self.dirichlet[:, row].sum(axis=1) - right, strict=True)]
        density = np.array([variable.pdf(GRID) for variable in variables])
        function = np.array([variable.cdf(GRID) for variable in variables])
        others = [np.prod(np.delete(function, model, axis=0), axis=0) for model in range(len(variables))]
        chance = np.array([trapezoid(each * rest, GRID) for each, rest in zip(density, others, strict=True)])
        return np.asarray(chance / chance.sum())

    def best(self, share: FloatArray) -> FloatArray:
        return np.asarray(sum(each * self.row_best(row) for row, each in enumerate(share)))

    def expected_entropy(self, sample: int) -> float:
        chances, before = self.class_probability(), self.dirichlet.copy()
        total = 0.0
        for label, chance in enumerate(chances[sample]):
            self.learn(sample, label, weight=1.0)
            total += chance * entr(self.best(chances.mean(axis=0))).sum() / np.log(2)
            self.dirichlet = before.copy()
        return total


@pytest.mark.parametrize("soft", [False, True])
def test_chances_and_expected_entropies_are_those_of_the_definition(soft: bool) -> None:
    pool, truth = example_pool(models=5, samples=60, classes=3, seed=7)
    assert pool.probabilities is not None
    plain = PlainCODA(pool.probabilities if soft else np.eye(3)[pool.values], np.asarray(pool.values))
    pool = pool if soft else replace(pool, probabilities=None)
    labels = Labels.empty(60)
    for sample in (4, 17, 30):
        labels = labels.add(Pick(sample), int(truth[sample]))
        plain.learn(sample, int(truth[sample]))
    found = CODA().rank(pool, labels).estimate.value
    by_hand = plain.best(plain.class_probability().mean(axis=0))
    assert found == pytest.approx(by_hand, abs=1e-4)  # the grid of the integral
    disputes = DisputedSamples.of(pool)
    entropy = CODA().expected_entropy(CODA().posterior(pool, labels), disputes)
    some = slice(0, 12)
    assert entropy[some] == pytest.approx([plain.expected_entropy(each) for each in disputes.samples[some]], abs=1e-4)
    assert np.ptp(entropy[some]) > 0.005  # or else the comparison would say nothing


def test_the_next_sample_has_the_lowest_expected_entropy() -> None:
    pool, truth = hard_pool()
    picker, labels = CODA().start(pool, Labels.empty(60), None, 0), Labels.empty(60)
    for _ in range(8):
        pick = picker(labels)
        assert pick is not None
        disputes = DisputedSamples.of(pool)
        entropy = CODA().expected_entropy(CODA().posterior(pool, labels), disputes)
        is_open = ~np.isin(disputes.samples, labels.sample)
        lowest = disputes.samples[is_open][entropy[is_open] <= entropy[is_open].min() + 1e-8]
        assert pick.sample in lowest
        assert np.isnan(pick.weight)
        labels = labels.add(pick, int(truth[pick.sample]))


@pytest.mark.parametrize("method", [CODA(), CODAAccuracy()])
def test_what_is_kept_between_steps_changes_nothing(method: CODA) -> None:
    pool, truth = hard_pool()
    picker, logs = method.start(pool, Labels.empty(60), None, 3), [Labels.empty(60)]
    picks = []
    for _ in range(15):
        pick = picker(logs[-1])
        assert pick is not None
        picks.append(pick)
        logs.append(logs[-1].add(pick, int(truth[pick.sample])))
    for place in (9, 2, 14, 0):  # back and forth, in a pool about which nothing is known yet
        fresh = replace(pool)
        assert method.start(fresh, logs[place], None, 3)(logs[place]) == picks[place] == picker(logs[place])
        assert np.array_equal(
            method.rank(fresh, logs[place]).estimate.value, method.rank(pool, logs[place]).estimate.value
        )


def test_accuracy_is_that_of_draws_from_the_posterior() -> None:
    pool, _ = hard_pool(models=4)
    posterior = CODAAccuracy().posterior(pool, Labels.empty(60))
    rng = np.random.default_rng(0)
    draws = rng.beta(posterior.right, posterior.wrong, size=(40_000, 4, 3)) @ posterior.class_probability
    first = np.bincount(draws.argmax(axis=1), minlength=4) / len(draws)
    assert CODAAccuracy().probability_best(posterior) == pytest.approx(first, abs=0.01)
    assert posterior.accuracy()[0] == pytest.approx(draws.mean(axis=0), abs=0.005)
    assert posterior.accuracy()[1] == pytest.approx(draws.var(axis=0), rel=0.05)


def test_accuracy_expects_what_a_label_would_do() -> None:
    pool, _ = hard_pool()
    method, none = CODAAccuracy(), Labels.empty(60)
    posterior, disputes = method.posterior(pool, none), DisputedSamples.of(pool)
    sample, code = disputes.samples[5], 2
    weighed = posterior.after(pool, sample, code, 1.0)
    weighed = replace(weighed, weight=posterior.weight)  # the class probabilities stay as they are
    rows = np.concatenate(disputes.probabilities(code, *list(method.lookaheads(posterior))[code][:2]))
    assert rows[disputes.pattern[code][5]] == pytest.approx(method.probability_best(weighed))


def test_samples_without_a_label_tell_nothing_and_unanimous_ones_come_last() -> None:
    pool, _ = hard_pool()
    skipped = Labels.empty(60).add(Pick(3), SKIP).hand_out(Pick(4))
    assert np.array_equal(CODA().rank(pool, skipped).rank, CODA().rank(pool, Labels.empty(60)).rank)
    values = np.zeros((3, 30), dtype=np.int8)
    values[0, 11:14] = 1
    picker, labels = (
        CODA().start(replace(pool, values=values, models=tuple("abc"), samples=range(30)), Labels.empty(30), None, 0),
        Labels.empty(30),
    )
    for _ in range(30):
        pick = picker(labels)
        assert pick is not None
        labels = labels.add(pick, 0)
    assert set(labels.sample[:3].tolist()) == {11, 12, 13}


def test_a_single_class_is_no_reason_to_prefer_anyone() -> None:
    pool = Predictions(np.zeros((3, 4), dtype=np.int8), tuple("abc"), range(4), ("x",))
    for method in (CODA(), CODAAccuracy()):
        assert method.rank(pool, Labels.empty(4)).estimate.value == pytest.approx([1 / 3] * 3)


def test_what_is_impossible_is_said() -> None:
    for option in ({"alpha": "2"}, {"strength": "0"}, {"hypothetical": "0"}, {"learning_rate": "-1"}):
        with pytest.raises(MethodError, match="give alpha from 0 to 1"):
            registry.selector("coda-accuracy", option)
    many = tuple(map(str, range(20_000)))
    pool = Predictions(np.zeros((2, 3), dtype=np.int16), ("a", "b"), range(3), many)
    with pytest.raises(MethodError, match="coda cannot hold 2 models x 3 samples x 20,000 classes"):
        CODA().rank(pool, Labels.empty(3))
