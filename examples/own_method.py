"""A method of your own: choose samples on which the models disagree, and measure it against random choice.

`Disputed` keeps the contract of docs/plugins.md. Installed with the entry point below, it is a method like any other,
also for `adjudge select --method disputed`; here a folder is laid out as an installation would leave it.

    python examples/own_method.py
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

import adjudge
from adjudge.core.sampling import Picker
from adjudge.simulation.contract import check_selector, example_pool

ENTRY_POINT = "[adjudge.methods]\ndisputed = own_method:Disputed\n"  # in pyproject.toml: see docs/plugins.md


@dataclass(frozen=True)
class Disputed:
    """Take a sample on which the models give as many different answers as on any other."""

    reference: ClassVar[str] = "an example"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    draws: ClassVar[bool] = False  # picks have no chance that is known, so labels give an order, not intervals
    ranker: ClassVar[str] = "labeled"

    def start(self, predictions: adjudge.Predictions, given: adjudge.Labels, budget: int | None, seed: int) -> Picker:
        answers = np.array([len(set(said)) for said in predictions.values.T])  # values are (models, samples)

        def pick(labels: adjudge.Labels) -> adjudge.Pick | None:
            rest = np.setdiff1d(np.arange(labels.pool), labels.sample)
            if not len(rest):
                return None
            most = rest[answers[rest] == answers[rest].max()]
            return adjudge.Pick(int(np.random.default_rng([seed, len(labels)]).choice(most)))

        return pick


if __name__ == "__main__":
    check_selector(Disputed)
    print("Disputed keeps the contract of a selector.")
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder, "disputed-1.0.dist-info")
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: disputed\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(ENTRY_POINT, encoding="utf-8")
        sys.path.append(folder)
        pool, truth = example_pool(models=8, samples=400, classes=4, seed=1)
        for method in ("random", "disputed"):
            played = adjudge.simulate(pool, truth.astype(float), method, budget=30, seeds=10, workers=1)
            lost = 100 * played.curves["regret"].mean(axis=0)  # over ten runs, after 0 to 30 labels
            print(f"{method:<9} points of accuracy lost after 10 labels {lost[10]:.1f}, after 30 {lost[30]:.1f}")
