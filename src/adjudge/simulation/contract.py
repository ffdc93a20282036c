"""The contract: what every selector, ranker and interval must satisfy. Public, for authors of plugins.

Each check raises AssertionError with what is wrong. A method passes all checks of its kind:

>>> from adjudge.methods.baselines.random import Random
>>> check_selector(Random)
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import ABSTAINED, MISSING, Predictions
from adjudge.core.ranking import Ranker, Ranking
from adjudge.core.sampling import Picker, Selector, draw_by_score, still_open
from adjudge.core.strata import DISPUTED, UNANIMOUS, WHOLE_POOL, disputed
from adjudge.errors import NotEnoughLabels
from adjudge.inference.draws import draws_by_stratum
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.drawn import drawn_error
from adjudge.methods.baselines.random import Random
from adjudge.simulation.loop import answers_of, bought, budget, steps

BIAS_RUNS = 1000
BIAS_LIMIT = 4.5  # standard errors; the largest of 5 models exceeds it by chance in about 1 of 30,000 checks
COVERAGE_RUNS = 200
SLIGHT, NEARLY = 0.003, 0.02  # changes of differences, of 300 samples: of other models, and of that with a gap
COVERAGE_SLACK = 0.012  # coverage that holds on average over all truths may be off by this on one pool


def example_pool(models: int = 5, samples: int = 40, classes: int = 3, seed: int = 0) -> tuple[Predictions, IntArray]:
    """A small pool with probabilities, and its truth; accuracies are spread from 0.45 to 0.9."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(classes, size=samples)
    accuracy = np.linspace(0.45, 0.9, models)
    wrong = (truth + rng.integers(1, classes, size=(models, samples))) % classes
    values = np.where(rng.random((models, samples)) < accuracy[:, None], truth, wrong)
    sure = 0.5 + 0.5 * rng.random((models, samples, 1))
    probabilities = sure * np.eye(classes)[values] + (1 - sure) / classes
    names = tuple(f"model {number}" for number in range(models))
    pool = Predictions(values, names, range(samples), tuple("abcdefghij"[:classes]), probabilities)
    return pool, truth


@dataclass(frozen=True)
class StratifiedDraws:
    """Stratified draws: some labels from where all models agree, the others from where they do not.

    Where all models agree, every open sample has the same chance. In the disputed stratum the chance grows with the
    number of classes that the models name.
    """

    unanimous: float = 1 / 3  # share of the labels
    floor: float = 0.2  # share of equal chances in the disputed stratum; 1: equal chances

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        in_dispute = disputed(predictions, given.header.models)
        ordered = np.sort(predictions.values, axis=0)
        named = np.asarray((np.diff(ordered, axis=0) > 0).sum(axis=0) + 1.0)

        def pick(labels: Labels) -> Pick | None:
            rest, rng = still_open(labels), np.random.default_rng([seed, len(labels)])
            parts = {DISPUTED: rest[in_dispute[rest]], UNANIMOUS: rest[~in_dispute[rest]]}
            stratum = UNANIMOUS if rng.random() < self.unanimous else DISPUTED
            if not parts[stratum].size:
                stratum = UNANIMOUS + DISPUTED - stratum
            samples = parts[stratum]
            if not samples.size:
                return None
            if stratum == UNANIMOUS or self.floor == 1:
                return Pick(int(rng.choice(samples)), 1.0, len(labels), stratum, 1.0)
            return draw_by_score(samples, named[samples], self.floor, len(labels), rng, stratum)

        return pick


def check_selector(make: Callable[[], Selector]) -> None:
    """A new sample each time, the same one for the same log, also in unusual pools; unbiased if it draws."""
    for pool, truth in _unusual_pools():
        samples = len(truth)
        for given in (Labels.empty(samples), Labels.known(samples, [0], [float(truth[0])])):
            _check_walk(make, pool, truth, given)
        complete = Labels.complete(truth)
        assert make().start(pool, complete, None, 0)(complete) is None, "something is picked from a known pool"
    pool, truth = example_pool()
    trial = bought(make(), pool, truth, 8, 0)
    # a stratum without draws has no unbiased estimate yet
    if all(len(draws.rows) for draws in draws_by_stratum(pool, trial)):
        _check_unbiased(make, pool, truth)


