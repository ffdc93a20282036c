"""Li et al. 2019, "Boosting operational DNN testing efficiency through conditioning": CSS and CES on their models.

E is the mean over 35, 40, ..., 180 labels of a method's mean squared error divided by that of random samples (Section
4.2). The paper has 50 repetitions, so its numbers are noisy: they are met within three times the spread of E over 50
repetitions, which is found by taking 50 of ours again and again.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.neural_network import MLPRegressor

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.predictions import Predictions
from adjudge.evaluation import relative_efficiency
from adjudge.io import read, read_features, read_truth
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.drawn import drawn_error
from adjudge.methods.papers.ces import CES
from adjudge.methods.papers.css import CSS
from adjudge.simulation.loop import bought
from tests.support.pools import Task

SIZES = np.arange(35, 181, 5)  # Section 4.2
REPETITIONS = 50  # Section 4.2
Mnist = tuple[Predictions, FloatArray, Callable[[str], Array]]
Means = FloatArray  # (runs, sizes): the mean over so many samples


@pytest.fixture
def mnist(task: Task) -> Mnist:
    """The authors' models, the truth, and the features of a model."""
    path = task("mnist_ces")
    pool, truth = read_truth(path, read(path))
    return pool, truth, lambda model: read_features(path, pool, model)


def efficiency(ours: Means, random: Means, truth: float) -> float:
    """E, averaged over sizes."""
    pairs = zip(ours.T, random.T, strict=True)
    return float(np.mean([relative_efficiency(method, baseline, truth) for method, baseline in pairs]))


def spread(ours: Means, random: Means, truth: float, runs: int = REPETITIONS) -> float:
    """The standard deviation of E when there are so many runs of each."""
    rng = np.random.default_rng(0)

    def some(means: Means) -> Means:
        return means[rng.integers(len(means), size=runs)]

    return float(np.std([efficiency(some(ours), some(random), truth) for _ in range(100)], ddof=1))


def means(right: FloatArray, choose: Callable[[int], IntArray], runs: int, sizes: IntArray = SIZES) -> Means:
    """The means over the first samples that each run chooses."""
    chosen = right[np.stack([choose(seed) for seed in range(runs)])]
    return np.asarray(chosen.cumsum(axis=1)[:, sizes - 1] / sizes)


def random_means(right: FloatArray, runs: int = 1000, sizes: IntArray = SIZES) -> Means:
    """The means over random samples."""
    return np.asarray(right[random_samples(len(right), int(sizes[-1]), runs)].cumsum(axis=1)[:, sizes - 1] / sizes)


@cache
def random_samples(samples: int, most: int, runs: int) -> IntArray:
    """(runs, most): the same for all models of a pool."""
    return np.stack([np.random.default_rng(seed).choice(samples, most, replace=False) for seed in range(runs)])


def variance(right: FloatArray, sizes: IntArray, quota: IntArray) -> float:
    """That of Equation 4 for draws without replacement; `right` is sorted as the strata are."""
    total = 0.0
    for part, size, draws in zip(np.split(right, np.cumsum(sizes)[:-1]), sizes, quota, strict=True):
        total += (size / len(right)) ** 2 * part.var(ddof=1) / draws * (1 - draws / size)
    return total


def stratified_means(right: FloatArray, runs: int = 1000) -> Means:
    """Equation 4 in the authors' way: one run adds draws to each stratum from size to size."""
    rng, total = np.random.default_rng(0), np.zeros((runs, len(SIZES)))
    for part, size, share in zip(np.split(right, [8000, 9000]), (0.8, 0.1, 0.1), (0.2, 0.4, 0.4), strict=True):
        draws = np.round(SIZES * share).astype(np.int64)
        drawn = part[np.stack([rng.choice(len(part), draws[-1], replace=False) for _ in range(runs)])]
        total += size * drawn.cumsum(axis=1)[:, draws - 1] / draws
    return total


@pytest.mark.parametrize(
    ("model", "published", "ours"),
    [  # ours is exact for these models
        ("LeNet-1", 0.379, 0.556),
        ("LeNet-4", 0.372, 0.388),
        ("LeNet-5", 0.198, 0.214),
        ("mutant1", 3.263, 3.106),
        ("mutant2", 3.836, 3.390),
        ("mutant3", 2.919, 2.681),
    ],
)
def test_css_helps_a_model_whose_confidence_can_be_trusted(
    model: str, published: float, ours: float, mnist: Mnist
) -> None:
    """Section 4.3.1. E is exact here: the variance of stratified draws is known."""
    pool, truth, _ = mnist
    method, place = CSS(model), pool.models.index(model)
    confidence = method.confidence(pool)
    order = np.argsort(-confidence, kind="stable")
    right = (pool.values[place] == truth)[order].astype(np.float64)

    def exact(labels: int) -> float:
        return variance(right, *method.allocation(confidence[order], labels))

    plain = [variance(right, np.array([len(right)]), np.array([labels])) for labels in SIZES]
    found = float(np.mean([exact(int(labels)) for labels in SIZES] / np.array(plain)))
    assert found == pytest.approx(ours, abs=0.001)
    assert abs(found - published) < 3 * spread(stratified_means(right), random_means(right), right.mean())

    logs = [bought(method, pool, truth, 60, seed) for seed in range(200)]
    errors = [(1 - drawn_error(pool, log, ZeroOne())[place] - right.mean()) ** 2 for log in logs]
    assert abs(np.mean(errors) - exact(60)) < 4 * np.std(errors) / np.sqrt(len(errors))


