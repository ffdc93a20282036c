"""Simple random sampling: the baseline that every other method has to beat."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, draw_uniform


@dataclass(frozen=True)
class Random:
    """Draw each sample with the same chance, without replacement.

    Its labels give unbiased accuracies with intervals. It does not look at the predictions.
    """

    reference: ClassVar[str] = "simple random sampling (SRS)"
    needs: ClassVar[tuple[str, ...]] = ()
    draws: ClassVar[bool] = True
    ranker: ClassVar[str] = "drawn"
    by_parts: ClassVar[bool] = True

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        return partial(draw_uniform, seed=seed)