def _check_walk(make: Callable[[], Selector], pool: Predictions, truth: IntArray, given: Labels) -> None:
    states = (random.getstate(), np.random.get_state(legacy=False))  # noqa: NPY002
    picker = make().start(pool, given, None, 3)
    again = make().start(pool, given, None, 3)
    labels = given
    for labels in steps(picker, answers_of(truth), lambda log: False, given):
        pick = picker(labels)
        assert pick == picker(labels), "the same log gives another pick"
        assert pick == again(labels), "a picker made anew gives another pick"
        if pick is not None:
            _check_pick(pick, labels)
    assert len(labels) == len(truth), "the picker stops before all samples are picked"
    after = (random.getstate(), np.random.get_state(legacy=False))  # noqa: NPY002
    assert str(states) == str(after), "the global random state was touched"


def _check_pick(pick: Pick, labels: Labels) -> None:
    assert 0 <= pick.sample < labels.pool, f"sample {pick.sample} is outside the pool"
    assert pick.sample not in labels.sample, f"sample {pick.sample} is picked twice"
    assert 0 <= pick.seen <= len(labels), f"{pick.seen} rows seen in a log of {len(labels)}"
    assert np.isnan(pick.weight) or pick.weight > 0, f"the weight {pick.weight} is not above zero"
    assert not pick.max_weight < pick.weight * (1 - 1e-9), f"the weight {pick.weight} is above its max_weight"
    assert pick.stratum in (WHOLE_POOL, DISPUTED, UNANIMOUS), f"there is no stratum {pick.stratum}"


def _check_unbiased(make: Callable[[], Selector], pool: Predictions, truth: IntArray) -> None:
    actual = (pool.values != truth).mean(axis=1)
    found = np.array([drawn_error(pool, bought(make(), pool, truth, 8, seed), ZeroOne()) for seed in range(BIAS_RUNS)])
    error = found.std(axis=0, ddof=1) / np.sqrt(BIAS_RUNS)
    worst = np.max(np.abs(found.mean(axis=0) - actual) / np.maximum(error, 1e-12))
    assert worst < BIAS_LIMIT, f"the drawn mean is biased: {worst:.1f} standard errors from the truth"


def check_ranker(make: Callable[[], Ranker]) -> None:
    """Names, codes and order do not matter, models with equal predictions tie, and unknown is never zero."""
    pool, truth = example_pool(models=6)
    labels = bought(Random(), pool, truth, 15, 1)
    for log in (
        Labels.empty(len(truth)),
        labels,
        labels.undo().add(Pick(int(labels.sample[-1]), 1.0, 14), SKIP),
    ):
        ranking = _rank_or_refuse(make(), pool, log)
        if ranking is not None:
            _check_ranking(ranking)
            _check_symmetry(make, pool, log, ranking)
    for odd, odd_truth in _unusual_pools():
        ranking = make().rank(odd, bought(Random(), odd, odd_truth, len(odd_truth), 1))
        _check_ranking(ranking)
        if ranking.estimate.has_interval:
            exact = _accuracy(odd, odd_truth)
            for name in ("value", "low", "high"):
                end = getattr(ranking.estimate, name)
                assert np.allclose(end, exact, atol=1e-12), f"all labels are known but {name} is not the accuracy"
    _check_abstentions(make)


def _check_abstentions(make: Callable[[], Ranker]) -> None:
    """Models that always or mostly abstain come last, however many; a declaration of abstentions changes nothing."""
    pool, truth = example_pool(models=6)
    pool = replace(pool, probabilities=None)
    silent = np.full((8, len(truth)), ABSTAINED)
    silent[0, ::8] = truth[::8]
    values, names = np.vstack([pool.values, silent]), (*pool.models, *"stuvwxyz")
    crowd = replace(pool, values=values, models=names, abstain=("none",))
    for log in (Labels.empty(len(truth)), bought(Random(), pool, truth, 15, 1)):
        before = _rank_or_refuse(make(), pool, log)
        if before is not None:
            _check_same(make().rank(replace(pool, abstain=("none",)), log), before, "declaring abstentions", exact=True)
            ranks = make().rank(crowd, log).rank
            assert ranks[6:].min() == 7, "models that abstain do not come last"


