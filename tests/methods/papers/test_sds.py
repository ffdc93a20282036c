import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.methods.baselines.labeled import Labeled
from adjudge.methods.papers.sds import SDS
from adjudge.simulation.contract import example_pool
from tests.support.pools import handed_out

STAR, TRIANGLE, DIAMOND = range(3)
# Figure 3 of the paper: four models, four samples, three classes
FIGURE_3 = np.array(
    [
        [STAR, TRIANGLE, DIAMOND, STAR],
        [DIAMOND, TRIANGLE, STAR, STAR],
        [STAR, TRIANGLE, DIAMOND, TRIANGLE],
        [STAR, STAR, DIAMOND, STAR],
    ]
)


def pool_of(values: np.ndarray) -> Predictions:
    names = tuple(f"M{number}" for number in range(1, len(values) + 1))
    return Predictions(values, names, range(values.shape[1]), ("star", "triangle", "diamond"))


def order_of(selector: SDS, pool: Predictions, seed: int = 0) -> list[int]:
    return list(handed_out(selector, pool, seed=seed).sample)


def test_figure_3() -> None:
    assert SDS().discrimination(pool_of(FIGURE_3)).tolist() == [1, 0, 1, 0]
    assert {order_of(SDS(), pool_of(FIGURE_3), seed)[0] for seed in range(20)} == {0, 2}


def test_figure_2() -> None:
    """Models right on 4, 3 and 2 of six samples: s1 and s2 alone give their order, though not their accuracy."""
    right = np.array([[1, 1, 1, 1, 0, 0], [1, 0, 0, 1, 0, 1], [0, 0, 1, 0, 0, 1]])
    pool, truth = pool_of(1 - right), np.zeros(6)
    everything = Labeled().rank(pool, Labels.complete(truth))
    assert everything.estimate.value == pytest.approx([4 / 6, 3 / 6, 2 / 6])
    two = Labeled().rank(pool, Labels.known(6, [0, 1], truth[:2]))
    assert two.rank.tolist() == everything.rank.tolist() == [1, 2, 3]
    assert two.estimate.value == pytest.approx([1, 0.5, 0])


def test_candidates_come_first_and_then_the_rest_by_discrimination() -> None:
    pool, _ = example_pool(models=12, samples=200, seed=3)
    selector = SDS()
    score = selector.discrimination(pool, seed=5)
    order = order_of(selector, pool, seed=5)
    assert sorted(order) == list(range(200))
    assert score[order[:50]].min() >= score[order[50:]].max()
    assert (np.diff(score[order[50:]]) <= 0).all()
    assert score[order[:50]].tolist() != sorted(score[order[:50]], reverse=True)  # at random within


def test_groups_and_candidates_are_rounded_down_and_never_empty() -> None:
    pool, _ = example_pool(models=7, samples=6, seed=1)  # 27% of 7 is one model, 25% of 6 one sample
    score = SDS().discrimination(pool, seed=0)
    assert set(np.unique(score)) <= {-1.0, 0.0, 1.0}
    assert score[order_of(SDS(), pool)[0]] == score.max()


def test_a_skipped_share_begins_further_down() -> None:
    pool, _ = example_pool(models=12, samples=200, seed=3)
    score = SDS().discrimination(pool, seed=0)
    second = order_of(SDS(skip=0.25), pool)[:50]
    first = order_of(SDS(), pool)[:50]
    assert not set(first) & set(second)
    assert score[second].max() <= score[first].min()


def test_renaming_classes_changes_nothing_even_where_votes_tie() -> None:
    pool, _ = example_pool(models=4, samples=300, classes=3, seed=8)
    renamed = Predictions(np.array([2, 0, 1])[pool.values], pool.models, pool.samples, pool.classes)
    assert order_of(SDS(), pool, seed=2) == order_of(SDS(), renamed, seed=2)


@pytest.mark.parametrize("options", [{"group": 0.0}, {"group": 0.6}, {"candidates": 0.0}, {"skip": 1.0}])
def test_impossible_shares_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(InputError, match="SDS takes a group share"):
        SDS(**options)
