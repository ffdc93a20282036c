"""About how many more labels it takes: rounded, never more than are left, and less for a wider margin."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.decisions.extrapolation import MoreLabels, Progress, until_guaranteed, until_likely
from adjudge.decisions.recommend import recommend
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought

MARGINS = (0.001, 0.003, 0.01, 0.03, 0.1)


@pytest.fixture(scope="module", params=[0, 1, 2])
def run(request: pytest.FixtureRequest) -> tuple[Predictions, Labels, Ranking]:
    pool, truth = example_pool(models=5, samples=400, seed=request.param)
    labels = bought(Pooled(), pool, truth * 1.0, 25, request.param)
    return pool, labels, Pooled().rank(pool, labels)


@pytest.mark.parametrize(
    ("more", "rounded"),
    [(0.2, 1), (1, 1), (7.3, 8), (19.2, 20), (21, 25), (99, 100), (101, 110), (963, 970), (1234, 1300), (98765, 2000)],
)
def test_a_number_of_labels_has_two_digits_and_is_at_most_what_is_left(more: float, rounded: int) -> None:
    assert Progress(done=10, size=100, rows=20, left=2000, in_dispute=50).rounded(more) == rounded


def check_range(found: MoreLabels, left: int) -> None:
    assert 1 <= found.low <= found.about <= found.high <= left


def test_a_wider_margin_takes_no_more_labels(run: tuple[Predictions, Labels, Ranking]) -> None:
    pool, labels, ranking = run
    progress = Progress.of(pool, labels)
    likely: list[int] = []
    sure: list[int] = []
    assert ranking.guaranteed is not None
    for margin in MARGINS:
        by_consensus = until_likely(ranking, progress, margin)
        by_draws = until_guaranteed(ranking, progress, margin, ranking.guaranteed.lead < -margin)
        for found, told in ((by_consensus, likely), (by_draws, sure)):
            if found is not None:
                check_range(found, 375)
            told.append(0 if found is None else found.about)
    assert likely == sorted(likely, reverse=True)
    assert sure == sorted(sure, reverse=True)
    assert sure[0] > sure[-1]


def test_what_is_guaranteed_takes_at_least_as_long_as_what_is_likely(run: tuple[Predictions, Labels, Ranking]) -> None:
    pool, labels, ranking = run
    for margin in MARGINS:
        step = recommend(pool, labels, ranking, margin=margin).next
        if step.labels_likely is not None and step.labels_guaranteed is not None:
            assert step.labels_guaranteed >= step.labels_likely
        for many in (step.labels_likely, step.labels_guaranteed):
            assert many is None or 1 <= many <= 375


def test_nothing_is_told_where_nothing_is_known_or_left_to_know() -> None:
    pool, truth = example_pool(models=3, samples=60, seed=1)
    none = Labels.empty(60)
    guess = Pooled().rank(pool, none)
    assert until_likely(guess, Progress.of(pool, none), 0.01) is None
    assert recommend(pool, none, guess).next.labels_guaranteed is None
    every = bought(Random(), pool, truth * 1.0, 60, 0)
    ranking = Pooled().rank(pool, every)
    step = recommend(pool, every, ranking).next
    assert (step.labels_likely, step.labels_guaranteed) == (None, None)


def test_samples_that_one_model_lacks_count_as_those_in_dispute() -> None:
    pool, truth = example_pool(models=3, samples=60, seed=1)
    agreed = int(np.flatnonzero(np.ptp(pool.values, axis=0) == 0)[0])
    values = pool.values.copy()
    values[0, agreed] = -1
    labels = Labels.known(60, [agreed], truth[[agreed]])
    before, after = (Progress.of(each, labels) for each in (pool, replace(pool, values=values, probabilities=None)))
    assert (before.done, after.done) == (0, 1)
    assert after.size == before.size + 1
    assert after.in_dispute == before.in_dispute
