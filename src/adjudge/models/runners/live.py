"""Models in memory: fitted estimators, and functions of a batch of samples."""

from collections.abc import Mapping
from dataclasses import dataclass
from platform import python_version
from typing import Any

import numpy as np

from adjudge.models.runners.protocol import NoFeatures, Request, Runner
from adjudge.models.runners.python_function import Function
from adjudge.models.runners.sklearn import Estimator


@dataclass(frozen=True)
class LiveKind:
    """The kind of one model in memory."""

    model: Any

    def versions(self) -> Mapping[str, str]:
        return {"python": python_version(), "numpy": np.__version__}

    def open_model(self, request: Request) -> Runner:
        if hasattr(self.model, "predict"):
            return Estimator(self.model, request)
        if request.features:
            raise NoFeatures("a function shows no layers")
        return Function(self.model)
