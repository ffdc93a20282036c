"""Signs that a model was given the wrong inputs, which need no labels to be seen."""

import numpy as np

from adjudge.core.arrays import Array
from adjudge.models.prediction.kept import Result

ENOUGH = 20  # with fewer samples, one class only means nothing
LOOKED_AT = 10_000  # samples whose probabilities are looked at
UNIFORM = 0.05  # of the way from no preference to certainty
CHECK = "check scale, mean, std, size and channels in its TOML"


def signs(result: Result) -> list[str]:
    """What looks wrong about the outputs of one model, a sentence each.

    >>> signs(Result("net", np.zeros(50, dtype=int), ("cat", "dog")))
    ["net says 'cat' for every sample; check scale, mean, std, size and channels in its TOML"]
    """
    values = result.values
    found = []
    if result.classes is None:
        known = values[~np.isnan(values)]
        if len(known) < len(values):
            found.append(f"{result.name} gives no number for {len(values) - len(known):,} samples; they are missing")
        if len(known) >= ENOUGH and known.min() == known.max():
            found.append(f"{result.name} gives {known[0]:g} for every sample; {CHECK}")
        elif (
            len(known) >= ENOUGH and known.min() >= 0 and known.max() <= 1 and result.about.get("meaning") == "numbers"
        ):
            found.append(
                f"{result.name} gives one number from 0 to 1 for each sample; if that is the probability of the second "
                'of two classes, say output = "binary" in its TOML'
            )
        return found
    missing = int((np.asarray(values) < 0).sum())
    if missing:
        found.append(f"{result.name} says nothing about {missing:,} samples; they are missing")
    if len(values) >= ENOUGH and values[0] >= 0 and (values == values[0]).all():
        found.append(f"{result.name} says {result.classes[int(values[0])]!r} for every sample; {CHECK}")
    if result.probabilities is not None and len(values) >= ENOUGH:
        found += _about_probabilities(result.name, np.asarray(result.probabilities[:LOOKED_AT]))
    return found


def _about_probabilities(name: str, probabilities: Array) -> list[str]:
    known = probabilities[~np.isnan(probabilities).any(axis=1)]
    if len(known) < ENOUGH:
        return []
    if np.ptp(known, axis=0).max() == 0:
        return [f"{name} gives the same probabilities for every sample; {CHECK}"]
    least = 1 / known.shape[1]
    if (known.max(axis=1).mean() - least) < UNIFORM * (1 - least):
        return [f"{name} gives nearly the same probability to all classes; {CHECK}, or its output in its TOML"]
    return []
