"""Auxiliary variables: numbers that were measured for each sample, such as its surprise adequacy."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array

AUXILIARY = "auxiliary_"  # how the names of such arrays begin in an npz file


@dataclass(frozen=True, eq=False)
class Auxiliary:
    """One number for each sample, or one for each model and sample; missing ones are nan.

    The columns of a pool are for people: shown, sliced by and written to tables. These numbers are for methods that ask
    for them by name. Rows are found by the names of models, so that they stay valid in a pool of fewer models.
    """

    values: Array  # (samples,), or (models, samples)
    models: tuple[str, ...] = ()  # whose rows they are; none: the same numbers for all models

    def of(self, model: str) -> Array | None:
        """(samples,): the numbers of one model, if there are any."""
        if not self.models:
            return self.values
        return self.values[self.models.index(model)] if model in self.models else None

    def at(self, samples: Array) -> "Auxiliary":
        """The numbers of some samples, by their positions."""
        return Auxiliary(self.values[..., samples], self.models)

    def among(self, models: tuple[str, ...]) -> Array:
        """(samples,), or (models, samples) for these models, nan for those without a row."""
        if not self.models or models == self.models:
            return self.values
        unknown = np.full(self.values.shape[-1], np.nan)
        rows = [self.of(name) for name in models]
        return np.stack([unknown if row is None else row for row in rows])