def check_missing_prediction(make: Callable[[], Ranker]) -> None:
    """One missing prediction of the worst model changes nothing about the others; only for rankers with differences.

    What a ranker takes from all predictions, such as a consensus, may change a little.
    """
    pool, truth = example_pool(models=6, samples=300)
    values = np.array(pool.values)
    values[:, ::2] = truth[::2]
    pool = replace(pool, values=values, probabilities=None)
    labels = bought(StratifiedDraws(), pool, truth, 90, 1)
    worst = int(_accuracy(pool, truth).argmin())
    others = np.delete(np.arange(len(values)), worst)
    before = _rank_or_refuse(make(), pool, labels)
    if before is None or (difference := before.difference_to_leader) is None:
        return
    same_strata = disputed(pool) == disputed(replace(pool, values=values[others], models=pool.models[1:]))
    for stratum in (disputed(pool), ~disputed(pool)):
        blank = values.copy()
        blank[worst, np.setdiff1d(np.flatnonzero(stratum & same_strata), labels.sample)[0]] = MISSING
        after = make().rank(replace(pool, values=blank), labels)
        found = after.difference_to_leader
        assert found is not None, "a missing prediction leaves no difference"
        changed = [abs(found.low - difference.low), abs(found.high - difference.high)]
        assert np.max(changed, axis=0)[others].max() < SLIGHT, "a missing prediction changes differences of others"
        assert np.max(changed) < NEARLY, "a missing prediction counts for more than its sample"
        order = [ranking.order[ranking.order != worst] for ranking in (before, after)]
        assert (order[0] == order[1]).all(), "a missing prediction changes the order of other models"
        if before.guaranteed is not None and after.guaranteed is not None:
            may_be_best = before.guaranteed.may_be_best, after.guaranteed.may_be_best
            assert (may_be_best[0] == may_be_best[1])[others].all(), "a missing prediction changes which may lead"


def _check_ranking(ranking: Ranking) -> None:
    estimate = ranking.estimate
    known = ~np.isnan(estimate.low + estimate.value + estimate.high)
    ordered = (estimate.low <= estimate.value + 1e-12) & (estimate.value <= estimate.high + 1e-12)
    assert ordered[known].all(), "an estimate is outside its own interval"
    assert sorted(ranking.order) == list(range(len(ranking.models))), "the order is not an order of the models"
    assert ranking.rank.min() == 1, "no model has rank 1"


def _check_symmetry(make: Callable[[], Ranker], pool: Predictions, labels: Labels, ranking: Ranking) -> None:
    rng = np.random.default_rng(0)
    assert pool.classes is not None
    assert pool.probabilities is not None
    models, samples, classes = pool.probabilities.shape

    code = rng.permutation(classes)
    renamed = replace(pool, values=code[pool.values], probabilities=pool.probabilities[:, :, np.argsort(code)])
    value = np.where(np.isnan(labels.value), np.nan, code[np.nan_to_num(labels.value).astype(int)])
    _check_same(make().rank(renamed, replace(labels, value=value)), ranking, "renaming the classes")

    place = rng.permutation(samples)
    moved = replace(pool, values=pool.values[:, place], probabilities=pool.probabilities[:, place])
    elsewhere = replace(labels, sample=np.argsort(place)[labels.sample])
    _check_same(make().rank(moved, elsewhere), ranking, "reordering the samples")

    seat = rng.permutation(models)
    names = tuple(pool.models[model] for model in seat)
    seated = replace(pool, values=pool.values[seat], probabilities=pool.probabilities[seat], models=names)
    assert (make().rank(seated, labels).rank == ranking.rank[seat]).all(), "reordering the models changes their ranks"

    both = np.append(np.arange(models), 0)
    twins = replace(
        pool, values=pool.values[both], probabilities=pool.probabilities[both], models=(*pool.models, "twin")
    )
    ranks = make().rank(twins, labels).rank
    assert ranks[0] == ranks[-1], "two models with equal predictions do not tie"