@pytest.mark.parametrize(
    ("model", "variant", "published", "ours"),
    [  # ours: 1000 runs, standard error 0.01 to 0.02
        ("mutant1", "paper", 0.499, 0.48),
        ("mutant2", "paper", 0.380, 0.71),
        ("mutant3", "paper", 0.478, 0.60),
        ("mutant1", "reversed-kl", 0.499, 0.38),
        ("mutant2", "reversed-kl", 0.380, 0.35),
        ("mutant3", "reversed-kl", 0.478, 0.39),
    ],
)
def test_ces_needs_fewer_labels_than_random_choice(
    model: str, variant: str, published: float, ours: float, mnist: Mnist
) -> None:
    """Table 1, rows 4 to 6."""
    pool, truth, features = mnist
    right = (pool.values[pool.models.index(model)] == truth).astype(np.float64)
    method, runs = CES(features(model), variant=variant), 150
    chosen = means(right, lambda seed: bought(method, pool, truth, 180, seed).sample, runs)
    random = random_means(right, 4000)
    found = efficiency(chosen, random, right.mean())
    error = spread(chosen, random, right.mean(), runs)
    assert found + 2 * error < 1
    assert abs(found - ours) < 4 * error
    assert abs(found - published) < 3 * spread(chosen, random, right.mean())


@pytest.mark.parametrize(
    ("model", "sections", "stored", "bias"),
    [
        ("LeNet-5", 29, 0.714, 0.3),
        ("mutant1", 19, 0.740, 2.5),
        ("mutant2", 19, 1.72, 3.9),
        ("mutant3", 19, 0.593, -1.4),
    ],
)
def test_the_authors_programs_give_what_is_stored_with_them(
    model: str, sections: int, stored: float, bias: float, mnist: Mnist
) -> None:
    """E over all sizes, and the bias at 100 labels in points, of the 50 runs that the authors keep with their programs.

    Their bias is what the paper's estimator is said not to have; the published E do not follow from these runs.
    """
    pool, truth, features = mnist
    right = (pool.values[pool.models.index(model)] == truth).astype(np.float64)
    method, runs = CES(features(model), variant="authors", sections=sections), 400
    chosen = means(right, lambda seed: bought(method, pool, truth, 180, seed).sample, runs)
    random = random_means(right, 4000)
    found = efficiency(chosen, random, right.mean())
    assert abs(found - stored) < 3 * spread(chosen, random, right.mean())
    missed = 100 * (chosen[:, SIZES.tolist().index(100)] - right.mean())
    assert abs(missed.mean() - bias) < 3 * missed.std() / np.sqrt(REPETITIONS)


@pytest.mark.parametrize("model", ["LeNet-4", "LeNet-5"])
def test_ces_saves_nothing_on_models_that_are_nearly_always_right(model: str, mnist: Mnist) -> None:
    """Table 1, rows 2 and 3, has 0.655 and 0.708; 1000 runs of either variant give 0.95 to 1.00, error 0.04."""
    pool, truth, features = mnist
    right = (pool.values[pool.models.index(model)] == truth).astype(np.float64)
    method = CES(features(model), variant="reversed-kl")
    chosen = means(right, lambda seed: bought(method, pool, truth, 180, seed).sample, 200)
    random = random_means(right, 4000)
    assert abs(efficiency(chosen, random, right.mean()) - 1) < 3 * spread(chosen, random, right.mean(), 200)


@pytest.mark.parametrize(("samples", "labels", "published"), [(100, 30, 0.443), (300, 50, 0.375)])
def test_ces_in_small_pools(samples: int, labels: int, published: float, mnist: Mnist) -> None:
    """Table 3, rows 17 and 18: the mean E over 30 random parts of the test set, for the first mutant."""
    pool, truth, features = mnist
    hidden, right = features("mutant1"), (pool.values[pool.models.index("mutant1")] == truth).astype(np.float64)
    found = []
    for part in range(30):
        rows = np.random.default_rng(part).choice(len(right), samples, replace=False)
        method, size = CES(hidden[rows]), np.array([labels])
        few = Predictions(pool.values[:, rows], pool.models, range(samples), pool.classes)
        chosen = means(right[rows], lambda s: bought(method, few, truth[rows], labels, s).sample, 20, size)  # noqa: B023
        found.append(efficiency(chosen, random_means(right[rows], 1000, size), right[rows].mean()))
    # the paper's 30 parts spread as ours do
    assert abs(np.mean(found) - published) < 3 * np.sqrt(2 / len(found)) * np.std(found, ddof=1)


def test_ces_on_a_regression() -> None:
    """As in rows 7 to 12 (0.375 to 0.592): a model that was trained on one half of what it meets."""
    inputs, target = make_friedman1(3000, noise=0.3, random_state=0)
    seen = (inputs[:, 3] < 0.5) & (np.arange(3000) < 1000)
    model = MLPRegressor(hidden_layer_sizes=(32,), max_iter=200, random_state=0, tol=0.1).fit(
        inputs[seen], target[seen]
    )
    met = inputs[1000:]
    hidden = np.maximum(met @ model.coefs_[0] + model.intercepts_[0], 0)
    loss = (model.predict(met) - target[1000:]) ** 2
    pool = Predictions(model.predict(met)[None], ("a",), range(2000), None)
    random = random_means(loss, 4000)
    for variant in ("paper", "reversed-kl"):
        method = CES(hidden, variant=variant)
        chosen = means(loss, lambda seed: bought(method, pool, target[1000:], 180, seed).sample, 100)  # noqa: B023
        found, error = efficiency(chosen, random, loss.mean()), spread(chosen, random, loss.mean(), 100)
        assert found < 1 + 3 * error
