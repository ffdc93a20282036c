import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.evaluation import cumulative_regret, labels_to_within, regret

coarse = st.integers(0, 4).map(lambda step: step / 4)
models = st.lists(st.tuples(coarse, coarse), min_size=1, max_size=12)
runs = st.lists(st.integers(0, 5).map(lambda step: step / 100), min_size=1, max_size=12)


@given(models)
def test_regret_is_the_mean_loss_over_models_tied_for_first(pool: list[tuple[float, float]]) -> None:
    first = max(guess for guess, _ in pool)
    losses = [max(value for _, value in pool) - value for guess, value in pool if guess == first]
    found = regret([guess for guess, _ in pool], [value for _, value in pool])
    assert found == pytest.approx(sum(losses) / len(losses))


def test_unknown_values() -> None:
    assert regret([np.nan, 0.1], [0.9, 0.4]) == pytest.approx(0.5)
    assert regret([0.2, 0.1], [0.5, np.nan]) == 0.0
    assert np.isnan(regret([0.2, 0.1], [np.nan, 0.5]))


def test_rounding_does_not_decide_who_is_first() -> None:
    assert regret([0.1 + 0.2, 0.3], [1.0, 0.0]) == 0.5


def test_other_models_are_refused() -> None:
    with pytest.raises(InputError, match="2 models are estimated but the truth is given for 3"):
        regret([1, 2], [1, 2, 3])


@given(runs, st.sampled_from([0.0, 0.01, 0.03]))
def test_labels_to_within_is_the_first_from_which_all_are_within(regrets: list[float], margin: float) -> None:
    stays = [all(later <= margin + 1e-12 for later in regrets[n:]) for n in range(len(regrets) + 1)]
    assert labels_to_within(regrets, margin) == stays.index(True)


def test_labels_to_within_allows_rounding_and_not_the_unknown() -> None:
    assert labels_to_within([0.3 - 0.29], margin=0.01) == 0  # 0.010000000000000009
    assert labels_to_within([0.0, np.nan, 0.0]) == 2
    assert labels_to_within([0.0, 0.5]) == 2


def test_cumulative_regret_leaves_out_the_guess_before_any_label() -> None:
    assert cumulative_regret([9.0, 0.5, 0.25]) == 0.75
    assert cumulative_regret([9.0]) == 0.0
