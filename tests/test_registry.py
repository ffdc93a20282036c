import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from adjudge import registry
from adjudge.core.labels import Labels
from adjudge.errors import AdjudgeWarning, MethodError
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation import contract as checks
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.repeated import repeated

PLUGIN = '''
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from adjudge.core.labels import Pick
from adjudge.core.votes import votes

@dataclass(frozen=True)
class Disputed:
    """Draw samples on which models disagree with a higher chance."""
    reference: ClassVar[str] = "a test"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    draws: ClassVar[bool] = True
    ranker: ClassVar[str] = "drawn"

    def start(self, predictions, given, budget, seed):
        counted = votes(predictions)
        interest = 1.5 - counted.top / np.maximum(counted.present, 1)
        def pick(labels):
            rest = np.setdiff1d(np.arange(labels.pool), labels.sample)
            if not rest.size:
                return None
            chance = interest[rest] / interest[rest].sum()
            place = np.random.default_rng([seed, len(labels)]).choice(rest.size, p=chance)
            return Pick(int(rest[place]), float(1 / (rest.size * chance[place])), len(labels))
        return pick
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that looks like an installed distribution with methods of its own."""
    (tmp_path / "disputed_plugin.py").write_text(PLUGIN)
    info = tmp_path / "disputed_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: disputed-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[adjudge.methods]\ndisputed = disputed_plugin:Disputed\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.methods.cache_clear()
    yield info / "entry_points.txt"
    registry.methods.cache_clear()
    sys.modules.pop("disputed_plugin", None)


@pytest.mark.slow
@repeated(30, checks.COVERAGE_RUNS)
def test_a_plugin_is_a_method_like_any_other(installed: Path, repeats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "COVERAGE_RUNS", repeats)
    assert list(registry.methods())[-1] == "disputed"
    assert registry.describe("disputed").summary.startswith("Draw samples on which models disagree")
    checks.check_selector(lambda: registry.selector("disputed"))
    checks.check_interval(
        lambda: registry.selector("disputed"), lambda: registry.ranker(registry.ranker_for("disputed"))
    )


def test_a_plugin_cannot_take_a_name_that_exists(installed: Path) -> None:
    installed.write_text("[adjudge.methods]\nrandom = disputed_plugin:Disputed\n")
    with pytest.warns(AdjudgeWarning, match="'random', which exists"):
        assert registry.methods()["random"].__name__ == "Random"


def test_a_broken_plugin_does_not_stop_the_others(installed: Path) -> None:
    installed.write_text("[adjudge.methods]\nbroken = no_such_module:Thing\n")
    with pytest.warns(AdjudgeWarning, match="'broken' does not load"):
        assert "broken" not in registry.methods()


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(MethodError, match="there is no method 'agrement'; did you mean 'agreement'\\?"):
        registry.ranker("agrement")
    with pytest.raises(MethodError, match="the methods are pooled, random, "):
        registry.selector("zzz")


def test_a_method_of_the_other_kind_is_refused() -> None:
    with pytest.raises(MethodError, match="'agreement' ranks but does not select; use one of pooled, random"):
        registry.selector("agreement")
    with pytest.raises(MethodError, match="'random' selects but does not rank; use one of pooled, agreement, "):
        registry.ranker("random")


def test_the_ranker_that_suits_a_log() -> None:
    pool, truth = example_pool(models=4, samples=200)
    assert registry.suited(Labels.empty(200)) == "agreement"
    assert registry.suited(Labels.known(200, [1, 2], truth[[1, 2]])) == "labeled"
    assert registry.suited(Labels.complete(truth)) == "pooled"  # then it does not matter how they were chosen
    assert registry.suited(bought(Random(), pool, truth * 1.0, 5, 0)) == "pooled"
    chosen = bought(Pooled(), pool, truth * 1.0, 1, 0)
    assert np.isnan(chosen.weight).all()
    assert registry.suited(chosen) == "pooled"
