"""Plans in words."""

from dataclasses import replace

import numpy as np
import pytest

import adjudge
from adjudge.core.labels import Labels
from adjudge.reports.plans import plan_command, plan_lead
from tests.support.plans import pair, said


def test_the_number_that_matters_comes_first() -> None:
    """Labels among the samples on which the two differ, not among all, and as a total."""
    pool = pair(5000, 100, 150)
    third = np.where(np.arange(5000) % 2, 1, 0)
    three = replace(pool, values=np.vstack([pool.values, third]), models=("a", "b", "c"))
    made = adjudge.plan(three, 0.01, models=("a", "b"))
    needed, everywhere = said(made.pairs[0].where_they_differ).likely, made.pairs[0].everywhere.likely
    assert needed == pytest.approx(everywhere * 250 / 5000, rel=0.1)
    assert plan_lead(made) == (
        f"Label {needed} of the 250 samples on which a and b differ to detect a difference of 0.01 in accuracy (power "
        f"80%, level 0.95). That is the total; drawn from all 5,000 samples it would take {everywhere:,}."
    )
    assert plan_command(made, "p.csv") == f"adjudge select p.csv --models a b --budget {needed} --out labels.csv"
    several = adjudge.plan(three, 0.01)
    assert [said(each.where_they_differ).likely for each in several.pairs if {each.a, each.b} == {"a", "b"}] == [needed]
    assert " samples on which a typical pair differs to detect" in plan_lead(several)
    alike = adjudge.plan(pair(1000, 2, 2), 0.01)
    assert plan_lead(alike) == (
        "a and b differ on 4 of 1,000 samples, so their accuracies cannot be 0.01 apart: that needs no label."
    )


def test_labels_where_they_differ_count_towards_the_total() -> None:
    pool, truth = pair(5000, 100, 150), np.zeros(5000)
    log = adjudge.select(pool, 20, models=("a", "b")).answer_all(truth)
    made = adjudge.plan(pool, 0.01, labels=log)
    assert made.pairs[0].labeled == 20
    total = said(made.pairs[0].where_they_differ).likely
    assert f"That is the total: 20 of them are labeled, which leaves {total - 20};" in plan_lead(made)
    chosen = Labels.known(5000, np.arange(5), np.zeros(5))
    unknown = adjudge.plan(pool, 0.01, labels=chosen)
    assert (unknown.pairs[0].labeled, unknown.pairs[0].uncounted) == (0, 5)  # it is not known how they were chosen
    told = "5 of them are labeled, but were not drawn with equal chances there, so these come on top; drawn from all"
    assert told in plan_lead(unknown)
    enough = adjudge.plan(pool, 0.04, labels=adjudge.select(pool, 100, models=("a", "b")).answer_all(truth))
    assert "100 are labeled: that is enough" in plan_lead(enough)
