"""Layers whose output is told."""

from typing import Any

import adjudge
from adjudge.core.arrays import Array
from adjudge.models.prediction import Predicted
from tests.support import tiny_models as tiny
from tests.support.tiny_models import Tiny


def run(made: Tiny, layer: str | int, **options: Any) -> Predicted:
    return adjudge.predict(made.path, tiny.images(), features=layer, trust=True, batch=16, **options)


def features(made: Tiny, layer: str | int) -> Array:
    return run(made, layer).features["net"]
