"""Grades that are given by answer."""

from pathlib import Path

import pytest

from adjudge.api import select
from adjudge.core.index import ids_at
from adjudge.decisions.fill import fill
from adjudge.errors import LabelsError
from adjudge.io import graded, read
from adjudge.io.labels.grades import fill_grades as fill_grades_of
from tests.support.grades import answers


def test_grades_are_given_by_answer_in_python(tmp_path: Path) -> None:
    pool = graded(read(answers(tmp_path)), 1, 5)
    plan = select(pool, 1)
    name = ids_at(pool.samples, plan.sample)[0]
    with pytest.raises(LabelsError, match=f"3 is given for sample '{name}'; give a grade for each answer"):
        fill_grades_of(plan, pool, {name: 3})  # type: ignore[dict-item]
    with pytest.raises(LabelsError, match=r"the answer 'maybe' to sample .* has a grade in the grades, and no model"):
        fill_grades_of(plan, pool, {name: {"maybe": 3}})
    with pytest.raises(LabelsError, match="give them with `fill_grades`"):
        fill(plan, pool, {name: 3})
