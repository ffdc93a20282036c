"""Stopping rules in words."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.decisions.extrapolation import MoreLabels
from adjudge.decisions.stopping import StoppingRule, stopping_status
from adjudge.methods.baselines.random import Random
from adjudge.reports.stops import standing_sentence
from adjudge.simulation.loop import bought
from tests.support.close_pool import close_pool


def test_the_sentence_says_ties_as_ties_and_certainty_as_certainty() -> None:
    pool, truth = close_pool(samples=40)
    values = np.array(pool.values)
    values[1] = truth  # differs from the first model, and is made as good as it below
    values[1, :6] = (truth[:6] + 1) % 3
    pool, labels = replace(pool, values=values), bought(Random(), pool, truth, 40, 0)
    assert standing_sentence(stopping_status(pool, labels, StoppingRule())) == (
        "You may stop: a and b are best, exactly as good as each other, with 40 labels. All labels that could tell "
        "models apart are there, so that is certain."
    )
    alone = replace(pool, values=values[:1], models=("a",), probabilities=None)
    assert standing_sentence(stopping_status(alone, labels, StoppingRule())) == (
        "You may stop: a is the only model, so there is nothing to compare it with."
    )
    found = stopping_status(pool, labels, StoppingRule(0.01), label_noise=0.001)
    assert standing_sentence(found).endswith("That is guaranteed with 95% confidence, no matter how often you checked.")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (MoreLabels(90, 90, 90), " It may take perhaps all 90 samples that are left: an extrapolation"),
        (MoreLabels(1, 1, 1), " It may take about 1 more label: an extrapolation"),
        (MoreLabels(30, 15, 60), " It may take about 30 more labels (15 to 60): an extrapolation"),
        (MoreLabels(30, 2, 60), " It may take up to 60 more labels: an extrapolation"),
        (MoreLabels(50, 20, 90), " It may take 20 or more labels, perhaps all 90 samples that are left: an extra"),
    ],
)
def test_a_range_that_says_nothing_is_not_said(more: MoreLabels, told: str) -> None:
    pool, truth = close_pool()
    found = stopping_status(pool, bought(Random(), pool, truth, 30, 0), StoppingRule(0.01))
    assert found.left == 90
    assert told in standing_sentence(replace(found, more=more))
