"""Plain random choice: the baseline that every other method has to beat."""

from dataclasses import dataclass
from typing import ClassVar

from adjudge.core.draws import draw_uniform
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Picker


@dataclass(frozen=True)
class Random:
    """Draw each sample with the same chance, without replacement.

    Its labels give unbiased accuracies with intervals; nothing about the models is used.
    """

    reference: ClassVar[str] = "simple random sampling (SRS)"
    needs: ClassVar[tuple[str, ...]] = ()
    draws: ClassVar[bool] = True
    ranker: ClassVar[str] = "drawn"

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        def pick(labels: Labels) -> Pick | None:
            sample = draw_uniform(labels, seed)
            return None if sample is None else Pick(sample, weight=1.0, seen=len(labels))

        return pick
