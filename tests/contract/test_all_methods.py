"""Every registered method, through every check of its kind."""

from dataclasses import dataclass

import pytest

from adjudge import registry
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, Selector
from adjudge.simulation import contract as checks
from tests.support.repeated import repeated

SELECTORS = [name for name in registry.methods() if registry.can_select(name)]
RANKERS = [name for name in registry.methods() if registry.can_rank(name)]
DRAWING = [name for name in SELECTORS if registry.describe(name).draws]


@dataclass(frozen=True)
class WithFeatures:
    """A selector that looks inside one model, here at the probabilities of the first."""

    name: str

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        assert predictions.probabilities is not None
        made = registry.selector(self.name, {"features": predictions.probabilities[0]})
        return made.start(predictions, given, budget, seed)


def make(name: str) -> Selector:
    return WithFeatures(name) if "features" in registry.describe(name).needs else registry.selector(name)


def test_every_name_is_checked() -> None:
    assert set(SELECTORS) | set(RANKERS) == set(registry.methods())


@pytest.mark.parametrize("name", [name for name in SELECTORS if name != "pooled"])
def test_selector(name: str) -> None:
    checks.check_selector(lambda: make(name))


@pytest.mark.slow
@repeated(150, checks.BIAS_RUNS)
def test_the_default_selector(repeats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "BIAS_RUNS", repeats)
    test_selector("pooled")


@pytest.mark.parametrize("name", RANKERS)
def test_ranker(name: str) -> None:
    checks.check_ranker(lambda: registry.ranker(name))


@pytest.mark.parametrize("name", RANKERS)
def test_missing_prediction(name: str) -> None:
    checks.check_missing_prediction(lambda: registry.ranker(name))
    if registry.takes(name, "anytime"):
        checks.check_missing_prediction(lambda: registry.ranker(name, options={"anytime": True}))


@pytest.mark.slow
@repeated(80, checks.COVERAGE_RUNS)
@pytest.mark.parametrize("name", [name for name in DRAWING if name != "pooled"])
def test_interval(name: str, repeats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "COVERAGE_RUNS", repeats)
    checks.check_interval(lambda: make(name), lambda: registry.ranker(registry.ranker_for(name)))


@pytest.mark.slow
@repeated(25, checks.COVERAGE_RUNS)
def test_interval_of_pooled(repeats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same; each of its runs takes as long as forty of another method."""
    test_interval("pooled", repeats, monkeypatch)


@pytest.mark.parametrize("name", list(registry.methods()))
def test_description_is_complete(name: str) -> None:
    row = registry.describe(name)
    assert row.summary.endswith(".")
    assert row.reference
    assert row.returns
