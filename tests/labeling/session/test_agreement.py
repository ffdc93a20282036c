import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from adjudge.labeling.session.agreement import agreement

pairs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=40)


@given(pairs)
def test_two_people_have_cohens_kappa(said: list[tuple[str, str]]) -> None:
    found = agreement([{"ada": one, "bob": other} for one, other in said])
    ones, others = zip(*said, strict=True)
    if len({*ones, *others}) == 1:
        assert found.kappa is None
    else:
        assert found.kappa == pytest.approx(cohen_kappa_score(ones, others))


def test_many_people_have_fleiss_kappa() -> None:
    # fourteen raters, ten subjects, five categories: a worked example with kappa 0.210
    counts = [
        (0, 0, 0, 0, 14),
        (0, 2, 6, 4, 2),
        (0, 0, 3, 5, 6),
        (0, 3, 9, 2, 0),
        (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0),
        (3, 2, 6, 3, 0),
        (2, 5, 3, 2, 2),
        (6, 5, 2, 1, 0),
        (0, 2, 2, 3, 7),
    ]
    ratings = (np.repeat(range(5), row).tolist() for row in counts)
    said = [{f"person {seat}": label for seat, label in enumerate(row)} for row in ratings]
    found = agreement(said)
    assert found.measure == "Fleiss' kappa"
    assert found.kappa == pytest.approx(0.210, abs=0.0005)


def test_noise_is_the_share_at_which_two_people_disagree_as_often() -> None:
    wrong = 0.1
    differ = round(1000 * 2 * wrong * (1 - wrong))
    said = [{"ada": "cat", "bob": "dog" if place < differ else "cat"} for place in range(1000)]
    assert agreement(said).noise == pytest.approx(wrong)
    assert agreement([{"ada": "cat"}]).noise is None
