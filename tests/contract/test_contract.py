"""Every registered method, through every check of its kind."""

import pytest

from adjudge import checks, registry

SELECTORS = [name for name in registry.methods() if registry.can_select(name)]
RANKERS = [name for name in registry.methods() if registry.can_rank(name)]
DRAWING = [name for name in SELECTORS if registry.describe(name).draws]


def test_every_name_is_checked() -> None:
    assert set(SELECTORS) | set(RANKERS) == set(registry.methods())
    assert len(SELECTORS) + len(RANKERS) >= len(registry.methods()) > 0


@pytest.mark.parametrize("name", SELECTORS)
def test_selector(name: str) -> None:
    checks.check_selector(lambda: registry.selector(name))


@pytest.mark.parametrize("name", RANKERS)
def test_ranker(name: str) -> None:
    checks.check_ranker(lambda: registry.ranker(name))


@pytest.mark.parametrize("name", DRAWING)
def test_interval(name: str) -> None:
    checks.check_interval(lambda: registry.selector(name), lambda: registry.ranker(registry.ranker_for(name)))


@pytest.mark.parametrize("name", list(registry.methods()))
def test_description_is_complete(name: str) -> None:
    row = registry.describe(name)
    assert row.summary.endswith(".")
    assert row.reference
    assert row.returns
