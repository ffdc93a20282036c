import numpy as np
import pytest

from adjudge import rank
from adjudge.core.labels import SKIP, Pick
from adjudge.decisions.history import LENGTHS, chance_history
from adjudge.errors import AdjudgeWarning
from adjudge.methods.pooled.posterior import likely
from adjudge.registry import selector
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought


def test_it_ends_with_what_the_ranking_says_and_looks_at_few_lengths() -> None:
    pool, truth = example_pool(models=4, samples=200, seed=1)
    log = bought(selector("pooled"), pool, truth * 1.0, 60, seed=0)
    log = log.add(Pick(int(np.setdiff1d(np.arange(200), log.sample)[0]), seen=60), SKIP)
    told: list[tuple[int, int]] = []
    with pytest.warns(AdjudgeWarning, match="could not be labeled"):
        now = rank(pool, log).likely
    assert now is not None
    found = chance_history(pool, log, now, progress=lambda done, total: told.append((done, total)))
    assert len(found.labels) == LENGTHS == found.chance.shape[0]
    assert (found.labels[0], found.labels[-1]) == (0, 60)
    assert np.array_equal(found.chance[-1], now.chance_of_best)
    early = rank(pool, log.head(int(found.labels[3]))).likely
    assert early is not None
    assert found.chance[3] == pytest.approx(early.chance_of_best, abs=0.02)  # but for the order of ties
    assert (told[0], told[-1]) == ((0, LENGTHS), (LENGTHS, LENGTHS))


def test_a_short_log_is_looked_at_after_every_label() -> None:
    pool, truth = example_pool(models=4, samples=50, seed=1)
    log = bought(selector("pooled"), pool, truth * 1.0, 3, seed=0)
    assert chance_history(pool, log, likely(pool, log, np.arange(4))).labels.tolist() == [0, 1, 2, 3]