def _check_same(changed: Ranking, ranking: Ranking, what: str, *, exact: bool = False) -> None:
    assert (changed.rank == ranking.rank).all(), f"{what} changes the ranks"
    for name in ("value", "low", "high"):
        pair = (getattr(changed.estimate, name), getattr(ranking.estimate, name))
        same = np.array_equal(*pair, equal_nan=True) or (not exact and np.allclose(*pair, atol=1e-9, equal_nan=True))
        assert same, f"{what} changes {name}"


def check_interval(make_selector: Callable[[], Selector], make_ranker: Callable[[], Ranker]) -> None:
    """Intervals have their nominal coverage, neither less nor much more, averaged over models."""
    pool, truth = example_pool(models=8, samples=400, classes=4, seed=5)
    values = np.array(pool.values)
    values[:, :30] = (truth[:30] + 1) % 4  # mistakes that all models share, in the unanimous stratum
    values[0, -60:] = -1  # and one model with missing predictions
    pool = replace(pool, values=values)
    actual = _accuracy(pool, truth)
    held = np.empty(COVERAGE_RUNS)
    level, anytime = 0.95, False
    for seed in range(COVERAGE_RUNS):
        picker = make_selector().start(pool, Labels.empty(len(truth)), 50, seed)
        logs = list(steps(picker, answers_of(truth), budget(50), Labels.empty(len(truth))))
        estimate = make_ranker().rank(pool, logs[-1]).estimate
        level, anytime = estimate.level, estimate.anytime
        inside = (estimate.low <= actual) & (actual <= estimate.high)
        for log in logs[1:-1] if anytime else ():
            earlier = make_ranker().rank(pool, log).estimate
            inside &= (earlier.low <= actual) & (actual <= earlier.high)
        held[seed] = inside.mean()
    slack = COVERAGE_SLACK + 3 * held.std(ddof=1) / np.sqrt(COVERAGE_RUNS)
    too_seldom, too_often = level - slack, level + slack
    assert held.mean() > too_seldom, f"intervals hold the truth in {held.mean():.3f}, not {level}"
    assert anytime or held.mean() < too_often, f"intervals are too wide: they hold the truth in {held.mean():.3f}"


def _unusual_pools() -> Iterator[tuple[Predictions, IntArray]]:
    yield example_pool()
    yield example_pool(models=1)
    yield example_pool(samples=1)
    pool, truth = example_pool()
    assert pool.probabilities is not None
    same = np.zeros(len(pool.models), dtype=np.int64)
    yield replace(pool, values=pool.values[same], probabilities=pool.probabilities[same]), truth
    gaps = np.random.default_rng(1).random(pool.values.shape) < 0.2
    yield replace(pool, values=np.where(gaps, MISSING, pool.values)), truth
    silent = np.where(gaps, ABSTAINED, pool.values)
    silent[:, 0], silent[0, 1], silent[1:, 2] = ABSTAINED, MISSING, MISSING  # all abstain; one is missing; one is alone
    abstaining = np.where(gaps[:, :, None], np.nan, pool.probabilities)
    yield replace(pool, values=silent, probabilities=abstaining, abstain=("none",)), truth
    sure = 1 + 0 * abstaining[:, :, :1]
    yield replace(pool, values=np.minimum(silent, 0), classes=("a",), probabilities=sure, abstain=("none",)), 0 * truth


def _accuracy(pool: Predictions, truth: IntArray) -> FloatArray:
    """(models,): over the samples that a model predicts."""
    return np.asarray((pool.values == truth).sum(axis=1) / pool.n_predicted)


def _rank_or_refuse(ranker: Ranker, pool: Predictions, labels: Labels) -> Ranking | None:
    try:
        return ranker.rank(pool, labels)
    except NotEnoughLabels:
        return None
