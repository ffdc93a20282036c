"""Metrics by name: with a number, and for the predictions that they fit."""

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.inference.metrics.registry import as_mean, check_metric, named_metric
from tests.support.pools import pool_of

CODES = pool_of([[0, 1], [1, 1]])
NUMBERS = Predictions(np.array([[0.5, 2.0]]), ("m",), range(2), None)


@pytest.mark.parametrize("name", ["macro-f0", "macro-fB", "top0", "quantile1", "accuracies", ""])
def test_a_name_with_a_number_that_does_not_fit_is_no_metric(name: str) -> None:
    with pytest.raises(InputError, match=f"there is no metric '{name}'; use one of "):
        named_metric(name)


def test_the_last_letter_of_an_entry_stands_for_a_number() -> None:
    assert (named_metric("f0.5").metric.name, named_metric("f0.5").number) == ("fB", 0.5)
    assert named_metric("recall").metric.name == "recall"


@pytest.mark.parametrize(
    ("name", "pool", "positive", "sentence"),
    [
        ("mse", CODES, None, "mse is for numbers, but these predictions are classes"),
        ("macro-f1", NUMBERS, None, "macro-f1 is for classes, but these predictions are numbers"),
        ("macro-f1", CODES, "c1", "macro-f1 is about all classes; leave out the class"),
        ("f1", CODES, None, "f1 is about one class; name one of 'c0', 'c1', 'c2'"),
        ("f1", CODES, "c9", "there is no class 'c9'; name one of 'c0', 'c1', 'c2'"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, pool: Predictions, positive: str | None, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        check_metric(named_metric(name), pool, positive)


def test_only_means_over_samples_have_a_loss() -> None:
    assert as_mean("macro-f1", CODES, Labels.empty(2)) is None
    found = as_mean("accuracy", CODES, Labels.empty(2))
    assert found is not None
    assert found[1].quantity == "accuracy"
